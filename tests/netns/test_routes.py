# SPDX-License-Identifier: GPL-2.0-or-later
"""Routes of real FRR, all of its versions and all of its ways to send them: forwarded in XDP."""
import signal

import pytest

import lab as lab_module
from wire import mac, forwarded, frame, ipv4, ipv6, udp

FPM = "fpm address 127.0.0.1\n"
MODES = {
    "groups": ("dplane_fpm_nl", FPM),
    "no-groups": ("dplane_fpm_nl", FPM + "no fpm use-next-hop-groups\n"),
    "no-replace": ("dplane_fpm_nl", FPM + "no fpm use-route-replace\n"),
    "no-groups-no-replace": (
        "dplane_fpm_nl",
        FPM + "no fpm use-next-hop-groups\nno fpm use-route-replace\n",
    ),
    "old-module": ("fpm", ""),
}


def to(dst, src=None, port=0, **header):
    src = src or (f"2001:db8:{port}::2" if ":" in dst else f"10.0.{port}.2")
    make = ipv6 if ":" in dst else ipv4
    return frame(make(src, dst, udp(src, dst, payload=b"routes"), **header), port)


class Traffic:
    """Packets into p0, and what must come of them."""

    def __init__(self, daemon, ports):
        self.daemon, self.ports = daemon, ports
        self.ports.settle()

    def send(self, dst, count=1):
        self.ports.drain()
        before = self.daemon.forwarded()
        sent = [to(dst) for _ in range(count)]
        for one in sent:
            self.ports[0].send(one)
        got = [[f for f in frames if b"routes" in f] for frames in self.ports.settle()]
        return sent, got, self.daemon.forwarded() - before

    def goes(self, dst, port, next_hop=None):
        """In XDP, out of this port, as any router forwards."""
        sent, got, in_xdp = self.send(dst)
        want = [[] for _ in got]
        want[port] = [forwarded(sent[0], port, next_hop)]
        assert got == want, f"{dst}: {[[f.hex() for f in frames] for frames in got]}"
        assert in_xdp == 1, f"{dst}: forwarded by Linux, not in XDP: {self.daemon.counters()}"

    def goes_nowhere(self, dst):
        _, got, in_xdp = self.send(dst)
        own = [f for frames in got for f in frames if f[12:14] == b"\x08\x00" and f[23] != 1]
        own += [f for frames in got for f in frames if f[12:14] == b"\x86\xdd" and f[20] != 58]
        assert not own and not in_xdp, f"{dst}: {[f.hex() for f in own]}"


def start(frr_at, router, version, mode, *daemons, config="", more=()):
    module, lines = MODES[mode]
    frr = frr_at(router, *daemons, version=version, zebra=("-M", module, *more))
    frr.configure(lines + config)
    return frr


def wait_connected(daemon):
    def connected():
        return daemon.json("show", "summary")["fpm"]["connected"]

    lab_module.wait_until("zebra connects", connected)


