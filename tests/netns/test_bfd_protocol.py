# SPDX-License-Identifier: GPL-2.0-or-later
"""What changes while a session lives, as its far end sees it: intervals, multiplier, AdminDown."""
import signal
import time

import bfd_bed
import bfd_packet
import bfd_peers
import lab as lab_module
from bfd_bed import addresses
from bfd_packet import ADMIN_DOWN, DOWN, FINAL, POLL, UP
from bfd_watch import PUNCTUAL

LOCAL, PEER = addresses(0, "ipv4")


def with_bird(lab, bfd_at, logs, interval_ms=100, version="8.4", **options):
    bed = bfd_bed.Bed(lab)
    dut = bfd_at(bed.router, version=version, **options)
    neighbours = [bfd_bed.bird_neighbour(0, "ipv4")]
    bird = lab.owns(bfd_peers.Bird(bed.router.far[0], logs, neighbours, interval_ms))
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=interval_ms))
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])
    return bed, dut, bird


def with_bfdd(lab, bfd_at, frr_at, version="8.4", lines=(), interval_ms=100):
    bed = bfd_bed.Bed(lab)
    dut = bfd_at(bed.router, version=version)
    there = bfd_peers.Bfdd(frr_at(bed.router.far[0], "bfdd", version=version, zebra=()))
    there.configure(*bfd_bed.theirs(0, "ipv4", interval_ms=interval_ms, lines=lines))
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=interval_ms))
    return bed, dut, there


def new_pace(bed, interval_ms, least=15):
    """Waits until that many packets in a row keep the new pace; gives when the first was."""
    low, high = 0.75 * interval_ms / 1e3 - 0.001, interval_ms / 1e3 + 0.03

    def paced():
        times = [p.time for p in bed.watch.control(LOCAL, PEER) if not p.control.bits & FINAL]
        last = times[-least:]
        gaps = [b - a for a, b in zip(last, last[1:])]
        return last[0] if len(gaps) == least - 1 and all(low < g < high for g in gaps) else 0

    return lab_module.wait_until(f"a packet every {interval_ms} ms", paced, 30)


def polls(watch, src, dst, since):
    """(packets with P of src, with F of dst)"""
    bits = [p.control.bits for p in watch.control(src, dst, since)]
    answers = [p.control.bits for p in watch.control(dst, src, since)]
    return sum(bool(b & POLL) for b in bits), sum(bool(b & FINAL) for b in answers)


def test_intervals_change(lab, bfd_at, logs, version):
    """Slower and faster, begun at either end; each by a Poll Sequence: RFC 5880 6.8.3."""
    bed, dut, bird = with_bird(lab, bfd_at, logs, version=version)
    new_pace(bed, 100)
    for ours_ms, theirs_ms in ((200, 100), (50, 100), (50, 150), (50, 50)):
        since = time.time()
        before = bed.watch.last(LOCAL, PEER).control
        if before.min_tx != ours_ms * 1000:
            dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=ours_ms))
            asks = lambda: polls(bed.watch, LOCAL, PEER, since)
        else:
            bird.set(theirs_ms, 3)
            asks = lambda: polls(bed.watch, PEER, LOCAL, since)
        new_pace(bed, max(ours_ms, theirs_ms))
        polled, answered = asks()
        assert polled and answered, f"{ours_ms}/{theirs_ms}: P {polled} times, F {answered}"
    shown = dut.bfdd.view()[PEER]
    assert shown["remote-transmit-interval"] == 50
    assert dut.xdp.peer(PEER)["flaps"] == 0
    bed.watch.flow(LOCAL, PEER).assert_fine(least=60)


def test_multiplier_changes(lab, bfd_at, logs):
    bed, dut, bird = with_bird(lab, bfd_at, logs)
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=100, multiplier=7))
    lab_module.wait_until(
        "multiplier 7 on the wire", lambda: bed.watch.last(LOCAL, PEER).control.mult == 7
    )
    bird.set(100, 9)
    lab_module.wait_until(
        "multiplier 9 shown", lambda: dut.bfdd.view()[PEER]["remote-detect-multiplier"] == 9
    )
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=100, multiplier=1 + 1))
    lab_module.wait_until(
        "multiplier 2 on the wire", lambda: bed.watch.last(LOCAL, PEER).control.mult == 2
    )
    assert up_still(dut, bird)
    bed.watch.flow(LOCAL, PEER).assert_fine()


