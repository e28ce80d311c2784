# SPDX-License-Identifier: GPL-2.0-or-later
"""Single packets of every kind through a router with fpm-xdp and through a twin without: whatever
Linux sends, drops or answers, both must do alike, byte by byte; and the counters must tell why.

Routes are the kernel's own here; what zebra sends is the matter of test_routes.py.
"""
import os
import random
import struct

import pytest

import lab as lab_module
import wire
import xdp
from twin import Twins
from wire import frame, ipv4, ipv6, udp

ROUTES = [
    "route add 20.0.0.0/8 via 10.0.1.2",
    "route add 20.1.0.0/16 via 10.0.2.2",
    "route add 20.1.2.3/32 via 10.0.1.2",
    "route add blackhole 21.0.0.0/8",
    "route add unreachable 22.0.0.0/8",
    "route add prohibit 23.0.0.0/8",
    "route add throw 24.0.0.0/8",
    "route add 25.0.0.0/8 dev p1",
    "neigh add 25.0.0.1 lladdr 02:00:00:00:02:77 dev p1 nud permanent",
    "route add 26.0.0.0/8 via inet6 fe80::2 dev p2",
    "route add 27.0.0.0/8 via 10.0.1.2 mtu 1400",
    "route add 28.0.0.0/8 via 10.0.0.2",
    "route add 224.9.0.0/16 via 10.0.1.2",
    "route add 2001:db8:a000::/36 via 2001:db8:1::2",
    "route add 2001:db8:a001::/48 via fe80::2 dev p2",
    "route add 2001:db8:a001::7/128 via 2001:db8:1::2",
    "route add blackhole 2001:db8:b000::/36",
    "route add unreachable 2001:db8:c000::/36",
    "route add prohibit 2001:db8:d000::/36",
    "route add 2001:db8:e000::/48 dev p1",
    "neigh add 2001:db8:e000::1 lladdr 02:00:00:00:02:77 dev p1 nud permanent",
    "route add 2001:db8:f000::/48 via 2001:db8:1::2 mtu 1400",
    "route add 2001:db8:f100::/48 via 2001:db8:0::2",
]
H4, H6 = "10.0.0.2", "2001:db8::2"
D4, D6 = "20.9.9.9", "2001:db8:a0ff::9"


@pytest.fixture(scope="module")
def twins(xdp_pass, tmp_path_factory):
    made = lab_module.Lab(f"{os.getpid()}-packets", xdp_pass)
    logs = tmp_path_factory.mktemp("packets")

    def start(router):
        daemon = made.owns(xdp.FpmXdp(router, f"packets{os.getpid()}", logs))
        return daemon.start("-i", "p0", "-i", "p1", "-i", "p2")

    try:
        pair = Twins(made, start, mtu=(9000, 1500, 1500), routes=[])
        pair.both(ROUTES)
        pair.daemon.assert_consistent()
        yield pair
    finally:
        made.close()


@pytest.fixture(autouse=True)
def consistent_afterwards(twins):
    yield
    twins.daemon.assert_consistent()


def u4(dst=D4, src=H4, size=18, **header):
    """A frame with an IPv4 UDP packet; size is the payload's."""
    payload = bytes(i & 0xFF for i in range(size))
    return frame(ipv4(src, dst, udp(src, dst, payload=payload), **header))


def u6(dst=D6, src=H6, size=18, **header):
    payload = bytes(i & 0xFF for i in range(size))
    return frame(ipv6(src, dst, udp(src, dst, payload=payload), **header))


def upper(proto):
    """Bytes that stand for an upper layer of this protocol."""
    if proto == 6:
        return struct.pack("!HHIIBBHHH", 1000, 80, 1, 0, 0x50, 0x02, 1024, 0x1234, 0)
    if proto in (1, 58):
        return struct.pack("!BBHHH", 8 if proto == 1 else 128, 0, 0x4321, 7, 1) + b"x" * 32
    return struct.pack("!HHHH", 1000, 2000, 40, 0) + b"y" * 32


# ---- what must be forwarded in XDP ----


