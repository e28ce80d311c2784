# SPDX-License-Identifier: GPL-2.0-or-later
"""Who is at the other end of a session, BIRD or FRR's bfdd, and what each says of it.

A view is {peer address: {"status", "id", "remote-id", ...}}; BIRD tells no discriminators.
"""
import re

import lab

BIRD_STATES = {"AdminDown": "shutdown", "Down": "down", "Init": "init", "Up": "up"}


class Bird:
    """BIRD with one BFD protocol. neighbours: lines such as `10.0.0.1 dev "h0"`."""

    def __init__(self, namespace, folder, neighbours, interval_ms=300, multiplier=3, more=""):
        self.namespace = namespace
        self.socket = folder / f"{namespace.name}-bird.ctl"
        self.conf = folder / f"{namespace.name}-bird.conf"
        self.log = folder / f"{namespace.name}-bird.log"
        self.neighbours, self.more = list(neighbours), more
        self.write(interval_ms, multiplier)
        with open(self.log, "ab") as log:
            self.process = namespace.popen(
                *("/usr/sbin/bird", "-f", "-c", self.conf, "-s", self.socket, "-P"),
                *(folder / f"{namespace.name}-bird.pid",),
                stdout=log,
                stderr=log,
            )
        lab.wait_until("BIRD listens", self.socket.exists)

    def write(self, interval_ms, multiplier, options=""):
        timers = (
            f"min rx interval {interval_ms} ms; min tx interval {interval_ms} ms;"
            f" multiplier {multiplier}; {options}"
        )
        lines = "".join(f" neighbor {n};\n" for n in self.neighbours)
        self.conf.write_text(
            "router id 192.0.2.99;\nlog stderr all;\nprotocol device { }\n"
            f'protocol bfd {{\n interface "*" {{ {timers} }};\n multihop {{ {timers} }};\n'
            f"{lines}}}\n{self.more}\n"
        )

    def set(self, interval_ms, multiplier, options=""):
        self.write(interval_ms, multiplier, options)
        self.birdc("configure")

    def birdc(self, *words):
        return lab.run("/usr/sbin/birdc", "-s", self.socket, *words)

    def view(self):
        rows = re.findall(
            r"^([0-9a-f.:]+) +(\S+) +(AdminDown|Down|Init|Up) +(.*)$",
            self.birdc("show", "bfd", "sessions"),
            re.M,
        )
        return {peer: {"status": BIRD_STATES[state]} for peer, _, state, _ in rows}

    def close(self):
        lab.end_process(self.process)


class Bfdd:
    """bfdd of an Frr, as vtysh shows it."""

    def __init__(self, frr):
        self.frr = frr

    def sessions(self):
        return self.frr.json("show bfd peers json")

    def view(self):
        return {s["peer"]: s for s in self.sessions()}

    def counters(self, peer):
        """Of all its sessions with this peer (there is one)."""
        found = self.frr.json("show bfd peers counters json")
        return next(c for c in found if c["peer"] == peer)

    def configure(self, *lines):
        self.frr.configure("bfd\n" + "".join(f" {line}\n" for line in lines))


def peer_lines(peer, interface=None, interval_ms=300, multiplier=3, **more):
    """bfdd's configuration of one session. more: local, multihop, lines=(...)."""
    head = f"peer {peer}"
    if more.get("multihop"):
        head += " multihop"
    if more.get("local"):
        head += f" local-address {more['local']}"
    if interface:
        head += f" interface {interface}"
    return [
        head,
        f" receive-interval {interval_ms}",
        f" transmit-interval {interval_ms}",
        f" detect-multiplier {multiplier}",
        *(f" {line}" for line in more.get("lines", ())),
        "exit",
    ]
