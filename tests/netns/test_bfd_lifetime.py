# SPDX-License-Identifier: GPL-2.0-or-later
"""Daemons, links and addresses come and go; a session is down only when its path is.

In bfdd's listening mode the loss of its data plane makes bfdd itself send for two or three seconds
and then take its sessions down (FRR 8.4 to 10.7): what must hold there is what the wire shows while
bfddp-xdp is away for less. In client mode (FRR 10.3 and newer) bfdd waits.
"""
import signal
import socket
import time

import pytest

import bfd_bed
import bfd_peers
import lab as lab_module
from bfd_bed import addresses
from bfd_packet import DOWN, UP
from test_bfd_protocol import LOCAL, PEER, after, with_bird

CLIENTS = ["10.3", "10.7"]


def packets(bed, least, since=None):
    """Waits for that many more packets of ours."""
    since = since or time.time()
    lab_module.wait_until(
        f"{least} packets", lambda: len(bed.watch.control(LOCAL, PEER, since)) >= least, 20
    )


def assert_reflected_well(bed, since):
    """While the reflector is alone: a packet of the peer that comes a moment before ours is due
    turns nothing round, and the next one does. No gap is longer than two intervals."""
    flow = bed.watch.flow(LOCAL, PEER, since, strict=False)
    flow.assert_fine(least=20)
    assert max(flow.gaps()) < 2 * 0.1 + 0.03, f"a gap of {max(flow.gaps()):.3f} s"


def assert_never_left_up(bed, since):
    """Neither end said anything but Up."""
    for way in ((LOCAL, PEER), (PEER, LOCAL)):
        states = {p.control.state for p in bed.watch.control(*way, since)}
        assert states == {UP}, f"{way}: states {states}"


@pytest.mark.parametrize("version", CLIENTS)
def test_kill_and_restart_client_mode(lab, bfd_at, logs, version):
    """kill -9: the kernel half answers meanwhile; the next daemon adopts. bfdd sees no Down."""
    bed, dut, bird = with_bird(lab, bfd_at, logs, version=version, client=True)
    packets(bed, 10)
    since = time.time()
    dut.xdp.kill()
    packets(bed, 30)
    dut.xdp.start()
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])
    lab_module.wait_until(
        "adopted", lambda: dut.xdp.peer(PEER)["id"] == dut.bfdd.view()[PEER]["id"]
    )
    packets(bed, 10)
    assert_never_left_up(bed, since)
    assert dut.bfdd.counters(PEER)["session-down"] == 0
    assert_reflected_well(bed, since)


def test_kill_and_restart_listening_mode(lab, bfd_at, logs, version):
    bed, dut, bird = with_bird(lab, bfd_at, logs, version=version)
    packets(bed, 10)
    since = time.time()
    dut.xdp.kill()
    dut.xdp.start()
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])
    packets(bed, 20)
    assert_never_left_up(bed, since)
    assert dut.xdp.peer(PEER)["flaps"] == 0


@pytest.mark.slow
def test_clean_stop_and_start(lab, bfd_at, logs):
    """An upgrade: SIGTERM is no more than kill -9 to the wire."""
    bed, dut, bird = with_bird(lab, bfd_at, logs, version="10.3", client=True)
    packets(bed, 10)
    since = time.time()
    dut.xdp.stop()
    packets(bed, 20)
    dut.xdp.start()
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])
    packets(bed, 10)
    assert_never_left_up(bed, since)


@pytest.mark.slow
def test_dead_man(lab, bfd_at, logs):
    """Nobody came back: after the stated time the peer learns that nobody is there."""
    bed, dut, bird = with_bird(
        lab, bfd_at, logs, version="10.3", client=True, options=["--dead-man", "3"]
    )
    packets(bed, 10)
    dut.xdp.kill()
    killed = time.time()
    lab_module.wait_until("Down at BIRD", lambda: not bfd_bed.up(bird, [LOCAL]), 10)
    last = [p for p in bed.watch.control(LOCAL, PEER) if p.control.state == UP][-1].time
    assert 1.5 < last - killed < 3.3, f"answered for {last - killed:.2f} s"
    dut.xdp.start()
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])