def up_still(dut, bird):
    return bfd_bed.up(dut.bfdd, [PEER]) and bfd_bed.up(bird, [LOCAL])


def test_detection_after_silence(lab, bfd_at, logs, version):
    """The peer falls silent: Down within the detection time, by its clock; then Up again."""
    bed, dut, bird = with_bird(lab, bfd_at, logs, version=version)
    bird.process.send_signal(signal.SIGSTOP)
    try:
        lab_module.wait_until(
            "Down at bfdd", lambda: dut.bfdd.view()[PEER]["status"] == "down", interval=0.01
        )
        lab_module.wait_until(
            "Down on the wire", lambda: bed.watch.last(LOCAL, PEER).control.state == DOWN
        )
    finally:
        bird.process.send_signal(signal.SIGCONT)
    silent = bed.watch.last(PEER, LOCAL).time
    down = next(p for p in bed.watch.control(LOCAL, PEER, silent) if p.control.state == DOWN)
    took = down.time - silent
    assert 0.25 < took and (took < 0.3 * 1.1 + 0.03 or not PUNCTUAL), f"after {took:.3f} s"
    assert down.control.diag == 1, "control detection time expired"
    later = bed.watch.control(LOCAL, PEER, down.time)
    assert any(p.control.your_disc == 0 for p in later)  # RFC 5880 6.8.1
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])
    assert dut.xdp.peer(PEER)["flaps"] == 1


def test_admin_down_here(lab, bfd_at, frr_at):
    bed, dut, there = with_bfdd(lab, bfd_at, frr_at)
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (there, [LOCAL])])
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=100, lines=["shutdown"]))
    lab_module.wait_until("the peer sees it", lambda: there.view()[LOCAL]["status"] == "down")
    last = bed.watch.last(LOCAL, PEER).control
    assert (last.state, last.diag) == (ADMIN_DOWN, 7)
    assert dut.bfdd.view()[PEER]["status"] == dut.xdp.peer(PEER)["status"] == "shutdown"
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=100, lines=["no shutdown"]))
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (there, [LOCAL])])
    bfd_bed.assert_agree(dut, LOCAL, PEER, there)


def test_admin_down_there(lab, bfd_at, frr_at, version):
    bed, dut, there = with_bfdd(lab, bfd_at, frr_at, version)
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (there, [LOCAL])])
    there.configure(*bfd_bed.theirs(0, "ipv4", interval_ms=100, lines=["shutdown"]))
    lab_module.wait_until(
        "no more Up here", lambda: dut.bfdd.view()[PEER]["status"] in ("down", "shutdown")
    )
    last = bed.watch.last(LOCAL, PEER).control
    assert (last.state, last.diag) == (DOWN, 3)  # RFC 5880 6.8.6: neighbor signaled session down
    there.configure(*bfd_bed.theirs(0, "ipv4", interval_ms=100, lines=["no shutdown"]))
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (there, [LOCAL])])
    bed.watch.flow(LOCAL, PEER).assert_fine()


def test_passive(lab, bfd_at, frr_at):
    """Nothing is said before the peer speaks: RFC 5880 6.1."""
    bed = bfd_bed.Bed(lab)
    dut = bfd_at(bed.router)
    there = bfd_peers.Bfdd(frr_at(bed.router.far[0], "bfdd", zebra=()))
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=100, lines=["passive-mode"]))
    lab_module.wait_until("frr-xdp knows of it", lambda: dut.xdp.peer(PEER))
    since = time.time() + 0.2  # bfdd hands it over before it reads that line
    lab_module.wait_until("an active one would have spoken", after(2.5))
    assert not bed.watch.control(LOCAL, PEER, since)
    there.configure(*bfd_bed.theirs(0, "ipv4", interval_ms=100))
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (there, [LOCAL])])
    bed.watch.flow(LOCAL, PEER, since).assert_fine()


def after(seconds):
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def test_counters_in_a_loop(lab, bfd_at, frr_at, logs, version):
    """bfdd of FRR 8.4 to 10.7 drops the connection after some 100 answers unless helped."""
    bed, dut, bird = with_bird(lab, bfd_at, logs, version=version)
    fifty = [f"show bfd peer {PEER} counters json"] * 50
    for _ in range(10):
        text = dut.frr.vtysh(*fifty)
        assert text.count('"control-packet-input"') == 50
    assert up_still(dut, bird)
    assert dut.xdp.peer(PEER)["flaps"] == 0
    assert dut.bfdd.counters(PEER)["session-down"] == 0
