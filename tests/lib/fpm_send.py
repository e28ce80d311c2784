#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Speaks FPM to a daemon in zebra's place.

    fpm_send.py --to 127.0.0.1:2620 'route add 192.0.2.0/24 nexthop via 10.0.0.2 dev eth1'
    fpm_send.py --hold - < lines         lines from standard input, connection kept until its end
    fpm_send.py --print LINE...          hex instead of a connection

A line is what tests/lib/fpm_text.py takes, or
    repeat N route add PREFIX ...        N prefixes, one after the other
    hex BYTES                            as they are, good or bad
    vector FILE                          all frames of a file in tests/vectors
    close                                the connection, to open it again with the next line

After each line "sent BYTES" goes to standard output. What the daemon says back (offload status) is
printed as "offload|trap|failed PREFIX table N proto N".
"""
import argparse
import ipaddress
import os
import select
import socket
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fpm_text  # pylint: disable=wrong-import-position

STATES = ((0x20000000, "failed"), (0x8000, "trap"), (0x4000, "offload"))


def vector_bytes(path):
    with open(path, encoding="utf-8") as file:
        return b"".join(bytes.fromhex(line[6:]) for line in file if line.startswith("frame "))


def line_bytes(line, form, pid):
    """Gives the bytes of one line in pieces that are sent one after the other."""
    word, _, rest = line.partition(" ")
    if word == "hex":
        yield bytes.fromhex(rest)
    elif word == "vector":
        yield vector_bytes(rest)
    elif word == "repeat":
        count, _, text = rest.partition(" ")
        yield from fpm_text.repeat(int(count), text, form, pid)
    else:
        yield fpm_text.frames(line, form, pid)


def status_text(frame):
    """An offload status frame as text."""
    family, length = frame[20], frame[21]
    table, protocol = frame[24], frame[25]
    flags = struct.unpack_from("=I", frame, 28)[0]
    address, at = bytes(4 if family == socket.AF_INET else 16), 32
    while at + 4 <= len(frame):
        size, kind = struct.unpack_from("=HH", frame, at)
        if kind & 0x3FFF == 1:
            address = frame[at + 4 : at + size]
        if kind & 0x3FFF == 15:
            table = struct.unpack_from("=I", frame, at + 4)[0]
        at += max(size + 3 & ~3, 4)
    state = next((name for flag, name in STATES if flags & flag), "none")
    return f"{state} {ipaddress.ip_address(address)}/{length} table {table} proto {protocol}"


class FpmSender:
    """One connection at a time; usable from tests as it is."""

    def __init__(self, address="127.0.0.1", port=2620, form="netlink", pid=1):
        self.address, self.form, self.pid = (address, port), form, pid
        self.sock, self.received = None, b""

    def connect(self):
        if not self.sock:
            self.sock = socket.create_connection(self.address)
            self.received = b""

    def close(self):
        if self.sock:
            self.sock.close()
        self.sock = None

    def send(self, line):
        """The number of bytes that were sent."""
        if line.strip() == "close":
            self.close()
            return 0
        self.connect()
        total, pending = 0, b""
        for piece in line_bytes(line.strip(), self.form, self.pid):
            total += len(piece)
            pending += piece
            if len(pending) > 65536:
                self.sock.sendall(pending)
                pending = b""
        self.sock.sendall(pending)
        return total

    def statuses(self):
        """What is there to read, as lines; None when the daemon has closed the connection."""
        try:
            data = self.sock.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            return None
        self.received += data
        lines = []
        while len(self.received) >= 4:
            size = struct.unpack_from("!H", self.received, 2)[0]
            if len(self.received) < size:
                break
            lines.append(status_text(self.received[:size]))
            self.received = self.received[size:]
        return lines


def say(text):
    print(text, flush=True)


def hold(sender, stdin):
    """Until the daemon closes, or standard input ends. True: the daemon did."""
    text = b""
    while True:
        watched = [stdin] + ([sender.sock] if sender.sock else [])
        ready = select.select(watched, [], [])[0]
        if sender.sock and sender.sock in ready:
            lines = sender.statuses()
            if lines is None:
                say("closed")
                sender.close()
                return True
            for line in lines:
                say(line)
        if stdin in ready:
            data = os.read(stdin, 65536)  # not readline(): select() sees no lines that it buffers
            *lines, text = (text + data).split(b"\n")
            for line in lines + ([] if data else [text]):
                if line.strip():
                    say(f"sent {sender.send(line.decode())}")
            if not data:
                return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", default="127.0.0.1:2620", metavar="ADDR:PORT")
    parser.add_argument("--form", choices=("netlink", "old", "protobuf"), default="netlink")
    parser.add_argument("--pid", type=int, default=1, help="nlmsg_pid of the messages")
    parser.add_argument(
        "--hold",
        action="store_true",
        help="keep the connection until standard input ends or the daemon closes",
    )
    parser.add_argument("--print", action="store_true", dest="show", help="hex, no connection")
    parser.add_argument("line", nargs="*")
    args = parser.parse_args()
    if args.show:
        for line in args.line:
            print(b"".join(line_bytes(line, args.form, args.pid)).hex())
        return 0
    address, _, port = args.to.rpartition(":")
    sender = FpmSender(address.strip("[]"), int(port), args.form, args.pid)
    sender.connect()
    for line in args.line:
        if line == "-":
            args.hold = True
        else:
            say(f"sent {sender.send(line)}")
    closed = hold(sender, sys.stdin.fileno()) if args.hold else False
    sender.close()
    return 1 if closed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        sys.exit(f"fpm_send.py: {error}")
