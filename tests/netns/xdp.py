# SPDX-License-Identifier: GPL-2.0-or-later
"""The daemons and the CLI of the build under test, inside a router's namespace."""
import json
import pathlib
import signal
import subprocess

import lab

DAEMON = lab.BUILD / "fpm-xdp" / "fpm-xdp"
CLI = lab.BUILD / "cli" / "frr-xdp"
RUN = pathlib.Path("/run/frr-xdp")
PINS = pathlib.Path("/sys/fs/bpf/frr-xdp")


class Daemon:
    """What fpm-xdp and bfddp-xdp have in common; two of one pathspace share programs and maps."""

    name = None

    def __init__(self, router, tag, log_folder):
        self.router, self.pathspace = router, tag
        self.log = pathlib.Path(log_folder) / f"{tag}-{self.name}.log"
        self.options = []
        self.process = None

    def spawn(self, *options):
        """Starts it and waits for nothing."""
        with open(self.log, "ab") as log:
            argv = [lab.BUILD / self.name / self.name, "-N", self.pathspace, *options]
            self.process = self.router.popen(*argv, stdout=log, stderr=log)

    def start(self, *options):
        self.options = options or self.options
        self.spawn(*self.options)
        lab.wait_until(f"{self.name} is ready", self._ready)
        return self

    def _ready(self):
        code = self.process.poll()
        assert code is None, f"{self.name} ended with {code}: {self.log.read_text()[-2000:]}"
        return self.ready()

    def ready(self):
        raise NotImplementedError

    def cli(self, *words, **kwargs):
        return self.router.run(CLI, "-N", self.pathspace, *words, **kwargs)

    def json(self, *words):
        return json.loads(self.cli(*words, "json"))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """A clean end; a sanitizer that found something would have ended it otherwise."""
        lab.end_process(self.process)
        assert self.process.returncode == 0, f"{self.log.read_text(errors='replace')[-3000:]}"

    def running(self):
        return self.process is not None and self.process.poll() is None

    def close(self):
        if self.running():
            self.stop()
        if (PINS / self.pathspace).exists():
            self.cli("detach", check=False)
        left = (PINS / self.pathspace).exists()
        self._leave_run_folder()
        subprocess.run(["rm", "-rf", str(PINS / self.pathspace)], check=False)
        assert not left, f"{PINS / self.pathspace} was left by frr-xdp detach"

    def _leave_run_folder(self):
        """What a daemon that was killed left; another one may still be there."""
        folder = RUN / self.pathspace
        for file in folder.glob(f"{self.name}.*"):
            file.unlink()
        if folder.exists() and not any(folder.iterdir()):
            folder.rmdir()


class BfddpXdp(Daemon):
    name = "bfddp-xdp"

    def ready(self):
        return self.cli("show", "bfd", "peers", "json", check=False).returncode == 0

    def peers(self):
        return self.json("show", "bfd", "peers")

    def peer(self, address):
        """The one session with it, or None."""
        found = [p for p in self.peers() if p["peer"] == address]
        assert len(found) < 2, f"{len(found)} sessions with {address}"
        return found[0] if found else None

    def sent_by(self, address):
        return self.peer(address)["sent-by"]


class FpmXdp(Daemon):
    name = "fpm-xdp"

    def ready(self):
        done = self.cli("show", "summary", "json", check=False)
        if done.returncode:
            return False
        summary = json.loads(done.stdout)
        return summary["ready"] and summary["kernel"]["synced"] and self.attached()

    def attached(self):
        """Wherever it should be, which is one port at least."""
        wanted = [i for i in self.json("show", "interface").values() if i["wanted"]]
        return wanted and all(i["attached"] for i in wanted)

    # ---- questions ----

    def counters(self):
        return self.json("show", "counters")["interfaces"]

    def forwarded(self, interface="p0"):
        return self.counters().get(interface, {}).get("forwarded", 0)

    def passed(self, reason, interface="p0"):
        return self.counters().get(interface, {}).get("passed", {}).get(reason, 0)

    def route(self, prefix):
        """The entry of `show route json` for this very prefix in the main table, or None."""
        entries = self.json("show", "route").get(prefix, [])
        return next((e for e in entries if e["table"] == 254), None)

    def offloaded(self, prefix, gateways=None):
        """Truth of: this prefix is forwarded in XDP, through just these gateways if given."""
        entry = self.route(prefix)
        if not entry or entry["state"] != "offloaded":
            return False
        active = sorted(n.get("gateway", n["interface"]) for n in entry["nexthops"] if n["active"])
        return gateways is None or active == sorted(gateways)

    def wait_offloaded(self, prefix, gateways=None, timeout=15):
        lab.wait_until(
            f"{prefix} offloaded through {gateways}",
            lambda: self.offloaded(prefix, gateways),
            timeout,
        )

    def differences(self):
        done = self.cli("show", "consistency", "json", check=False)
        return json.loads(done.stdout)["differences"]

    def assert_consistent(self, timeout=10):
        """A change may be under way when asked: what does not go away in time is a difference."""
        seen = []

        def none_left():
            seen[:] = self.differences()
            return not seen

        try:
            lab.wait_until("show consistency is empty", none_left, timeout)
        except AssertionError:
            raise AssertionError(f"{len(seen)} differences: {seen[:5]}") from None