def test_stopped_userspace(lab, bfd_at, logs):
    """SIGSTOP to bfddp-xdp and bfdd: the session goes on in XDP, and detection too."""
    bed, dut, bird = with_bird(lab, bfd_at, logs)
    packets(bed, 10)
    since = time.time()
    stopped = [dut.xdp.process, *dut.frr.processes.values()]
    for process in stopped:
        process.send_signal(signal.SIGSTOP)
    try:
        lab_module.wait_until("some seconds", after(4))
        assert bfd_bed.up(bird, [LOCAL])
    finally:
        for process in stopped:
            process.send_signal(signal.SIGCONT)
    packets(bed, 10)
    assert_never_left_up(bed, since)
    assert dut.xdp.peer(PEER)["flaps"] == 0
    assert_reflected_well(bed, since)


def test_bfdd_restarts(lab, bfd_at, logs, version):
    """bfdd dies and comes back with other discriminators: on the wire the session stays Up."""
    bed, dut, bird = with_bird(lab, bfd_at, logs, version=version)
    packets(bed, 10)
    old = dut.xdp.peer(PEER)["id"]
    since = time.time()
    dut.frr.kill("bfdd")
    dplane = f"unix:/run/frr/{dut.xdp.pathspace}.bfddp"
    dut.frr.start_daemon("bfdd", "--dplaneaddr", dplane)
    dut.bfdd.configure(*bfd_bed.ours(0, "ipv4", interval_ms=100))
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])
    new = lab_module.wait_until("adopted", lambda: dut.xdp.peer(PEER))["id"]
    assert new == dut.bfdd.view()[PEER]["id"] != old
    lab_module.wait_until(
        "the new one on the wire", lambda: bed.watch.last(LOCAL, PEER).control.my_disc == new
    )
    packets(bed, 10)
    assert_never_left_up(bed, since)
    assert dut.xdp.peer(PEER)["flaps"] == 0
    bed.watch.flow(LOCAL, PEER).assert_fine()


def test_bfdd_never_comes_back(lab, bfd_at, logs):
    """After the grace time its sessions are nobody's."""
    bed, dut, bird = with_bird(lab, bfd_at, logs, options=["--grace", "2"])
    dut.frr.kill("bfdd")
    lab_module.wait_until("Down at BIRD", lambda: not bfd_bed.up(bird, [LOCAL]), 10)
    lab_module.wait_until("no session left", lambda: not dut.xdp.peers())
    assert not bed.watch.unreachable


def test_session_removed(lab, bfd_at, logs):
    bed, dut, bird = with_bird(lab, bfd_at, logs)
    dut.bfdd.configure(f"no peer {PEER} interface p0")
    lab_module.wait_until("gone", lambda: not dut.xdp.peers())
    lab_module.wait_until("Down at BIRD", lambda: not bfd_bed.up(bird, [LOCAL]))
    since = time.time()
    lab_module.wait_until("BIRD goes on asking", lambda: bed.watch.control(PEER, LOCAL, since))
    assert not bed.watch.control(LOCAL, PEER, since)
    assert not bed.watch.unreachable


KINDS = ["ipv4", "ipv6", "link-local"]


def all_kinds(lab, bfd_at, logs, version="8.4"):
    bed = bfd_bed.Bed(lab)
    dut = bfd_at(bed.router, version=version)
    neighbours = [bfd_bed.bird_neighbour(0, k) for k in KINDS]
    bird = lab.owns(bfd_peers.Bird(bed.router.far[0], logs, neighbours, 100))
    for kind in KINDS:
        dut.bfdd.configure(*bfd_bed.ours(0, kind, interval_ms=100))
    return bed, dut, bird


def wait_all(dut, bird):
    pairs = [addresses(0, k) for k in KINDS]
    bfd_bed.wait_up([(dut.bfdd, [p for _, p in pairs]), (bird, [own for own, _ in pairs])], 20)


def restore_port(router):
    router.sysctl(ipv6__conf__p0__addr_gen_mode=1)
    router.batch(
        [
            "addr replace 10.0.0.1/24 brd + dev p0",
            "addr replace 2001:db8::1/64 dev p0 nodad",
            "addr replace fe80::1/64 dev p0 nodad",
            "link set p0 up",
        ]
    )
    bfd_bed.whole_checksums(router, "p0")