@pytest.mark.parametrize("proto", [6, 17, 1, 2, 4, 33, 41, 47, 50, 51, 89, 112, 132, 255, 0, 253])
def test_ipv4_of_each_protocol_is_forwarded(twins, proto):
    out = twins.compare([frame(ipv4(H4, D4, upper(proto), proto=proto))], forwarded=1)
    assert len(out[1]) == 1


@pytest.mark.parametrize("proto", [6, 17, 58, 4, 41, 47, 50, 89, 132, 59, 255, 253])
def test_ipv6_of_each_next_header_is_forwarded(twins, proto):
    out = twins.compare([frame(ipv6(H6, D6, upper(proto), proto=proto))], forwarded=1)
    assert len(out[1]) == 1


def test_longest_prefix_decides(twins):
    places = [
        "20.0.0.1",
        "20.1.0.1",
        "20.1.2.2",
        "20.1.2.3",
        "20.1.2.4",
        "20.255.255.255",
        "20.0.0.0",
    ]
    out = twins.compare([u4(dst) for dst in places], forwarded=len(places))
    assert [len(frames) for frames in out] == [0, 4, 3]


def test_longest_prefix_decides_ipv6(twins):
    places = ["2001:db8:a000::", "2001:db8:a001::1", "2001:db8:a001::7", "2001:db8:afff:ffff::1"]
    out = twins.compare([u6(dst) for dst in places], forwarded=len(places))
    assert [len(frames) for frames in out] == [0, 3, 1]


def test_every_ttl(twins):
    twins.compare([u4(ttl=ttl) for ttl in range(256)], forwarded=254, passed={"ttl-expired": 2})


def test_every_hop_limit(twins):
    twins.compare([u6(hops=hops) for hops in range(256)], forwarded=254, passed={"ttl-expired": 2})


def test_every_tos_and_traffic_class(twins):
    frames = [u4(tos=tos) for tos in range(256)] + [u6(tclass=t, flow=t * 4001) for t in range(256)]
    twins.compare(frames, forwarded=512)


def test_checksum_edges(twins):
    """Header checksums around the places where the sum wraps: RFC 1624 3 has its corner there."""
    frames = []
    for ttl in (2, 3, 64, 128, 255):
        base = ipv4(H4, D4, upper(17), ident=0, ttl=ttl)
        zero = struct.unpack_from("!H", base, 10)[0]
        for wanted in (0, 1, 0xFE, 0xFF, 0x100, 0x101, 0xFEFE, 0xFEFF, 0xFF00, 0xFF01, 0xFFFE):
            ident = (zero - wanted) % 0xFFFF
            packet = ipv4(H4, D4, upper(17), ident=ident, ttl=ttl)
            frames.append(frame(packet))
            if struct.unpack_from("!H", packet, 10)[0] == 0:
                frames.append(frame(packet[:10] + b"\xff\xff" + packet[12:]))
    twins.compare(frames, forwarded=len(frames))


def test_fragments_are_forwarded(twins):
    frames = [
        u4(flags=2),
        u4(flags=1),
        u4(flags=1, offset=185),
        u4(offset=370),
        u4(flags=4),
        u4(flags=3),
        u4(flags=1, size=0),
        u4(offset=0x1FFF),
    ]
    twins.compare(frames, forwarded=len(frames))


def test_ipv6_extension_headers_are_forwarded(twins):
    body = upper(17)
    fragment = struct.pack("!BBHI", 17, 0, 1, 77) + body
    later = struct.pack("!BBHI", 17, 0, 8 << 3, 77) + body
    options = bytes((17, 0, 1, 4, 0, 0, 0, 0)) + body
    routing = bytes((17, 2, 4, 1, 0, 0, 0, 0)) + wire.address(D6) + body
    atomic = struct.pack("!BBHI", 17, 0, 0, 77) + body
    frames = [
        frame(ipv6(H6, D6, fragment, proto=44)),
        frame(ipv6(H6, D6, later, proto=44)),
        frame(ipv6(H6, D6, atomic, proto=44)),
        frame(ipv6(H6, D6, options, proto=60)),
        frame(ipv6(H6, D6, routing, proto=43)),
        frame(ipv6(H6, D6, b"?", proto=59)),
    ]
    twins.compare(frames, forwarded=len(frames))


