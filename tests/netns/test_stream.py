# SPDX-License-Identifier: GPL-2.0-or-later
"""What a stream of FPM may say and Debian's zebra seldom or never does: the sender is made by hand.

Such a sender is no zebra of this kernel, so its routes are forwarded without asking the kernel's own.
"""
import sys

import pytest

import lab as lab_module
import wire
from test_ecmp import gateways, spread

sys.path.insert(0, str(lab_module.TOOLS))
import fpm_send  # noqa: E402


class Sender:
    """fpm_send.FpmSender inside a router's namespace."""

    def __init__(self, router, form="netlink"):
        self.router = router
        self.inner = fpm_send.FpmSender(form=form)

    def send(self, *lines):
        for line in lines:
            self.router.call(lambda one=line: self.inner.send(one))

    def close(self):
        self.inner.close()


@pytest.fixture
def target(lab, daemon):
    router = lab.bench("r", 4)
    return router, daemon(router)


@pytest.fixture
def sender(lab, target):
    router, _ = target
    return lab.owns(Sender(router))


@pytest.fixture
def crosses(target, ports):
    """crosses(dst): the ports by which a few flows to dst left, all of them in XDP."""
    router, xdp = target
    taps = ports(router)
    taps.settle()

    def send(dst, count=32):
        src = "2001:db8::2" if ":" in dst else "10.0.0.2"
        make = wire.ipv6 if ":" in dst else wire.ipv4
        before = xdp.forwarded()
        frames = [
            wire.frame(make(src, dst, wire.udp(src, dst, 1000 + n, 9, b"stream")))
            for n in range(count)
        ]
        for frame in frames:
            taps[0].send(frame)
        got = taps.settle()
        for i, out in enumerate(got):
            assert all(f in [wire.forwarded(x, i) for x in frames] for f in out)
        assert sum(map(len, got)) == count == xdp.forwarded() - before
        return {i for i, out in enumerate(got) if out}

    return send


@pytest.mark.parametrize("form", ["netlink", "old", "protobuf"])
def test_forms_and_families(lab, target, crosses, form):
    router, xdp = target
    sender = lab.owns(Sender(router, form))
    sender.send(
        "route add 40.0.0.0/8 nexthop via 10.0.1.2 dev p1",
        "route add 2001:db8:4000::/48 nexthop via 2001:db8:2::2 dev p2",
        "route add 41.0.0.0/8 nexthop via 10.0.1.2 dev p1 nexthop via 10.0.2.2 dev p2",
        "route add 42.0.0.0/8 blackhole",
        "route add 2001:db8:4100::/48 nexthop via fe80::2 dev p3",
    )
    for prefix in "40.0.0.0/8 2001:db8:4000::/48 41.0.0.0/8 2001:db8:4100::/48".split():
        xdp.wait_offloaded(prefix)
    assert crosses("40.0.0.1") == {1}
    assert crosses("2001:db8:4000::1") == {2}
    assert crosses("2001:db8:4100::1") == {3}
    assert crosses("41.0.0.1") == {1, 2}
    sender.send("route add 40.0.0.0/8 nexthop via 10.0.3.2 dev p3", "route del 41.0.0.0/8")
    xdp.wait_offloaded("40.0.0.0/8", ["10.0.3.2"])
    lab_module.wait_until("41/8 gone", lambda: xdp.route("41.0.0.0/8") is None)
    assert crosses("40.0.0.1") == {3}


def test_weights_of_a_group(target, sender, ports):
    router, xdp = target
    sender.send(
        "nh add 31 nexthop via 10.0.1.2 dev p1",
        "nh add 32 nexthop via 10.0.2.2 dev p2",
        "nh add 33 group 31*1 32*4",
        "route add 40.0.0.0/8 nhid 33",
    )
    xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1, 2)))
    got = spread(router, xdp, ports, "40.0.0.1")
    assert abs(got[1] / 4000 - 0.2) < 0.08, got


def test_16_bit_weights(target, sender, ports):
    router, xdp = target
    sender.send(
        "nh add 31 nexthop via 10.0.1.2 dev p1",
        "nh add 32 nexthop via 10.0.2.2 dev p2",
        "nh add 33 group 31*1000 32*3000",
        "route add 40.0.0.0/8 nhid 33",
    )
    xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1, 2)))
    got = spread(router, xdp, ports, "40.0.0.1")
    assert abs(got[1] / 4000 - 0.25) < 0.08, got


