# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/lib/kv_print in a namespace: what fpm-xdp's kernel view says, as lines and as state."""
import re
import signal
import subprocess
import threading

from lab import BUILD, end_process, wait_until


class KernelView:
    def __init__(self, namespace, program="kv_print"):
        self._lines = []
        self._process = subprocess.Popen(
            namespace.prefix() + [str(BUILD / "tests" / "lib" / program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.settle()

    def _read(self):
        for line in self._process.stdout:
            self._lines.append(line.rstrip("\n"))

    def command(self, *words):
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def answer(self, *words):
        """What a command prints: the first line of its kind from now on."""
        mark = len(self._lines)
        self.command(*words)
        kinds = {"use": "used"}
        return self.expect(f"{kinds.get(words[0], words[0])} (.*)", since=mark).group(1)

    def stats(self):
        return {k: int(v) for k, v in (w.split("=") for w in self.answer("stats").split())}

    def settle(self):
        """Until no dump is under way or due."""
        wait_until("the view to be in step", lambda: self.stats()["synced"])

    def mark(self):
        return len(self._lines)

    def lines(self, since=0):
        return self._lines[since:]

    def expect(self, pattern, since=0, timeout=15):
        """The first line since the mark that the pattern matches as a whole."""

        def found():
            return next(filter(None, (re.fullmatch(pattern, l) for l in self._lines[since:])), None)

        try:
            return wait_until(pattern, found, timeout=timeout, interval=0.01)
        except AssertionError as late:
            raise AssertionError(f"{late}\n" + "\n".join(self._lines[since:][-40:])) from None

    def last(self, kind, name):
        """The last line `KIND NAME ...` as {key: value}."""
        lines = [l for l in self._lines if l.startswith(f"{kind} {name} ")]
        return dict(w.split("=", 1) for w in lines[-1].split() if "=" in w) if lines else {}

    def until(self, kind, name, timeout=15, **wanted):
        wait_until(
            f"{kind} {name} {wanted}",
            lambda: wanted.items() <= self.last(kind, name).items(),
            timeout=timeout,
            interval=0.01,
        )

    def routes(self):
        """What a reader that follows the resync rules holds now: {(prefix, table): rest of line}."""
        held, before, told = {}, {}, set()
        for line in self._lines:
            kind, _, rest = line.partition(" ")
            if kind == "resync_begin":
                before, told = dict(held), set()
            elif kind == "resync_end":
                for key in before:
                    held.pop(key, None)
                before = {}
            elif kind in ("route", "route_del"):
                prefix, table, _, _, metric, *paths = rest.split()
                key = prefix, table, metric
                if "dump" not in paths:
                    told.add(key)
                elif key in told:
                    continue  # older than the notice: fpm-xdp/fib_tomb.c
                before.pop(key, None)
                if kind == "route":
                    held[key] = " ".join(w for w in paths if w != "dump")
                else:
                    held.pop(key, None)
        return {(prefix, int(table[6:])): v for (prefix, table, _), v in held.items()}

    def pause(self):
        self._process.send_signal(signal.SIGSTOP)  # nsenter has become the program itself

    def resume(self):
        self._process.send_signal(signal.SIGCONT)

    def close(self):
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(10)
        self._reader.join()
        self._process.stdout.close()
        end_process(self._process)
        assert self._process.returncode == 0
