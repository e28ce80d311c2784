# SPDX-License-Identifier: GPL-2.0-or-later
"""Every kind of session, with bfdd and with BIRD at the other end, judged from there."""
import time

import pytest

import bfd_bed
import bfd_packet
import bfd_peers
import lab as lab_module
from bfd_bed import DIRECT, MULTIHOP, addresses

KINDS = DIRECT + MULTIHOP


def bfdd_at(frr_at, namespace, version, lines):
    frr = frr_at(namespace, "bfdd", version=version, zebra=())
    made = bfd_peers.Bfdd(frr)
    made.configure(*lines)
    return made


def other_ends(bed, frr_at, logs, version, interval_ms):
    """bfdd behind port 0 and BIRD behind port 1, each as neighbour and over a middle router."""
    made = []
    for i in (0, 1):
        for namespace, kinds in ((bed.router.far[i], DIRECT), (bed.behind(i), MULTIHOP)):
            here = [addresses(i, k)[0] for k in kinds]
            if i == 0:
                lines = [
                    line for k in kinds for line in bfd_bed.theirs(i, k, interval_ms=interval_ms)
                ]
                end = bfdd_at(frr_at, namespace, version, lines)
            else:
                neighbours = [bfd_bed.bird_neighbour(i, k) for k in kinds]
                end = bed.lab.owns(bfd_peers.Bird(namespace, logs, neighbours, interval_ms))
            made.append((end, here))
    return made


def steady(bed, dut, sessions, least=20):
    """(reflected, sent by the daemon) by all sessions while that many packets each come by."""

    def sums():
        by = [p["sent-by"] for p in dut.xdp.peers()]
        return sum(b["reflector"] for b in by), sum(b["daemon"] for b in by)

    before, since = sums(), time.time()

    def enough():
        flows = [f for w in bed.watches for f in w.flows(since=since).values()]
        return len(flows) == sessions and min(map(len, flows)) >= least

    lab_module.wait_until("packets of every session", enough, 30)
    return [b - a for a, b in zip(before, sums())]


@pytest.mark.parametrize("mode", ["xdp", "sockets"])
def test_every_kind(lab, bfd_at, frr_at, logs, version, mode):
    """Single hop IPv4 (no interface, no local address given), IPv6, link-local; over a router."""
    if mode == "sockets" and version != "8.4":
        pytest.skip("what FRR says is the same: once is enough")
    bed = bfd_bed.Bed(lab, ports=2)
    dut = bfd_at(bed.router, version=version, options=["--no-xdp"] if mode == "sockets" else [])
    ends = other_ends(bed, frr_at, logs, version, 100)
    lines = [line for i in (0, 1) for k in KINDS for line in bfd_bed.ours(i, k, interval_ms=100)]
    dut.bfdd.configure(*lines)
    peers = [addresses(i, k)[1] for i in (0, 1) for k in KINDS]
    bfd_bed.wait_up([(dut.bfdd, peers)] + ends)
    reflected, by_daemon = steady(bed, dut, len(peers))
    for watch in bed.watches:
        for flow in watch.flows().values():
            flow.assert_fine(least=20)
        assert not watch.unreachable
    for i in (0, 1):
        for kind in KINDS:
            local, peer = addresses(i, kind)
            there = ends[0 if kind in DIRECT else 1][0] if i == 0 else None
            bfd_bed.assert_agree(dut, local, peer, there)
    if mode == "sockets":
        assert reflected == 0 and by_daemon > 0
    else:
        assert by_daemon < reflected / 2, f"{by_daemon} by the daemon, {reflected} reflected"


ECHO_LINES = ["echo-mode", "echo transmit-interval 50", "echo receive-interval 50"]


@pytest.mark.parametrize("kind", ["ipv4", "ipv6"])
def test_echo(lab, bfd_at, frr_at, version, kind):
    """Each end sends echo packets, which the other returns: RFC 5880 6.8.9. bfdd leaves those of
    IPv4 to its kernel's forwarding."""
    bed = bfd_bed.Bed(lab)
    bed.router.far[0].sysctl(ipv4__ip_forward=1, ipv4__conf__all__rp_filter=0)
    dut = bfd_at(bed.router, version=version)
    there = bfdd_at(
        frr_at,
        bed.router.far[0],
        version,
        bfd_bed.theirs(0, kind, interval_ms=200, lines=ECHO_LINES),
    )
    dut.bfdd.configure(*bfd_bed.ours(0, kind, interval_ms=200, lines=ECHO_LINES))
    local, peer = addresses(0, kind)
    bfd_bed.wait_up([(dut.bfdd, [peer]), (there, [local])])

    def both_ways():
        counts = [e.counters(a) for e, a in ((dut.bfdd, peer), (there, local))]
        return all(c["echo-packet-input"] > 20 and c["echo-packet-output"] > 20 for c in counts)

    lab_module.wait_until("echo packets in and out, at both ends", both_ways)
    since = time.time()
    lab_module.wait_until("echo packets by the wire", lambda: len(bed.watch.echo(since)) > 100)
    ours = [p for p in bed.watch.echo(since) if not p.outgoing and p.ttl == 255]
    gaps = [b.time - a.time for a, b in zip(ours, ours[1:])]
    assert min(gaps) > 0.75 * 0.05 - 0.001, f"echo packets {min(gaps) * 1e3:.2f} ms apart"
    bed.watch.flow(local, peer).assert_fine(least=5)
    bfd_bed.assert_agree(dut, local, peer, there)


def test_echo_not_wanted(lab, bfd_at, logs):
    """BIRD's Required Min Echo RX is 0: none is sent."""
    bed = bfd_bed.Bed(lab)
    dut = bfd_at(bed.router)
    bird = lab.owns(
        bfd_peers.Bird(bed.router.far[0], logs, [bfd_bed.bird_neighbour(0, "ipv4")], 100)
    )
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=100, lines=ECHO_LINES))
    local, peer = addresses(0, "ipv4")
    bfd_bed.wait_up([(dut.bfdd, [peer]), (bird, [local])])
    lab_module.wait_until("packets", lambda: len(bed.watch.control(local, peer)) > 20)
    assert not bed.watch.echo()
    last = bed.watch.last(local, peer).control
    assert last.state == bfd_packet.UP and last.min_echo_rx == 50000
