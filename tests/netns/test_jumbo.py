# SPDX-License-Identifier: GPL-2.0-or-later
"""MTU 9000 on all ports: packets in several buffers, byte by byte as Linux sends them."""
import pytest

from test_packets import u4, u6
from twin import Twins

SIZES = [1472, 1473, 3000, 3450, 3520, 3521, 4000, 4096, 7000, 8900, 8971, 8972]


@pytest.fixture
def jumbo(lab, daemon):
    routes = ["route add 20.0.0.0/8 via 10.0.1.2", "route add 2001:db8:a000::/36 via 2001:db8:1::2"]
    return Twins(lab, daemon, ports=2, mtu=9000, routes=routes)


def test_every_size_is_forwarded(jumbo):
    frames = [u4(size=n) for n in SIZES] + [u6(size=n) for n in SIZES if n <= 8952]
    jumbo.compare(frames, forwarded=len(frames))


def test_padding_behind_a_large_packet_is_cut(jumbo):
    frames = [u4(size=n) + bytes(pad) for n in (1472, 4000, 7000) for pad in (1, 7, 400)]
    jumbo.compare(frames, forwarded=len(frames))
