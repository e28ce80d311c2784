# SPDX-License-Identifier: GPL-2.0-or-later
"""Several next hops: all used, by weight, each flow on one; and changes that move no other flow."""
import struct

import pytest

import lab as lab_module
import wire
from test_routes import MODES, start, wait_connected

V4 = ("10.0.0.2", "40.0.0.1", "40.0.0.0/8", "ip route 40.0.0.0/8 10.0.{}.2")
V6 = ("2001:db8::2", "2001:db8:4000::1", "2001:db8:4000::/48", "ipv6 route {2} 2001:db8:{0}::2")


def gateways(family, members):
    return [f"10.0.{i}.2" if family == 4 else f"2001:db8:{i}::2" for i in members]


def passed_some(stream, count=300):
    """Waits until this many more packets came through; the number from which on to look."""
    begin = stream.sent
    lab_module.wait_until("traffic flows", lambda: stream.sent >= begin + count)
    return begin


def ways(stream, since, until=None):
    found = stream.port_of_flow(since, until)
    assert all(len(ports) == 1 for ports in found.values()), f"a flow took two ways: {found}"
    return {flow: ports.pop() for flow, ports in found.items()}


# One way of sending is enough for IPv6: the groups are the same code.
@pytest.mark.parametrize(
    "mode, family", [(m, 4) for m in MODES if m != "old-module"] + [("groups", 6)]
)
def test_growth_and_shrinking_lose_nothing(lab, daemon, frr_at, ports, version, mode, family):
    """2 -> 3 -> 2 next hops under traffic."""
    router = lab.bench("r", 4)
    xdp = daemon(router)
    frr = start(frr_at, router, version, mode, "staticd")
    wait_connected(xdp)
    src, dst, prefix, line = V4 if family == 4 else V6

    def route(i, no=""):
        frr.configure(no + line.format(i, None, prefix) + "\n")

    route(1)
    route(2)
    xdp.wait_offloaded(prefix, gateways(family, (1, 2)))
    lab_module.wait_until("from FPM", lambda: xdp.route(prefix)["source"] == "fpm")
    with wire.Stream(ports(router), src, dst, flows=128) as stream:
        passed_some(stream)
        two = stream.sent
        passed_some(stream)
        two_end = stream.sent
        route(3)
        xdp.wait_offloaded(prefix, gateways(family, (1, 2, 3)))
        passed_some(stream, 50)
        three = stream.sent
        passed_some(stream)
        three_end = stream.sent
        route(3, "no ")
        xdp.wait_offloaded(prefix, gateways(family, (1, 2)))
        passed_some(stream, 50)
        again = stream.sent
        passed_some(stream)
    stream.assert_whole()
    before, grown = ways(stream, two, two_end), ways(stream, three, three_end)
    after = ways(stream, again)
    assert set(before.values()) == {1, 2} and set(grown.values()) == {1, 2, 3}
    moved = [flow for flow in before if grown[flow] != before[flow]]
    assert all(grown[flow] == 3 for flow in moved), "growth moved a flow between old members"
    stayed = [flow for flow in grown if grown[flow] != 3]
    assert all(after[flow] == grown[flow] for flow in stayed), "shrinking moved a surviving flow"
    assert set(after.values()) == {1, 2}


def spread(router, daemon, ports, dst, flows=4000):
    """How many flows leave by each port."""
    taps = ports(router)
    taps.settle()
    before = daemon.forwarded()
    got = [0] * router.ports
    for number in range(flows):
        datagram = wire.udp(
            "10.0.0.2", dst, 1024 + number, 2000, struct.pack("!4sI", b"flow", number)
        )
        taps[0].send(wire.frame(wire.ipv4("10.0.0.2", dst, datagram)))
        if number % 256 == 255:
            got = [a + len(b) for a, b in zip(got, taps.drain())]
    got = [a + len(b) for a, b in zip(got, taps.settle())]
    assert sum(got) == flows and daemon.forwarded() - before == flows
    return got


def test_weights(lab, daemon, ports):
    router = lab.bench("r", 4)
    router.ip(
        *"""route add 42.0.0.0/8 nexthop via 10.0.1.2 weight 1 nexthop via 10.0.2.2 weight 3
        nexthop via 10.0.3.2 weight 6""".split()
    )
    xdp = daemon(router)
    xdp.wait_offloaded("42.0.0.0/8", gateways(4, (1, 2, 3)))
    got = spread(router, xdp, ports, "42.0.0.1")
    for port, share in ((1, 0.1), (2, 0.3), (3, 0.6)):  # of 1024 buckets
        assert abs(got[port] / 4000 - share) < 0.08, got


def test_equal_weights_share_alike(lab, daemon, ports):
    router = lab.bench("r", 4)
    router.ip(
        *"route add 42.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.2.2 nexthop via 10.0.3.2".split()
    )
    xdp = daemon(router)
    xdp.wait_offloaded("42.0.0.0/8", gateways(4, (1, 2, 3)))
    got = spread(router, xdp, ports, "42.0.0.1")
    assert min(got[1:]) > 4000 * 0.26 and max(got[1:]) < 4000 * 0.41, got