def test_upper_headers_cut_short_are_forwarded_by_whomever(twins):
    cut = [upper(proto)[:n] for proto in (6, 17, 58, 1) for n in range(8)]
    frames = [frame(ipv6(H6, D6, c, proto=p)) for p in (6, 17, 58) for c in cut]
    frames += [frame(ipv4(H4, D4, c, proto=p)) for p in (6, 17, 1) for c in cut]
    twins.compare(frames, dropped={})


def test_ethernet_padding_is_cut(twins):
    """A 60-byte frame may hold a shorter packet; what goes on is the packet alone."""
    frames = [frame(ipv4(H4, D4, b"z" * n, proto=253), pad=60) for n in range(0, 27)]
    frames += [frame(ipv4(H4, D4, b"z" * 8, proto=253), pad=n) for n in (200, 1400)]
    frames += [frame(ipv6(H6, D6, b"z" * n, proto=253), pad=60) for n in range(1, 7)]
    frames += [frame(ipv6(H6, D6, b"z" * 8, proto=253), pad=n) for n in (200, 1400)]
    twins.compare(frames, forwarded=len(frames))


def test_sizes_around_the_mtu(twins):
    """p0 takes 9000 bytes, p1 sends 1500."""
    fits = [u4(size=n - 28, flags=df) for n in (28, 46, 1399, 1400, 1499, 1500) for df in (0, 2)]
    long = [
        u4(size=n - 28, flags=df) for n in (1501, 1502, 1514, 3000, 8999, 9000) for df in (0, 2)
    ]
    fits += [u6(size=n - 48) for n in (48, 1280, 1499, 1500)]
    long += [u6(size=n - 48) for n in (1501, 1504, 3000, 9000)]
    twins.compare(fits + long, forwarded=len(fits), passed={"too-big": len(long)})


def test_mtu_of_a_route(twins):
    fits = [u4("27.0.0.1", size=n - 28, flags=2) for n in (1399, 1400)]
    fits += [u6("2001:db8:f000::1", size=n - 48) for n in (1399, 1400)]
    long = [u4("27.0.0.1", size=n - 28, flags=df) for n in (1401, 1500, 1501) for df in (0, 2)]
    long += [u6("2001:db8:f000::1", size=n - 48) for n in (1401, 1500, 1501)]
    twins.compare(fits + long, forwarded=len(fits), passed={"too-big": len(long)})


def test_large_packets_in_several_buffers(twins):
    """Into p1 (1500) from p0 (9000) is too big; the other way and between equals is test_jumbo.py."""
    twins.compare([u4(size=8000)], passed={"too-big": 1})


def test_interface_route_with_known_neighbour(twins):
    out = twins.compare([u4("25.0.0.1"), u6("2001:db8:e000::1")], forwarded=2)
    assert all(f[:6] == wire.mac("02:00:00:00:02:77") for f in out[1]) and len(out[1]) == 2


def test_connected_neighbours(twins):
    out = twins.compare([u4("10.0.1.2"), u4("10.0.2.2"), u6("2001:db8:1::2")], forwarded=3)
    assert [len(frames) for frames in out] == [0, 2, 1]


def test_ipv4_over_an_ipv6_next_hop(twins):
    out = twins.compare([u4("26.1.1.1")], forwarded=1)
    assert len(out[2]) == 1


def test_link_local_range_of_ipv4_is_routed_as_linux_does(twins):
    twins.both(["route add 169.254.0.0/16 via 10.0.1.2"])
    twins.daemon.wait_offloaded("169.254.0.0/16")
    twins.compare([u4("169.254.1.1"), u4(src="169.254.1.1")])
    twins.both(["route del 169.254.0.0/16"])


# ---- what Linux must have ----


def one(twins, frames, reason):
    frames = list(frames)
    return twins.compare(frames, forwarded=0, passed={reason: len(frames)}, dropped={})