@pytest.mark.parametrize("mode", MODES)
def test_life_of_static_routes(lab, daemon, frr_at, ports, version, mode):
    router = lab.bench("r", 3)
    xdp = daemon(router)
    frr = start(frr_at, router, version, mode, "staticd")
    wait_connected(xdp)
    traffic = Traffic(xdp, ports(router))

    frr.configure(
        """
        ip route 40.1.0.0/16 10.0.1.2
        ip route 40.2.0.0/16 10.0.2.2
        ip route 40.3.0.0/16 blackhole
        ip route 40.4.0.0/16 reject
        ip route 40.5.0.0/16 40.1.0.9
        ip route 40.6.0.0/16 p1
        ip route 40.7.0.0/16 10.0.1.77 p1 onlink
        ipv6 route 2001:db8:4001::/48 2001:db8:1::2
        ipv6 route 2001:db8:4002::/48 fe80::2 p2
        ipv6 route 2001:db8:4003::/48 blackhole
        """
    )
    router.ip(*"neigh add 40.6.0.1 lladdr 02:00:00:00:02:66 dev p1 nud permanent".split())
    router.ip(*"neigh add 10.0.1.77 lladdr 02:00:00:00:02:77 dev p1 nud permanent".split())
    for prefix in "40.1.0.0/16 40.2.0.0/16 40.3.0.0/16 40.5.0.0/16 40.6.0.0/16 40.7.0.0/16".split():
        xdp.wait_offloaded(prefix)
    for prefix in "2001:db8:4001::/48 2001:db8:4002::/48 2001:db8:4003::/48".split():
        xdp.wait_offloaded(prefix)
    lab_module.wait_until("40.1/16 from FPM", lambda: xdp.route("40.1.0.0/16")["source"] == "fpm")
    # As the kernel has it: the old module of 8.4 sends all static routes as zebra's own.
    assert xdp.route("40.1.0.0/16")["protocol"] == "static"
    traffic.goes("40.1.0.1", 1)
    traffic.goes("40.2.0.1", 2)
    traffic.goes_nowhere("40.3.0.1")
    traffic.goes_nowhere("40.4.0.1")
    traffic.goes("40.5.0.1", 1)
    traffic.goes("40.6.0.1", 1, mac("02:00:00:00:02:66"))
    traffic.goes("40.7.0.1", 1, mac("02:00:00:00:02:77"))
    traffic.goes("2001:db8:4001::1", 1)
    traffic.goes("2001:db8:4002::1", 2)
    traffic.goes_nowhere("2001:db8:4003::1")

    frr.configure(
        """
        no ip route 40.1.0.0/16 10.0.1.2
        ip route 40.1.0.0/16 10.0.2.2
        no ip route 40.3.0.0/16 blackhole
        ip route 40.3.0.0/16 10.0.1.2
        no ipv6 route 2001:db8:4001::/48 2001:db8:1::2
        ipv6 route 2001:db8:4001::/48 2001:db8:2::2
        """
    )
    xdp.wait_offloaded("40.1.0.0/16", ["10.0.2.2"])
    xdp.wait_offloaded("40.3.0.0/16", ["10.0.1.2"])
    xdp.wait_offloaded("40.5.0.0/16", ["10.0.2.2"])
    xdp.wait_offloaded("2001:db8:4001::/48", ["2001:db8:2::2"])
    traffic.goes("40.1.0.1", 2)
    traffic.goes("40.3.0.1", 1)
    traffic.goes("40.5.0.1", 2)
    traffic.goes("2001:db8:4001::1", 2)
    xdp.assert_consistent()

    frr.configure(
        """
        no ip route 40.2.0.0/16 10.0.2.2
        no ip route 40.6.0.0/16 p1
        no ipv6 route 2001:db8:4002::/48 fe80::2 p2
        """
    )
    for prefix in "40.2.0.0/16 40.6.0.0/16 2001:db8:4002::/48".split():
        lab_module.wait_until(f"{prefix} gone", lambda p=prefix: xdp.route(p) is None)
    traffic.goes_nowhere("40.2.0.1")
    traffic.goes_nowhere("2001:db8:4002::1")
    traffic.goes("40.7.0.1", 1, mac("02:00:00:00:02:77"))


BGP_PEER = """
router bgp 6500{i}
 bgp router-id 10.0.{i}.2
 no bgp ebgp-requires-policy
 no bgp network import-check
 neighbor 10.0.{i}.1 remote-as 65100
 neighbor 10.0.{i}.1 timers connect 1
 neighbor 2001:db8:{i}::1 remote-as 65100
 neighbor 2001:db8:{i}::1 timers connect 1
 address-family ipv4 unicast
  network 5{i}.0.0.0/8
  network 60.0.0.0/8
  no neighbor 2001:db8:{i}::1 activate
 exit-address-family
 address-family ipv6 unicast
  network 2001:db8:500{i}::/48
  network 2001:db8:6000::/48
  neighbor 2001:db8:{i}::1 activate
 exit-address-family
"""
BGP_ROUTER = """
router bgp 65100
 bgp router-id 10.0.0.1
 no bgp ebgp-requires-policy
 bgp bestpath as-path multipath-relax
 neighbor 10.0.1.2 remote-as 65001
 neighbor 10.0.1.2 timers connect 1
 neighbor 10.0.2.2 remote-as 65002
 neighbor 10.0.2.2 timers connect 1
 neighbor 2001:db8:1::2 remote-as 65001
 neighbor 2001:db8:1::2 timers connect 1
 neighbor 2001:db8:2::2 remote-as 65002
 neighbor 2001:db8:2::2 timers connect 1
 address-family ipv4 unicast
  no neighbor 2001:db8:1::2 activate
  no neighbor 2001:db8:2::2 activate
 exit-address-family
 address-family ipv6 unicast
  neighbor 2001:db8:1::2 activate
  neighbor 2001:db8:2::2 activate
 exit-address-family
"""


