# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever bytes come on the FPM port: a line in the log, and forwarding goes on."""
import random
import socket
import struct

import pytest

import lab as lab_module
import wire
from test_ecmp import passed_some
from test_scale import resident_kib


def fpm(payload, version=1, kind=1, length=None):
    return (
        struct.pack("!BBH", version, kind, 4 + len(payload) if length is None else length) + payload
    )


def nlmsg(kind, payload, flags=0x501, length=None, pid=4242):
    size = 16 + len(payload) if length is None else length
    padded = payload + bytes(-len(payload) % 4)
    return struct.pack("=IHHII", size, kind, flags, 0, pid) + padded


def attr(kind, payload, length=None):
    size = 4 + len(payload) if length is None else length
    return struct.pack("=HH", size, kind) + payload + bytes(-len(payload) % 4)


def route(prefix, gateway, ifindex, kind=24, length=None, table=254, pid=4242):
    net, bits = prefix.split("/")
    family = socket.AF_INET6 if ":" in net else socket.AF_INET
    head = struct.pack(
        "=BBBBBBBBI", family, int(bits) if length is None else length, 0, 0, table, 196, 0, 1, 0
    )
    body = attr(1, wire.address(net)) + attr(6, struct.pack("=I", 20))
    if kind == 24:
        body += attr(5, wire.address(gateway)) + attr(4, struct.pack("=I", ifindex))
    return fpm(nlmsg(kind, head + body, pid=pid))


GOOD = ("45.0.0.0/8", "10.0.1.2", 1)
ROUTE_HEAD = struct.pack("=BBBBBBBBI", 2, 8, 0, 0, 254, 196, 0, 1, 0)
NEST = b""
for _ in range(2000):
    NEST = attr(0x8009, NEST) if len(NEST) < 60000 else NEST

# bytes, and whether the connection must be closed for them
BAD = {
    "version 0": (fpm(b"", version=0), True),
    "version 2": (fpm(b"", version=2), True),
    "type 0": (fpm(b"", kind=0), True),
    "type 99": (fpm(b"", kind=99), True),
    "length 0": (fpm(b"", length=0), True),
    "length 3": (fpm(b"", length=3), True),
    "length 4": (fpm(b"", length=4), False),
    "length 65535": (fpm(bytes(65531)), None),
    "netlink header cut": (fpm(bytes(8)), None),
    "netlink length 0": (fpm(nlmsg(24, ROUTE_HEAD, length=0)), True),
    "netlink length 15": (fpm(nlmsg(24, ROUTE_HEAD, length=15)), True),
    "netlink length beyond": (fpm(nlmsg(24, ROUTE_HEAD, length=4000)), True),
    "attribute length 0": (fpm(nlmsg(24, ROUTE_HEAD + attr(1, b"\x2d\0\0\0", length=0))), None),
    "attribute length beyond": (fpm(nlmsg(24, ROUTE_HEAD + attr(1, b"\x2d", length=999))), None),
    "route header cut": (fpm(nlmsg(24, ROUTE_HEAD[:6])), None),
    "prefix length 33": (route(*GOOD, length=33), None),
    "prefix length 255": (route(*GOOD, length=255), None),
    "address of 3 bytes": (fpm(nlmsg(24, ROUTE_HEAD + attr(1, b"\x2d\0\0"))), None),
    "address of 16 bytes": (fpm(nlmsg(24, ROUTE_HEAD + attr(1, bytes(16)))), None),
    "family 200": (fpm(nlmsg(24, b"\xc8" + ROUTE_HEAD[1:])), None),
    "message type 9999": (fpm(nlmsg(9999, bytes(12))), False),
    "error message": (fpm(nlmsg(2, bytes(20))), False),
    "nexthop id 0": (fpm(nlmsg(104, bytes(8) + attr(1, bytes(4)))), None),
    "group of odd size": (
        fpm(nlmsg(104, bytes(8) + attr(1, b"\1\0\0\0") + attr(2, bytes(7)))),
        None,
    ),
    "group of itself": (
        fpm(nlmsg(104, bytes(8) + attr(1, b"\1\0\0\0") + attr(2, b"\1" + bytes(7)))),
        None,
    ),
    "deep nest": (fpm(nlmsg(24, ROUTE_HEAD + attr(1, b"\x2d\0\0\0") + attr(0x8009, NEST))), None),
    "empty multipath": (
        fpm(nlmsg(24, ROUTE_HEAD + attr(1, b"\x2d\0\0\0") + attr(0x8009, b""))),
        None,
    ),
    "protobuf garbage": (fpm(b"\xff" * 40, kind=2), None),
    "protobuf nothing": (fpm(b"", kind=2), None),
    "http": (b"GET / HTTP/1.0\r\n\r\n", True),
    "tls": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64), True),
}


def connect(router, port=2620):
    return router.call(lambda: socket.create_connection(("127.0.0.1", port), timeout=10))


def closed_by_peer(sock, within=5):
    sock.settimeout(within)
    try:
        return sock.recv(64) == b""
    except ConnectionResetError:
        return True
    except socket.timeout:
        return False


def index_of(router, interface):
    return int(router.ip("-o", "link", "show", interface).split(":")[0])


def good_route(router, prefix="45.0.0.0/8"):
    return route(prefix, "10.0.1.2", index_of(router, "p1"))


def frames_seen(xdp):
    return xdp.json("show", "summary")["fpm"]["frames"]