def test_all_fragments_of_a_datagram_go_one_way(lab, daemon, ports):
    router = lab.bench("r", 3)
    router.ip(*"route add 42.0.0.0/8 nexthop via 10.0.1.2 nexthop via 10.0.2.2".split())
    xdp = daemon(router)
    xdp.wait_offloaded("42.0.0.0/8", gateways(4, (1, 2)))
    taps = ports(router)
    both = set()
    for host in range(32):
        dst = f"42.0.1.{host}"
        body = wire.udp("10.0.0.2", dst, 1000 + host, 53, b"f" * 64)
        taps.settle(quiet=0.02)
        for offset, more in ((0, 1), (3, 1), (6, 0)):
            piece = body[offset * 8 : offset * 8 + 24]
            packet = wire.ipv4("10.0.0.2", dst, piece, flags=more, offset=offset, ident=host)
            taps[0].send(wire.frame(packet))
        got = [len(frames) for frames in taps.settle(quiet=0.05)]
        assert sorted(got) == [0, 0, 3], f"{dst}: {got}"
        both.add(got.index(3))
    assert both == {1, 2}


@pytest.mark.alone
def test_link_down_prunes_at_once(lab, daemon, frr_at, ports, version):
    """zebra says nothing of the members of a group when a link goes down (10.3): we look ourselves."""
    router = lab.bench("r", 4)
    xdp = daemon(router)
    # Before the connection, for 8.4: it goes back to a group that it announced live although the
    # kernel took the member out of it when the link went down, and then the two differ.
    routes = "".join(f"ip route 40.0.0.0/8 10.0.{i}.2\n" for i in (1, 2, 3))
    start(frr_at, router, version, "groups", "staticd", config=routes)
    wait_connected(xdp)
    xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1, 2, 3)))
    lab_module.wait_until("from FPM", lambda: xdp.route("40.0.0.0/8")["source"] == "fpm")
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1", flows=128) as stream:
        passed_some(stream)
        before_end = stream.sent
        router.far[2].ip("link", "set", "h2", "down")
        xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1, 3)))
        passed_some(stream, 100)
        after = stream.sent
        passed_some(stream)
        end = stream.sent
        router.far[2].ip("link", "set", "h2", "up")
        router.know_neighbours()
        xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1, 2, 3)))
    lost = stream.lost()
    assert all(before_end - 5 <= n for n in lost), "lost before the link went down"
    assert not [n for n in lost if after <= n < end], "lost long after the link went down"
    gone = [n for n in lost if n < after]
    assert len(gone) < 100, f"{len(gone)} lost at 2000 a second until the link was pruned"
    before, pruned = ways(stream, 0, before_end), ways(stream, after, end)
    assert set(pruned.values()) == {1, 3}
    assert all(pruned[flow] == way for flow, way in before.items() if way != 2)
    assert not stream.wrong


def test_next_hop_change_loses_nothing(lab, daemon, frr_at, ports, version):
    router = lab.bench("r", 3)
    xdp = daemon(router)
    frr = start(frr_at, router, version, "groups", "staticd")
    wait_connected(xdp)
    frr.configure("ip route 40.0.0.0/8 10.0.1.2 10\nip route 40.0.0.0/8 10.0.2.2 20\n")
    xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1,)))
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1") as stream:
        for into, out in ((2, 1), (1, 2)) * 3:
            passed_some(stream, 100)
            frr.configure(
                f"ip route 40.0.0.0/8 10.0.{into}.2 10\nip route 40.0.0.0/8 10.0.{out}.2 20\n"
            )
            xdp.wait_offloaded("40.0.0.0/8", gateways(4, (into,)))
        passed_some(stream, 100)
    stream.assert_whole()


def test_mac_change_of_a_gateway(lab, daemon, ports):
    router = lab.bench("r", 2)
    router.ip("route", "add", "40.0.0.0/8", "via", "10.0.1.2")
    xdp = daemon(router)
    xdp.wait_offloaded("40.0.0.0/8")
    new = "02:00:00:00:02:aa"
    hops = {1: [wire.host_mac(1), wire.mac(new)]}
    taps = ports(router)
    with wire.Stream(taps, "10.0.0.2", "40.0.0.1", next_hops=hops) as stream:
        passed_some(stream)
        router.ip(*f"neigh replace 10.0.1.2 lladdr {new} dev p1 nud permanent".split())

        def learnt():
            return xdp.route("40.0.0.0/8")["nexthops"][0].get("mac") == new

        lab_module.wait_until("the new MAC is used", learnt)
        passed_some(stream)
    stream.assert_whole()
    frame = stream.packet(0)
    taps[0].send(frame)
    assert taps.settle()[1] == [wire.forwarded(frame, 1, wire.mac(new))]