def reach(router, src, dst, count=3):
    """Echo from the host behind p0; each host owns one address of what it announces."""
    out = router.far[0].run(
        "ping", "-c", count, "-i", "0.05", "-W", "2", "-I", src, dst, check=False
    )
    assert f" {count} received" in out.stdout, out.stdout


@pytest.mark.parametrize("mode", ["groups", "no-groups"])
def test_bgp(lab, daemon, frr_at, version, mode):
    router = lab.hosts("r", 3)
    xdp = daemon(router)
    for i in (1, 2):
        router.far[i].batch(
            [f"addr add 5{i}.0.0.1/32 dev lo", f"addr add 2001:db8:500{i}::1/128 dev lo nodad"]
        )
        router.far[i].batch(["addr add 60.0.0.1/32 dev lo", "addr add 2001:db8:6000::1/128 dev lo"])
        frr_at(router.far[i], "bgpd", zebra=()).configure(BGP_PEER.format(i=i))
    start(frr_at, router, version, mode, "bgpd", config=BGP_ROUTER)
    for prefix in ("51.0.0.0/8", "52.0.0.0/8", "2001:db8:5001::/48", "2001:db8:5002::/48"):
        xdp.wait_offloaded(prefix, timeout=30)
    xdp.wait_offloaded("60.0.0.0/8", ["10.0.1.2", "10.0.2.2"])
    lab_module.wait_until("51/8 from FPM", lambda: xdp.route("51.0.0.0/8")["source"] == "fpm")
    assert xdp.route("51.0.0.0/8")["protocol"] == "bgp"
    lab_module.wait_until(
        "two ways to 2001:db8:6000::/48",
        lambda: len(xdp.route("2001:db8:6000::/48")["nexthops"]) == 2,
    )
    before = xdp.forwarded()
    reach(router, "10.0.0.2", "51.0.0.1")
    reach(router, "10.0.0.2", "52.0.0.1")
    reach(router, "10.0.0.2", "60.0.0.1")
    reach(router, "2001:db8::2", "2001:db8:5001::1")
    reach(router, "2001:db8::2", "2001:db8:5002::1")
    reach(router, "2001:db8::2", "2001:db8:6000::1")
    assert xdp.forwarded() - before >= 12, "most of 18 echo requests go in XDP (the first resolve)"


OSPF = """
interface {interface}
 ip ospf area 0
 ip ospf network point-to-point
 ip ospf hello-interval 1
 ip ospf dead-interval 4
 ipv6 ospf6 area 0
 ipv6 ospf6 network point-to-point
 ipv6 ospf6 hello-interval 1
 ipv6 ospf6 dead-interval 4
exit
"""
OSPF_ROUTER = """
router ospf
 ospf router-id 10.0.{i}.{host}
 timers throttle spf 0 50 200
 {what}
exit
router ospf6
 ospf6 router-id 10.0.{i}.{host}
 timers throttle spf 0 50 200
 {what}
exit
"""


def test_ospf(lab, daemon, frr_at, version):
    router = lab.hosts("r", 2)
    xdp = daemon(router)
    far = router.far[1]
    far.batch(["addr add 53.0.0.1/8 dev lo", "addr add 2001:db8:5300::1/64 dev lo nodad"])
    peer = frr_at(far, "ospfd", "ospf6d", zebra=())
    peer.configure(
        OSPF.format(interface="h1") + OSPF_ROUTER.format(i=1, host=2, what="redistribute connected")
    )
    start(
        frr_at,
        router,
        version,
        "groups",
        "ospfd",
        "ospf6d",
        config=OSPF.format(interface="p1") + OSPF_ROUTER.format(i=1, host=1, what=""),
    )
    xdp.wait_offloaded("53.0.0.0/8", ["10.0.1.2"], timeout=40)
    xdp.wait_offloaded("2001:db8:5300::/64", ["fe80::21"], timeout=40)
    lab_module.wait_until("53/8 from FPM", lambda: xdp.route("53.0.0.0/8")["source"] == "fpm")
    assert xdp.route("53.0.0.0/8")["protocol"] == "ospf"
    before = xdp.forwarded()
    reach(router, "10.0.0.2", "53.0.0.1", 5)
    reach(router, "2001:db8::2", "2001:db8:5300::1", 5)
    assert xdp.forwarded() - before >= 6


