# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's routing changed in ways that it does not tell, or tells in words that fit two routes, on
a router with fpm-xdp and on a twin without: both must do alike, at once and after the
resynchronisation.
"""
import os
import struct

import pytest

import lab as lab_module
import wire
import xdp
from lab import wait_until
from test_packets import ROUTES, u4, u6
from twin import Twins

D4, D6 = "30.1.1.1", "2001:db8:9000::1"


@pytest.fixture
def twins(xdp_pass, tmp_path):
    made = lab_module.Lab(f"{os.getpid()}-changes", xdp_pass)

    def start(router):
        daemon = made.owns(xdp.FpmXdp(router, f"changes{os.getpid()}", tmp_path))
        return daemon.start("-i", "p0", "-i", "p1", "-i", "p2")

    try:
        pair = Twins(made, start, routes=ROUTES)
        pair.daemon.assert_consistent()
        yield pair
        pair.daemon.assert_consistent()
    finally:
        made.close()


def shell(twins, *commands):
    """Each command line at both, all of one router in one go, so that nothing happens in between."""
    for router in (twins.router, twins.twin):
        router.run("sh", "-ec", "\n".join(commands))


def settle(twins):
    wait_until("in step", lambda: twins.daemon.json("show", "summary")["kernel"]["synced"])
    twins.daemon.assert_consistent()


def test_one_of_two_routes_that_look_alike_goes(twins):
    """They differ in the preferred source, of which no packet that is forwarded knows."""
    shell(
        twins,
        "ip addr add 10.0.1.9/24 dev p1",
        "ip route add 30.0.0.0/8 via 10.0.1.2",
        "ip route add 30.1.0.0/16 via 10.0.2.2 src 10.0.1.1",
        "ip route append 30.1.0.0/16 via 10.0.2.2 src 10.0.1.9",
    )
    settle(twins)
    shell(twins, "ip route del 30.1.0.0/16 src 10.0.1.1")
    assert len(twins.compare([u4(D4)])[2]) == 1
    settle(twins)
    assert len(twins.compare([u4(D4)])[2]) == 1


def test_ipv6_routes_of_one_metric_that_are_no_multipath_route(twins):
    shell(
        twins,
        "ip nexthop add id 1 via 2001:db8:1::2 dev p1",
        "ip nexthop add id 2 via 2001:db8:2::2 dev p2",
        "ip -6 route add 2001:db8:9000::/48 nhid 1",
        "ip -6 route append 2001:db8:9000::/48 nhid 2",
    )
    twins.compare([u6(D6)])
    settle(twins)
    twins.compare([u6(D6)])
    shell(twins, "ip nexthop del id 1")
    twins.compare([u6(D6)])
    settle(twins)
    twins.compare([u6(D6)], forwarded=1)


@pytest.mark.parametrize("again", ["ip nexthop add id 1 via 10.0.2.2 dev p2", ""])
def test_a_nexthop_object_takes_its_routes_along(twins, again):
    shell(
        twins,
        "ip nexthop add id 1 via 10.0.1.2 dev p1",
        "ip route add 30.0.0.0/8 nhid 1",
        "ip route add 30.1.0.0/16 nhid 1 mtu 1400",
    )
    twins.daemon.wait_offloaded("30.1.0.0/16")
    twins.compare([u4(D4), u4("30.2.2.2")], forwarded=2)
    shell(twins, "ip nexthop del id 1", again)
    twins.compare([u4(D4), u4("30.2.2.2")], forwarded=0)
    settle(twins)
    twins.compare([u4(D4), u4("30.2.2.2")], forwarded=0, passed={"no-route": 2})


def test_an_ipv6_route_expires(twins):
    """Lookups pass over it at once; it goes, and this is told, with the next garbage collection."""
    shell(
        twins,
        "ip -6 route add 2001:db8:9000::/40 via 2001:db8:1::2",
        "ip -6 route add 2001:db8:9000::/48 via 2001:db8:2::2 expires 1",
    )
    settle(twins)
    assert len(twins.compare([u6(D6)])[2]) == 1

    def expired():
        return "dev p1" in twins.twin.ip("-6", "route", "get", D6)

    wait_until("the route to expire", expired)
    assert len(twins.compare([u6(D6)])[1]) == 1


def advertisement(port, preference):
    body = struct.pack("!BBHBBHII", 134, 0, 0, 64, preference << 3, 1800, 0, 0)
    pseudo = wire.address("fe80::2") + wire.address("ff02::1")
    checksum = wire.csum(pseudo + struct.pack("!IHBB", len(body), 0, 0, 58) + body)
    body = body[:2] + struct.pack("!H", checksum) + body[4:]
    packet = wire.ipv6("fe80::2", "ff02::1", body, proto=58, hops=255)
    return wire.frame(packet, port, dst=wire.mac("33:33:00:00:00:01"))


@pytest.mark.parametrize("order", [((2, 1), (1, 0)), ((1, 0), (2, 0)), ((2, 0), (1, 3))])
def test_default_routers_that_advertise_themselves(twins, order):
    """Linux prefers one by preference, or the first: never both."""
    shell(twins, *(f"sysctl -qw net.ipv6.conf.p{i}.accept_ra=2" for i in (1, 2)))
    for port, preference in order:
        for ports in (twins.a, twins.b):
            ports[port].send(advertisement(port, preference))
        for router in (twins.router, twins.twin):
            wait_until(
                "the default route",
                lambda: f"dev p{port} proto ra" in router.ip("-6", "route", "show", "default"),
            )
    twins.compare([u6("2001:db9::1")])
    settle(twins)
    twins.compare([u6("2001:db9::1")])


NEIGHBOUR = "ip neigh replace 10.0.1.2 lladdr 02:00:00:00:02:01 dev p1 nud permanent"


@pytest.mark.parametrize(
    "change",
    [
        ["ip link set p1 down", "ip link set p1 up"],
        ["ip addr del 10.0.1.1/24 dev p1", "ip addr add 10.0.1.1/24 brd + dev p1"],
    ],
    ids=["link down and up", "last address gone and back"],
)
def test_routes_that_go_with_what_they_stand_on(twins, change):
    """Linux drops them without a word: that everything else is there again does not bring them back."""
    shell(twins, "ip route add 30.0.0.0/8 via 10.0.1.2")
    twins.daemon.wait_offloaded("30.0.0.0/8")
    twins.compare([u4(D4)], forwarded=1)
    shell(twins, *change, NEIGHBOUR)
    twins.compare([u4(D4)], forwarded=0)
    settle(twins)
    twins.compare([u4(D4)], forwarded=0, passed={"no-route": 1})
    shell(twins, "ip route add 30.0.0.0/8 via 10.0.1.2")
    twins.daemon.wait_offloaded("30.0.0.0/8")
    twins.compare([u4(D4)], forwarded=1)
