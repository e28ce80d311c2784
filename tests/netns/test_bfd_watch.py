# SPDX-License-Identifier: GPL-2.0-or-later
"""The judge itself: it finds each fault that is put before it, and none in what other BFDs say."""
import dataclasses
import re
import time

import pytest

import bfd_packet
import bfd_peers
import bfd_watch
import lab as lab_module
from bfd_packet import Control
from bfd_watch import PUNCTUAL


def up(**other):
    values = {"my_disc": 7, "your_disc": 9, "state": bfd_packet.UP, "min_tx": 50000}
    return Control(**{**values, "min_rx": 50000, **other})


def seen(times, *controls, **fields):
    """Datagrams at those milliseconds; the last control is that of all the rest."""
    made = []
    for i, at in enumerate(times):
        payload = controls[min(i, len(controls) - 1)].pack()
        frame = bfd_packet.frame("10.0.0.2", "10.0.0.1", payload, ttl=fields.get("ttl", 255))
        datagram = bfd_packet.parse(frame, 1000 + at / 1e3)
        made.append(dataclasses.replace(datagram, **fields))
    return made


PEER = seen([0], Control(9, 7, bfd_packet.UP, min_tx=50000, min_rx=50000))
TURNS = [0, 45, 90, 128, 175]
FAULTS = {
    "nothing": (seen(TURNS, up()), None),
    "an answer between turns": (seen([0, 45, 50, 90], up(), up(), up(bits=0x10), up()), None),
    "news between turns": (seen([0, 45, 50, 90], up(diag=1), up(diag=1), up()), None),
    "two packets at once": (seen([0, 45, 45.1, 90], up()), "allowed from 37.50"),
    "too early": (seen([0, 45, 80, 120], up()), "35.00 ms after the last, allowed from 37.50"),
    "too late": (seen([0, 45, 190, 230], up()), "allowed to 50.00"),
    "multiplier 1 has less room": (seen([0, 40, 80, 128], up(mult=1)), "allowed to 45.00"),
    "TTL": (seen(TURNS, up(), ttl=254), "TTL 254"),
    "source port": (seen(TURNS, up(), sport=3784), "source port 3784"),
    "checksum": (seen(TURNS, up(), checksums=False), "checksum"),
    "authentication": (seen(TURNS, up(bits=4)), "bits 0x4"),
    "P and F": (seen(TURNS, up(bits=0x30)), "P and F"),
    "fast before Up": (seen(TURNS, up(state=bfd_packet.INIT)), "not Up"),
    "someone's discriminator": (seen(TURNS, up(your_disc=8)), "nobody's"),
    "no discriminator": (seen(TURNS, up(your_disc=0)), "Your Discriminator 0 in state up"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_faults_are_found(what):
    sent, expected = FAULTS[what]
    found = bfd_watch.Flow(sent, PEER, late=0.001, punctual=True).faults()
    assert bool(found) == (expected is not None), found
    assert not found or re.search(expected, found[0]), found


def test_bird_and_bfdd_are_found_fine(lab, frr_at, logs, version):
    """Neither end is ours. What a busy machine delays is no fault of theirs."""
    router = lab.hosts("r", 1)
    router.run("ethtool", "-K", "p0", "tx", "off", check=False)
    watch = lab.owns(bfd_watch.Watch(router.far[0], "h0"))
    frr = frr_at(router, "bfdd", version=version, zebra=())
    lines = bfd_peers.peer_lines("10.0.0.2", "p0", 50, lines=["passive-mode"])
    lines += bfd_peers.peer_lines("2001:db8::2", "p0", 50, local="2001:db8::1")
    bfdd = bfd_peers.Bfdd(frr)
    bfdd.configure(*lines)
    neighbours = [
        '10.0.0.1 dev "h0" local 10.0.0.2',
        '2001:db8::1 dev "h0" local 2001:db8::2',
    ]
    bird = lab.owns(bfd_peers.Bird(router.far[0], logs, neighbours, 50))
    for end in (bfdd, bird):
        lab_module.wait_until(
            "both sessions Up", lambda: [s["status"] for s in end.view().values()] == ["up"] * 2
        )
    since = time.time()
    lab_module.wait_until("packets", lambda: len(watch.control(since=since)) > 100)
    flows = watch.flows(strict=False)
    assert len(flows) == 2
    for flow in flows.values():
        flow.assert_fine(least=20)
        assert 0.036 < flow.median_gap() and (flow.median_gap() < 0.052 or not PUNCTUAL)
    assert not watch.unreachable
