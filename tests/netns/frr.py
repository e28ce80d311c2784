# SPDX-License-Identifier: GPL-2.0-or-later
"""FRR of several versions, one instance per router, under a pathspace of its own.

8.4 is the machine's; others are unpacked Debian packages (tests/lib/frr_root), entered with chroot.
"""
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess

import lab

SUITES = {"10.3": "trixie", "10.7": "sid"}
LIB = "usr/lib/frr"

# $1 is a root to enter; the mounts end with the process, whose mount namespace is its own.
ENTER = """root=$1; shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" "$@"
"""


class Absent(Exception):
    """This version is not to be had here; the text says why."""


class Version:
    def __init__(self, name, root):
        self.name, self.root = name, pathlib.Path(root)
        said = lab.run(*self.enter(), f"/{LIB}/zebra", "--version")
        self.full = re.search(r"version (\S+)", said).group(1)
        users = (self.root / "etc/passwd").read_text()
        self.owner = tuple(map(int, re.search(r"^frr:[^:]*:(\d+):(\d+):", users, re.M).groups()))

    def enter(self):
        if self.root == pathlib.Path("/"):
            return []
        shell = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", ENTER, "sh"]
        return shell + [str(self.root)]

    def has(self, daemon):
        return (self.root / LIB / daemon).exists()

    @property
    def major(self):
        return tuple(int(n) for n in re.findall(r"\d+", self.full)[:2])


def unpack(name, root):
    done = lab.run(lab.TOOLS / "frr_root", SUITES[name], root, check=False, timeout=600)
    if done.returncode:
        shutil.rmtree(root, ignore_errors=True)
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Absent(f"FRR {name} from Debian {SUITES[name]} is not to be had: {last}")


def obtain(name, folder):
    """The Version called `name`; a root that must be fetched is unpacked below `folder`."""
    if name not in SUITES:
        if not os.path.exists(f"/{LIB}/zebra"):
            raise Absent(f"FRR {name}: the frr package is not installed")
        found = Version(name, "/")
    else:
        root = pathlib.Path(folder) / f"frr-{name}"
        with open(f"{root}.lock", "w", encoding="utf-8") as lock:  # several tests at once
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not root.exists():
                unpack(name, root)
        found = Version(name, root)
    if not found.full.startswith(name):
        raise Absent(f"FRR {name}: what is to be had is {found.full}")
    return found


class Frr:
    """zebra and other daemons in a namespace, as children, so that their ends are seen."""

    def __init__(self, version, namespace, tag, log_folder):
        self.version, self.namespace, self.pathspace = version, namespace, tag
        self.run_dir = version.root / "run/frr" / tag
        self.etc_dir = version.root / "etc/frr" / tag
        self.logs = pathlib.Path(log_folder)
        self.processes = {}
        self.run_dir.mkdir(parents=True)
        self.etc_dir.mkdir(parents=True)
        (self.etc_dir / "vtysh.conf").touch()
        for folder in (self.run_dir, self.etc_dir):
            os.chown(folder, *version.owner)

    def start(self, *daemons, zebra=("-M", "dplane_fpm_nl"), bfdd=()):
        options = {"zebra": zebra, "bfdd": bfdd}
        for daemon in ("mgmtd", "zebra") + daemons:
            if self.version.has(daemon):
                self.start_daemon(daemon, *options.get(daemon, ()))
        return self

    def start_daemon(self, daemon, *options):
        log = open(self.logs / f"{self.pathspace}-{daemon}.log", "ab")
        buffer = ("-s", "90000000") if daemon == "zebra" else ()
        self.processes[daemon] = subprocess.Popen(
            self.namespace.prefix()
            + self.version.enter()
            + [f"/{LIB}/{daemon}", "-N", self.pathspace, "-P", "0", "--log", "stdout"]
            + list(buffer + options),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        log.close()
        wants = [self.run_dir / f"{daemon}.vty"]
        if daemon == "zebra":
            wants.append(self.run_dir / "zserv.api")
        lab.wait_until(f"{daemon} listens", lambda: self._listening(daemon, wants))

    def _listening(self, daemon, wants):
        code = self.processes[daemon].poll()
        assert code is None, f"{daemon} ended with {code}: {self.log_tail(daemon)}"
        return all(path.exists() for path in wants)

    def log_tail(self, daemon):
        text = (self.logs / f"{self.pathspace}-{daemon}.log").read_text(errors="replace")
        return text[-2000:]

    def vtysh(self, *commands, timeout=60):
        words = [w for command in commands for w in ("-c", command)]
        argv = self.version.enter() + ["/usr/bin/vtysh", "-N", self.pathspace]
        return lab.run(*argv, *words, timeout=timeout)

    def json(self, command):
        return json.loads(self.vtysh(command))

    def configure(self, text, timeout=120):
        (self.etc_dir / "lines").write_text(text)
        argv = self.version.enter() + ["/usr/bin/vtysh", "-N", self.pathspace]
        lab.run(*argv, "-f", f"/etc/frr/{self.pathspace}/lines", timeout=timeout)

    def kill(self, daemon):
        process = self.processes.pop(daemon)
        process.kill()
        process.wait()
        for name in (f"{daemon}.vty", f"{daemon}.pid"):
            (self.run_dir / name).unlink(missing_ok=True)
        if daemon == "zebra":
            (self.run_dir / "zserv.api").unlink(missing_ok=True)

    def stop_daemon(self, daemon):
        process = self.processes.pop(daemon)
        lab.end_process(process, timeout=20)
        (self.run_dir / f"{daemon}.vty").unlink(missing_ok=True)

    def close(self):
        # Clients before zebra, zebra before mgmtd; and zebra before whoever listens to its FPM, or
        # it may hang in its exit (FRR 8.4 to 10.7).
        try:
            for daemon in sorted(self.processes, key=lambda d: (d == "zebra") + 2 * (d == "mgmtd")):
                self.stop_daemon(daemon)
        finally:
            for process in self.processes.values():
                process.kill()
                process.wait()
            shutil.rmtree(self.run_dir, ignore_errors=True)
            shutil.rmtree(self.etc_dir, ignore_errors=True)
