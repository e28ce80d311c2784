# SPDX-License-Identifier: GPL-2.0-or-later
"""Two routers of one make, one of them with fpm-xdp: whatever goes in, the same must come out."""
import time

import wire


def normal(frame, own):
    """Without what no two Linux routers have in common: the IP identification of packets that they
    make themselves (ICMP errors), and so its checksum."""
    if frame[12:14] == b"\x08\x00" and len(frame) >= 34 and frame[26:30] in own:
        return frame[:18] + b"\0\0" + frame[20:24] + b"\0\0" + frame[26:]
    return frame


class Twins:
    def __init__(self, lab, start_daemon, ports=3, mtu=1500, routes=()):
        self.router = lab.bench("a", ports, mtu)
        self.twin = lab.bench("b", ports, mtu)
        self.both(routes)
        self.daemon = start_daemon(self.router)
        self.a = lab.owns(wire.Ports(self.router))
        self.b = lab.owns(wire.Ports(self.twin))
        self.own = [wire.address(f"10.0.{i}.1") for i in range(ports)]
        self.drain()

    def both(self, lines):
        for router in (self.router, self.twin):
            router.batch(lines)

    def drain(self):
        self.a.drain()
        self.b.drain()

    def _take(self, got):
        for side, ports in enumerate((self.a, self.b)):
            for port, frames in zip(got[side], ports.drain()):
                port += [normal(f, self.own) for f in frames]

    def exchange(self, frames, into=0, quiet=0.1, deadline=3.0):
        """Sends the frames into port `into` of both; what left each port, of the router and the twin:
        read until both said nothing for `quiet` seconds, and longer while they differ."""
        self.drain()
        got = [[[] for _ in self.a.ports], [[] for _ in self.b.ports]]
        for number, frame in enumerate(frames):
            self.a[into].send(frame)
            self.b[into].send(frame)
            if number % 256 == 255:
                self._take(got)
        end = time.monotonic() + deadline
        last = time.monotonic()
        while time.monotonic() < end:
            before = sum(map(len, got[0] + got[1]))
            self._take(got)
            if sum(map(len, got[0] + got[1])) != before:
                last = time.monotonic()
            elif time.monotonic() - last > quiet and self.alike(got):
                break
            self.a.wait(0.02)
        return got

    @staticmethod
    def alike(got):
        return all(sorted(x) == sorted(y) for x, y in zip(*got))

    def totals(self, into):
        counters = self.daemon.counters().get(f"p{into}", {})
        passed, dropped = counters.get("passed", {}), counters.get("dropped", {})
        return counters.get("forwarded", 0), passed, dropped

    def compare(self, frames, into=0, forwarded=None, passed=None, dropped=None):
        """exchange(), and then: no difference; each frame counted once; and just as many forwarded,
        passed or dropped for the reasons given, if given: {reason: frames}."""
        frames = list(frames)
        before = self.totals(into)
        got = self.exchange(frames, into)
        after = self.totals(into)
        for port, (x, y) in enumerate(zip(*got)):
            extra = [f for f in x if f not in y]
            lacking = [f for f in y if f not in x]
            assert sorted(x) == sorted(y), (
                f"port p{port} sent {len(x)}, Linux {len(y)}; "
                f"not as Linux: {[f.hex() for f in extra[:3]]}; "
                f"Linux alone: {[f.hex() for f in lacking[:3]]}"
            )
        deltas = self.deltas(before, after)
        assert deltas[0] + sum(deltas[1].values()) + sum(deltas[2].values()) == len(frames), deltas
        if forwarded is not None:
            assert deltas[0] == forwarded, deltas
        if passed is not None:
            assert deltas[1] == passed, deltas
        if dropped is not None:
            assert deltas[2] == dropped, deltas
        return got[0]

    @staticmethod
    def deltas(before, after):
        def less(x, y):
            return {k: y[k] - x.get(k, 0) for k in y if y[k] != x.get(k, 0)}

        return after[0] - before[0], less(before[1], after[1]), less(before[2], after[2])