@pytest.mark.parametrize("mode", ["groups", "no-groups"])
def test_bgp_ipv4_over_ipv6(lab, daemon, frr_at, version, mode):
    """RFC 8950: an IPv4 prefix whose next hop is IPv6; before FRR 10.6 it shows as 169.254.0.1."""
    router = lab.hosts("r", 2)
    xdp = daemon(router)
    far = router.far[1]
    far.batch(["addr add 54.0.0.1/32 dev lo"])
    both_ways = """
router bgp {own}
 bgp router-id 10.0.1.{host}
 no bgp ebgp-requires-policy
 no bgp network import-check
 neighbor 2001:db8:1::{other} remote-as {peer}
 neighbor 2001:db8:1::{other} timers connect 1
 neighbor 2001:db8:1::{other} capability extended-nexthop
 address-family ipv4 unicast
  {what}
  neighbor 2001:db8:1::{other} activate
 exit-address-family
"""
    frr_at(far, "bgpd", zebra=()).configure(
        both_ways.format(own=65001, peer=65100, host=2, other=1, what="network 54.0.0.0/8")
    )
    config = both_ways.format(own=65100, peer=65001, host=1, other=2, what="")
    start(frr_at, router, version, mode, "bgpd", config=config)
    xdp.wait_offloaded("54.0.0.0/8", timeout=30)
    before = xdp.forwarded()
    reach(router, "10.0.0.2", "54.0.0.1", 5)
    assert xdp.forwarded() - before >= 4


def test_what_the_kernel_does_not_have_is_not_forwarded(lab, daemon, frr_at, ports, version):
    """zebra's table and the kernel's may differ; the kernel's is the oracle."""
    router = lab.bench("r", 3)
    xdp = daemon(router)
    frr = start(frr_at, router, version, "groups", "staticd")
    wait_connected(xdp)
    frr.configure("ip route 41.0.0.0/8 10.0.1.2\n")
    xdp.wait_offloaded("41.0.0.0/8")
    traffic = Traffic(xdp, ports(router))
    traffic.goes("41.0.0.1", 1)
    # zebra puts its route back sooner or later; it must not while we look.
    frr.processes["zebra"].send_signal(signal.SIGSTOP)
    try:
        router.ip("route", "del", "41.0.0.0/8")
        lab_module.wait_until("not forwarded", lambda: not xdp.offloaded("41.0.0.0/8"))
        traffic.goes_nowhere("41.0.0.1")
    finally:
        frr.processes["zebra"].send_signal(signal.SIGCONT)


def test_a_better_route_of_another_program_wins(lab, daemon, frr_at, ports, version):
    router = lab.bench("r", 3)
    xdp = daemon(router)
    frr = start(frr_at, router, version, "groups", "staticd")
    wait_connected(xdp)
    frr.configure("ip route 41.0.0.0/8 10.0.1.2\n")
    xdp.wait_offloaded("41.0.0.0/8", ["10.0.1.2"])
    router.ip(*"route add 41.0.0.0/8 via 10.0.2.2 proto boot metric 5".split())
    xdp.wait_offloaded("41.0.0.0/8", ["10.0.2.2"])
    traffic = Traffic(xdp, ports(router))
    traffic.goes("41.0.0.1", 2)
    router.ip(*"route del 41.0.0.0/8 via 10.0.2.2 proto boot metric 5".split())
    xdp.wait_offloaded("41.0.0.0/8", ["10.0.1.2"])
    traffic.goes("41.0.0.1", 1)