def test_ipv4_options(twins):
    body = upper(17)
    options = [
        b"\x01\x01\x01\x00",
        b"\x07\x07\x04\0\0\0\0\0",
        b"\x94\x04\0\0",
        b"\x83\x07\x04" + wire.address("10.0.1.2") + b"\0",
        b"\x44\x08\x05\0\0\0\0\0",
        b"\x88\x04\0\0",
        b"\xff\xff\xff\xff",
    ]
    one(twins, [frame(ipv4(H4, D4, body, options=o)) for o in options], "ip-options")


def test_hop_by_hop(twins):
    body = upper(17)
    headers = [
        bytes((17, 0, 1, 4, 0, 0, 0, 0)),
        bytes((17, 0, 5, 2, 0, 0, 1, 0)),
        bytes((17, 0, 0x3E, 4, 0, 0, 0, 0)),
        bytes((17, 0, 0xFE, 4, 0, 0, 0, 0)),
    ]
    one(twins, [frame(ipv6(H6, D6, h + body, proto=0)) for h in headers], "hop-by-hop")


@pytest.mark.parametrize(
    "family, dst, passed, dropped",
    [
        (4, "22.0.0.1", "unreachable", None),
        (4, "23.0.0.1", "unreachable", None),
        (4, "21.0.0.1", None, "blackhole"),
        (6, "2001:db8:c000::1", "unreachable", None),
        (6, "2001:db8:d000::1", "unreachable", None),
        (6, "2001:db8:b000::1", None, "blackhole"),
        (4, "24.0.0.1", "no-route", None),
        (4, "99.0.0.1", "no-route", None),
        (6, "2001:db9::1", "no-route", None),
    ],
)
def test_routes_that_lead_nowhere(twins, family, dst, passed, dropped):
    make = u4 if family == 4 else u6
    twins.compare(
        [make(dst), make(dst, size=100)],
        forwarded=0,
        passed={passed: 2} if passed else {},
        dropped={dropped: 2} if dropped else {},
    )


def test_out_where_it_came_in(twins):
    """Linux forwards and sends an ICMP redirect: its business."""
    one(twins, [u4("28.0.0.1")], "same-interface")
    one(twins, [u6("2001:db8:f100::1")], "same-interface")


@pytest.mark.parametrize("dst", ["10.0.0.1", "10.0.1.1", "10.0.2.1"])
def test_own_ipv4_addresses(twins, dst):
    echo = frame(ipv4(H4, dst, b"\x08\0\xf7\xff\0\0\0\0", proto=1))
    one(twins, [u4(dst), echo, u4(dst, ttl=1)], "local")


@pytest.mark.parametrize("dst", ["2001:db8::1", "2001:db8:1::1", "2001:db8:1::", "fe80::1"])
def test_own_ipv6_addresses(twins, dst):
    twins.compare([u6(dst), u6(dst, hops=1)], forwarded=0, dropped={})


@pytest.mark.parametrize(
    "dst",
    """255.255.255.255 10.0.0.255 10.0.1.255 10.0.1.0 224.0.0.1 224.0.0.5 224.9.1.1 239.1.1.1
    0.0.0.0 0.0.0.1 127.0.0.1 127.9.9.9 240.0.0.1 255.255.255.254""".split(),
)
def test_ipv4_destinations_that_are_not_unicast(twins, dst):
    twins.compare([u4(dst), u4(dst, ttl=1)], forwarded=0, dropped={})


@pytest.mark.parametrize(
    "src",
    """0.0.0.0 0.1.2.3 127.0.0.1 127.255.0.1 224.0.0.1 239.255.0.1 240.0.0.1 255.255.255.255
    10.0.0.1 10.0.1.1 10.0.2.1""".split(),
)
def test_ipv4_sources_that_no_host_has(twins, src):
    """The router's own addresses too are martians to Linux (fib_validate_source())."""
    twins.compare([u4(src=src)], forwarded=0, passed={"martian": 1})


@pytest.mark.parametrize("src", ["10.0.0.255", "10.0.1.255", "10.0.1.0", "10.0.0.0"])
def test_ipv4_sources_that_are_a_networks_broadcast_address(twins, src):
    twins.compare([u4(src=src)])


@pytest.mark.parametrize(
    "src", ["20.1.1.1", "99.9.9.9", "10.0.1.2", "10.0.1.77", "22.0.0.1", "21.1.1.1"]
)
def test_ipv4_sources_from_elsewhere(twins, src):
    """Without rp_filter a source may come from anywhere."""
    twins.compare([u4(src=src)], forwarded=1)