def test_link_re_created(lab, bfd_at, logs, version):
    """Another device of the same name, with another index."""
    bed, dut, bird = all_kinds(lab, bfd_at, logs, version)
    wait_all(dut, bird)
    router = bed.router
    index = router.call(lambda: socket.if_nametoindex("p0"))
    router.ip("link", "del", "p0")  # the far end goes with it
    lab_module.wait_until("Down", lambda: all(s["status"] == "down" for s in dut.bfdd.sessions()))
    bed.watch.close()
    new = lab.owns(NewPort(lab, bed))
    assert router.call(lambda: socket.if_nametoindex("p0")) != index
    wait_all(dut, bird)
    for local, peer in (addresses(0, k) for k in KINDS):
        assert dut.xdp.peer(peer)["interface"] == "p0"
        lab_module.wait_until("packets", lambda: len(new.watch.control(local, peer)) > 10)
        new.watch.flow(local, peer).assert_fine()


class NewPort:
    """p0 and h0 once more, with a Watch."""

    def __init__(self, lab, bed):
        router, far = bed.router, bed.router.far[0]
        router.ip(
            *"link add p0 address 02:00:00:00:01:00 type veth".split(),
            *f"peer name h0 address 02:00:00:00:02:00 netns {far.name}".split(),
        )
        far.sysctl(ipv6__conf__h0__addr_gen_mode=1)
        far.batch(
            [
                "addr add 10.0.0.2/24 dev h0",
                "addr add 2001:db8::2/64 dev h0 nodad",
                "addr add fe80::20/64 dev h0 nodad",
                "link set h0 up",
            ]
        )
        lab.far_end_xdp(far, "h0")
        self.watch = bfd_bed.bfd_watch.Watch(far, "h0")
        restore_port(router)

    def close(self):
        self.watch.close()


def test_link_renamed(lab, bfd_at, logs):
    """Under another name it is not the interface that the session is configured on."""
    bed, dut, bird = all_kinds(lab, bfd_at, logs)
    wait_all(dut, bird)
    bed.router.batch(["link set p0 down", "link set p0 name p9", "link set p9 up"])
    lab_module.wait_until("Down at BIRD", lambda: not bfd_bed.up(bird, ["fe80::1"]))
    bed.router.batch(["link set p9 down", "link set p9 name p0", "link set p0 up"])
    restore_port(bed.router)
    wait_all(dut, bird)


def test_address_goes_and_comes(lab, bfd_at, logs):
    bed, dut, bird = with_bird(lab, bfd_at, logs)
    bed.router.ip("addr", "del", "10.0.0.1/24", "dev", "p0")
    lab_module.wait_until("Down at BIRD", lambda: not bfd_bed.up(bird, [LOCAL]), 10)
    lab_module.wait_until("Down here", lambda: dut.bfdd.view()[PEER]["status"] == "down")
    bed.router.ip("addr", "add", "10.0.0.1/24", "brd", "+", "dev", "p0")
    bfd_bed.wait_up([(dut.bfdd, [PEER]), (bird, [LOCAL])])


def test_multihop_follows_its_route(lab, bfd_at, logs):
    """The route goes: Down. It comes back: Up."""
    bed = bfd_bed.Bed(lab)
    end = bed.behind(0)
    dut = bfd_at(bed.router)
    local, peer = addresses(0, "multihop-ipv4")
    neighbours = [bfd_bed.bird_neighbour(0, "multihop-ipv4")]
    bird = lab.owns(bfd_peers.Bird(end, logs, neighbours, 100))
    dut.bfdd.configure(*bfd_bed.ours(0, "multihop-ipv4", interval_ms=100))
    bfd_bed.wait_up([(dut.bfdd, [peer]), (bird, [local])])
    bed.router.ip("route", "del", "10.90.0.0/24")
    end.ip("route", "del", "default")
    lab_module.wait_until("Down", lambda: dut.bfdd.view()[peer]["status"] == "down")
    assert bed.watch.last(local, peer).control.state in (UP, DOWN)
    bed.router.ip("route", "add", "10.90.0.0/24", "via", "10.0.0.2")
    end.ip("route", "add", "default", "via", "10.90.0.1")
    bfd_bed.wait_up([(dut.bfdd, [peer]), (bird, [local])])
    bed.watch.flow(local, peer).assert_fine()