def test_a_route_before_its_nexthop(target, sender, crosses):
    _, xdp = target
    sender.send("route add 40.0.0.0/8 nhid 31", "route add 41.0.0.0/8 nexthop via 10.0.2.2 dev p2")
    xdp.wait_offloaded("41.0.0.0/8")
    assert xdp.route("40.0.0.0/8")["state"] == "pending"
    sender.send("nh add 31 nexthop via 10.0.1.2 dev p1")
    xdp.wait_offloaded("40.0.0.0/8")
    assert crosses("40.0.0.1") == {1}


def test_a_group_before_its_members(target, sender, crosses):
    _, xdp = target
    sender.send(
        "route add 40.0.0.0/8 nhid 33",
        "nh add 33 group 31*1 32*1",
        "nh add 32 nexthop via 10.0.2.2 dev p2",
        "nh add 31 nexthop via 10.0.1.2 dev p1",
    )
    xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1, 2)))
    assert crosses("40.0.0.1", 64) == {1, 2}


def test_an_id_that_changes_kind(target, sender, crosses):
    _, xdp = target
    sender.send(
        "nh add 31 nexthop via 10.0.1.2 dev p1",
        "nh add 32 nexthop via 10.0.2.2 dev p2",
        "nh add 33 nexthop via 10.0.3.2 dev p3",
        "route add 40.0.0.0/8 nhid 33",
    )
    xdp.wait_offloaded("40.0.0.0/8", ["10.0.3.2"])
    sender.send("nh add 33 group 31*1 32*1")
    xdp.wait_offloaded("40.0.0.0/8", gateways(4, (1, 2)))
    assert crosses("40.0.0.1", 64) == {1, 2}
    sender.send("nh add 33 nexthop via 10.0.3.2 dev p3")
    xdp.wait_offloaded("40.0.0.0/8", ["10.0.3.2"])
    assert crosses("40.0.0.1") == {3}
    sender.send("nh add 33 blackhole")
    lab_module.wait_until("no way", lambda: not xdp.offloaded("40.0.0.0/8", ["10.0.3.2"]))


def test_a_frame_of_two_messages_is_one_change(target, sender, ports):
    router, xdp = target
    sender.send("route add 40.0.0.0/8 nexthop via 10.0.1.2 dev p1")
    xdp.wait_offloaded("40.0.0.0/8")
    with wire.Stream(ports(router), "10.0.0.2", "40.0.0.1") as stream:
        for number in range(200):
            way = 1 + number % 2
            sender.send(
                f"route del 40.0.0.0/8 ; route add 40.0.0.0/8 nexthop via 10.0.{way}.2 dev p{way}"
            )
        sender.send("route add 41.0.0.0/8 nexthop via 10.0.2.2 dev p2")
        xdp.wait_offloaded("41.0.0.0/8")
    stream.assert_whole()


@pytest.mark.parametrize("encap", ["mpls", "srv6", "vxlan"])
def test_what_we_do_not_do_is_trapped(target, sender, encap):
    _, xdp = target
    sender.send(
        f"route add 40.0.0.0/8 nexthop via 10.0.1.2 dev p1 encap {encap}",
        "route add 41.0.0.0/8 nexthop via 10.0.2.2 dev p2",
        "skip mpls",
        "skip evpn-mac",
    )
    xdp.wait_offloaded("41.0.0.0/8")
    assert xdp.route("40.0.0.0/8")["state"] == "trapped"
    ignored = xdp.json("show", "summary")["fpm"]["ignored"]
    assert sum(ignored.values()) == 2, ignored


def test_the_link_of_a_route_that_comes_later(target, sender, crosses):
    """An interface index that no link has yet, and a link that goes and comes."""
    router, xdp = target
    sender.send("route add 40.0.0.0/8 nexthop via 10.0.1.2 dev p1")
    xdp.wait_offloaded("40.0.0.0/8")
    router.ip("link", "set", "p1", "down")
    lab_module.wait_until("no way left", lambda: not xdp.offloaded("40.0.0.0/8", ["10.0.1.2"]))
    router.ip("link", "set", "p1", "up")
    router.know_neighbours()
    xdp.wait_offloaded("40.0.0.0/8", ["10.0.1.2"])
    assert crosses("40.0.0.1") == {1}


def test_vectors_of_real_zebras(target, sender):
    """Captured streams, with other machines' interfaces: nothing breaks."""
    _, xdp = target
    for vector in sorted((lab_module.TOP / "tests/vectors").glob("zebra*.txt")):
        sender.send(f"vector {vector}")
    sender.send("route add 40.0.0.0/8 nexthop via 10.0.1.2 dev p1")
    xdp.wait_offloaded("40.0.0.0/8")