@pytest.mark.parametrize(
    "dst",
    "ff02::1 ff02::5 ff05::1 ff0e::1 :: ::1 fe80::2 fe80::99 ff01::1 ff00::1 fec0::1".split(),
)
def test_ipv6_destinations_that_are_not_forwarded(twins, dst):
    twins.compare([u6(dst)], forwarded=0, dropped={})


@pytest.mark.parametrize(
    "dst", "::ffff:20.1.1.1 ::20.1.1.1 64:ff9b::1 fc00::1 2002:1401:101::1".split()
)
def test_ipv6_destinations_with_a_history(twins, dst):
    twins.both([f"route add {dst}/128 via 2001:db8:1::2"])
    twins.daemon.wait_offloaded(f"{lab_module.canonical(dst)}/128")
    twins.compare([u6(dst)])
    twins.both([f"route del {dst}/128"])


@pytest.mark.parametrize(
    "src",
    """:: ::1 ff02::1 ff0e::1 fe80::2 fe80::1 2001:db8::1 2001:db8:1::1 ::ffff:1.2.3.4 ::1.2.3.4
    fec0::1 fc00::1 2001:db8:1::2 2001:db8:1::""".split(),
)
def test_ipv6_sources(twins, src):
    twins.compare([u6(src=src)], dropped={})


def test_frames_that_are_not_for_us(twins):
    packet = ipv4(H4, D4, upper(17))
    packet6 = ipv6(H6, D6, upper(17))
    others = [
        wire.mac(m)
        for m in (
            "02:00:00:00:01:01",
            "ff:ff:ff:ff:ff:ff",
            "01:00:5e:00:00:01",
            "33:33:00:00:00:01",
        )
    ]
    frames = [frame(p, dst=m) for m in others for p in (packet, packet6)]
    one(twins, frames, "not-our-mac")


def test_other_ethertypes(twins):
    packet = ipv4(H4, D4, upper(17))
    types = [0x88CC, 0x8847, 0x0842, 0x8863, 0x0800 - 1, 46, 1500, 0x8100 + 1]
    twins.compare([frame(packet, ethertype=t) for t in types], forwarded=0)


def test_ethertype_and_version_at_odds(twins):
    frames = [
        frame(ipv4(H4, D4, upper(17)), ethertype=0x86DD),
        frame(ipv6(H6, D6, upper(17)), ethertype=0x0800),
        frame(ipv4(H4, D4, upper(17), version=5), ethertype=0x0800),
        frame(ipv6(H6, D6, upper(17), version=7), ethertype=0x86DD),
    ]
    one(twins, frames, "malformed")


@pytest.mark.parametrize("tag", [0x0000, 0x0005, 0x2005, 0x0FFF, 0xE000])
@pytest.mark.parametrize("kind", [0x8100, 0x88A8])
def test_vlan_tags(twins, kind, tag):
    inner = ipv4(H4, D4, upper(17))
    twins.compare([frame(inner, tags=struct.pack("!HH", kind, tag))], forwarded=0)


def test_ipv4_lengths_that_do_not_add_up(twins):
    body = upper(17)
    whole = 20 + len(body)
    wrong = [dict(total=t) for t in (0, 1, 19, whole + 1, 65535)]
    wrong += [dict(ihl=i) for i in (0, 1, 4)]
    one(twins, [frame(ipv4(H4, D4, body, **w)) for w in wrong], "malformed")
    twins.compare(
        [frame(ipv4(H4, D4, body, total=t)) for t in (20, 21, 28, whole - 1)], forwarded=4
    )
    twins.compare([frame(ipv4(H4, D4, body, ihl=i)) for i in (6, 10, 15)], forwarded=0)


def test_ipv6_lengths_that_do_not_add_up(twins):
    body = upper(17)
    long = [frame(ipv6(H6, D6, body, length=n)) for n in (len(body) + 1, 65535)]
    one(twins, long, "malformed")
    short = [frame(ipv6(H6, D6, body, length=n)) for n in (0, 1, 8, len(body) - 1)]
    twins.compare(short, dropped={})