def rejects(xdp):
    return sum(xdp.json("show", "summary")["fpm"]["rejects"].values())


@pytest.fixture
def target(lab, daemon, ports):
    router = lab.bench("r", 2)
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.1.2")
    xdp = daemon(router)
    xdp.wait_offloaded("40.0.0.0/8")
    return router, xdp, ports(router)


def test_each_kind_of_nonsense(target):
    """All in one daemon's life, each on a connection of its own, with a good one after each."""
    router, xdp, taps = target
    refused = 0
    with wire.Stream(taps, "10.0.0.2", "40.0.0.1", rate=500) as stream:
        for number, (name, (data, must_close)) in enumerate(BAD.items()):
            with connect(router) as sock:
                sock.sendall(data)
                if must_close:
                    assert closed_by_peer(sock), f"{name}: still open"
                    assert rejects(xdp) > refused, f"{name}: not counted"
                refused = rejects(xdp)
            prefix = f"45.{number}.0.0/16"
            with connect(router) as sock:
                sock.sendall(good_route(router, prefix))
                xdp.wait_offloaded(prefix)
            assert xdp.running(), f"{name} ended fpm-xdp"
    stream.assert_whole()
    # The log names reason and offset; what a peer can repeat at will is not logged each time.
    assert "offset" in xdp.log.read_text()


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes(target, seed):
    router, xdp, taps = target
    rng = random.Random(seed)
    with wire.Stream(taps, "10.0.0.2", "40.0.0.1", rate=500) as stream:
        for _ in range(60):
            with connect(router) as sock:
                data = bytearray(good_route(router) * 3)
                for _ in range(rng.randrange(1, 12)):
                    data[rng.randrange(len(data))] = rng.randrange(256)
                try:
                    sock.sendall(rng.choice([bytes(data), rng.randbytes(rng.randrange(3000))]))
                except ConnectionError:
                    pass
        assert xdp.running()
    stream.assert_whole()
    with connect(router) as sock:
        sock.sendall(good_route(router, "45.99.0.0/16"))
        xdp.wait_offloaded("45.99.0.0/16")


def test_one_byte_at_a_time(target):
    router, xdp, _ = target
    with connect(router) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in good_route(router):
            sock.sendall(bytes((byte,)))
        xdp.wait_offloaded("45.0.0.0/8")


def test_a_second_zebra_waits_for_the_first_to_go(target):
    router, xdp, _ = target
    with connect(router) as first:
        first.sendall(good_route(router, "45.1.0.0/16"))
        xdp.wait_offloaded("45.1.0.0/16")
        try:
            second = connect(router)
            second.sendall(good_route(router, "45.2.0.0/16"))
        except ConnectionError:
            second = None
        first.sendall(good_route(router, "45.3.0.0/16"))
        xdp.wait_offloaded("45.3.0.0/16")
        assert xdp.route("45.2.0.0/16") is None, "the second was listened to beside the first"
    if second is None or closed_by_peer(second, 0.2):
        second = connect(router)
        second.sendall(good_route(router, "45.2.0.0/16"))
    xdp.wait_offloaded("45.2.0.0/16")
    second.close()


def test_a_lost_connection_changes_nothing(target):
    router, xdp, taps = target
    with connect(router) as sock:
        sock.sendall(good_route(router))
        xdp.wait_offloaded("45.0.0.0/8")
    lab_module.wait_until(
        "disconnected", lambda: not xdp.json("show", "summary")["fpm"]["connected"]
    )
    with wire.Stream(taps, "10.0.0.2", "45.0.0.1") as stream:
        passed_some(stream)
    stream.assert_whole()
    assert xdp.forwarded() >= stream.sent


def test_what_a_reconnected_zebra_no_longer_says_is_swept(lab, daemon):
    router = lab.bench("r", 2)
    names = [w for i in range(2) for w in ("-i", f"p{i}")]
    xdp = daemon(router, *names, "--quiet-period", "1")
    with connect(router) as sock:
        sock.sendall(good_route(router, "45.1.0.0/16") + good_route(router, "45.2.0.0/16"))
        xdp.wait_offloaded("45.1.0.0/16")
        xdp.wait_offloaded("45.2.0.0/16")
    with connect(router) as sock:
        sock.sendall(good_route(router, "45.2.0.0/16"))
        lab_module.wait_until("45.1/16 swept", lambda: xdp.route("45.1.0.0/16") is None)
        assert xdp.offloaded("45.2.0.0/16")


@pytest.mark.slow
def test_memory_stays_bounded(lab, daemon):
    """300k routes against a limit of 10k."""
    router = lab.bench("r", 2)
    names = [w for i in range(2) for w in ("-i", f"p{i}")]
    xdp = daemon(router, *names, "--max-prefixes", "10000")
    before = resident_kib(xdp.process.pid)
    index = index_of(router, "p1")
    with connect(router) as sock:
        for high in range(100, 160):
            sock.sendall(
                b"".join(
                    route(f"{high}.{n >> 8}.{n & 255}.0/24", "10.0.1.2", index) for n in range(5000)
                )
            )
        sock.sendall(route("100.0.0.0/24", "10.0.1.2", index, kind=25))
        lab_module.wait_until(
            "all read", lambda: frames_seen(xdp) >= 300_001, timeout=60, interval=0.5
        )
    assert xdp.json("show", "summary")["routes"]["refused"] >= 289_000
    assert xdp.log.read_text().count("no room for more routes") < 5
    assert resident_kib(xdp.process.pid) < before + 60 * 1024
