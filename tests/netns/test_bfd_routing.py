# SPDX-License-Identifier: GPL-2.0-or-later
"""FRR's users of BFD see each change as if bfdd had done the work."""
import time

import pytest

import bfd_bed
import bfd_peers
import lab as lab_module
from bfd_watch import PUNCTUAL

BGP = """router bgp {asn}
 bgp router-id 192.0.2.{asn}
 no bgp ebgp-requires-policy
 no bgp network import-check
 timers bgp 60 180
 neighbor {peer} remote-as {other}
 neighbor {peer} bfd
 neighbor {peer} timers connect 1
 address-family ipv4 unicast
  network 203.0.{asn}.0/24
 exit-address-family
"""
OSPF = """interface {interface}
 ip ospf network point-to-point
 ip ospf bfd
 ip ospf hello-interval 1
 ip ospf dead-interval 60
router ospf
 ospf router-id 192.0.2.{asn}
 network 10.0.0.0/24 area 0
 network 203.0.{asn}.0/24 area 0
"""


FAR = {"bgp": "203.0.2.0/24", "ospf": "203.0.2.1/32"}  # OSPF announces a loopback as a host


def converged(frr, proto):
    routes = frr.json(f"show ip route {FAR[proto]} json").get(FAR[proto], [])
    return any(route["protocol"] == proto for route in routes)


def cut(bed):
    """Packets no longer get through, and no link goes down: the far end hears nothing either."""
    bed.router.far[0].run(
        "nft",
        "add table netdev cut; add chain netdev cut in { type filter hook ingress device h0"
        " priority 0; policy drop; }; add chain netdev cut out { type filter hook egress device h0"
        " priority 0; policy drop; }",
    )


@pytest.mark.parametrize("proto", ["bgp", "ospf"])
def test_cut_link(lab, bfd_at, frr_at, version, proto):
    """The route goes within the detection time, where the protocol alone would wait a minute."""
    bed = bfd_bed.Bed(lab)
    bed.router.ip("addr", "add", "203.0.1.1/24", "dev", "lo")
    bed.router.far[0].ip("addr", "add", "203.0.2.1/24", "dev", "lo")
    bed.router.far[0].ip("route", "del", "default")
    dut = bfd_at(bed.router, f"{proto}d", version=version)
    there = frr_at(bed.router.far[0], "bfdd", f"{proto}d", version=version, zebra=())
    lines = BGP if proto == "bgp" else OSPF
    dut.frr.configure(lines.format(asn=1, other=2, peer="10.0.0.2", interface="p0"))
    there.configure(lines.format(asn=2, other=1, peer="10.0.0.1", interface="h0"))
    lab_module.wait_until("converged", lambda: converged(dut.frr, proto), 60)
    bfd_bed.wait_up([(dut.bfdd, ["10.0.0.2"]), (bfd_peers.Bfdd(there), ["10.0.0.1"])])
    lab_module.wait_until("converged", lambda: converged(dut.frr, proto), 60)
    cut(bed)
    begin = time.monotonic()
    lab_module.wait_until("the route is gone", lambda: not converged(dut.frr, proto), 10, 0.02)
    seconds = time.monotonic() - begin
    assert seconds < 0.9 * 1.1 + 1.0 or not PUNCTUAL, f"{proto} took {seconds:.2f} s"
    bed.router.far[0].run("nft", "delete table netdev cut")
    lab_module.wait_until("back", lambda: converged(dut.frr, proto), 60)


def test_link_down_is_told_at_once(lab, bfd_at, frr_at, version):
    """No detection time for a link that says itself that it is down."""
    bed = bfd_bed.Bed(lab)
    dut = bfd_at(bed.router, version=version)
    there = bfd_peers.Bfdd(frr_at(bed.router.far[0], "bfdd", version=version, zebra=()))
    there.configure(*bfd_bed.theirs(0, "ipv4", interval_ms=1000, multiplier=5))
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=1000, multiplier=5))
    bfd_bed.wait_up([(dut.bfdd, ["10.0.0.2"]), (there, ["10.0.0.1"])])
    bed.router.ip("link", "set", "p0", "down")
    begin = time.monotonic()
    lab_module.wait_until("Down", lambda: dut.bfdd.view()["10.0.0.2"]["status"] == "down", 5, 0.01)
    assert time.monotonic() - begin < 1.0 or not PUNCTUAL
    bed.router.ip("link", "set", "p0", "up")
    bfd_bed.wait_up([(dut.bfdd, ["10.0.0.2"]), (there, ["10.0.0.1"])])
    last = dut.xdp.peer("10.0.0.2")
    assert last["flaps"] == 1