def test_frames_cut_off_at_every_byte(twins):
    whole4, whole6 = u4(), u6()
    cut = [whole4[:n] for n in range(14, len(whole4))] + [
        whole6[:n] for n in range(14, len(whole6))
    ]
    twins.compare(cut, forwarded=0, passed={"malformed": len(cut)})


def test_bad_header_checksum(twins):
    good = struct.unpack_from("!H", u4(), 24)[0]
    values = sorted({0, 1, 0xFFFF, good ^ 1, good ^ 0x8000, (good + 1) & 0xFFFF} - {good})
    one(twins, [u4(csum=v) for v in values], "bad-checksum")


def test_bad_upper_checksums_are_nobodys_business(twins):
    frames = [frame(ipv4(H4, D4, udp(H4, D4, checksum=c))) for c in (0, 1, 0xFFFF)]
    frames += [frame(ipv6(H6, D6, udp(H6, D6, checksum=c))) for c in (0, 1, 0xFFFF)]
    twins.compare(frames, forwarded=6)


@pytest.mark.parametrize("into", [1, 2])
def test_from_the_other_ports(twins, into):
    src4, src6 = f"10.0.{into}.2", f"2001:db8:{into}::2"
    frames = [
        frame(ipv4(src4, H4, udp(src4, H4)), into),
        frame(ipv6(src6, H6, udp(src6, H6)), into),
    ]
    out = twins.compare(frames, into=into, forwarded=2)
    assert len(out[0]) == 2


# ---- anything at all ----

INTERESTING4 = """20.1.1.1 20.1.2.3 21.0.0.1 22.0.0.1 25.0.0.1 26.0.0.1 27.0.0.1 10.0.1.2 10.0.1.1
10.0.0.2 10.0.2.255 224.0.0.1 127.0.0.1 0.0.0.0 255.255.255.255 99.1.1.1 240.0.0.9""".split()
INTERESTING6 = """2001:db8:a000::1 2001:db8:a001::7 2001:db8:b000::1 2001:db8:c000::1 2001:db8:e000::1
2001:db8:1::2 2001:db8:1::1 2001:db8:: fe80::2 fe80::1 ff02::1 :: ::1 2001:db9::1""".split()


def anything(rng):
    """A packet of which most things are right, and then some bytes of which nothing need be."""
    size = rng.choice([0, 1, 18, 64, 300, rng.randrange(1600)])
    body = rng.randbytes(size)
    if rng.random() < 0.5:
        packet = ipv4(
            rng.choice([H4] * 12 + INTERESTING4),
            rng.choice(INTERESTING4),
            body,
            proto=rng.choice([1, 6, 17, 47, rng.randrange(256)]),
            ttl=rng.choice([0, 1, 2, 64, 255]),
            ident=rng.randrange(65536),
            flags=rng.choice([0, 0, 2, 1, rng.randrange(8)]),
            offset=rng.choice([0, 0, 0, rng.randrange(8192)]),
            tos=rng.randrange(256),
            options=rng.choice([b""] * 9 + [rng.randbytes(4 * rng.randrange(10))]),
        )
        ethertype = 0x0800
    else:
        packet = ipv6(
            rng.choice([H6] * 12 + INTERESTING6),
            rng.choice(INTERESTING6),
            body,
            proto=rng.choice([6, 17, 58, 0, 43, 44, 60, rng.randrange(256)]),
            hops=rng.choice([0, 1, 2, 64, 255]),
            flow=rng.randrange(1 << 20),
        )
        ethertype = 0x86DD
    packet = bytearray(packet)
    if rng.random() < 0.3:
        for _ in range(rng.randrange(1, 4)):
            packet[rng.randrange(min(len(packet), 60))] = rng.randrange(256)
    return frame(bytes(packet), ethertype=ethertype, pad=rng.choice([0, 0, 60, 80]))


@pytest.mark.parametrize("seed", range(8))
def test_random_packets(twins, seed):
    rng = random.Random(seed)
    frames = [f for f in (anything(rng) for _ in range(256)) if len(f) <= 9014]
    twins.compare(frames)
