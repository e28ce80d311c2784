# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the tests of this folder with the framework of an FRR tree, $FRR_TOPOTESTS.

In FRR's own tree, where a test's folder may simply be copied, this file has no part.
"""
import importlib.util
import os
import sys

import pytest

framework = os.environ.get("FRR_TOPOTESTS", "")
if not os.path.exists(os.path.join(framework, "lib/topogen.py")):
    raise pytest.UsageError("FRR_TOPOTESTS must name the tests/topotests folder of an FRR tree")
sys.path.insert(0, framework)

_spec = importlib.util.spec_from_file_location(
    "frr_topotests_conftest", os.path.join(framework, "conftest.py")
)
_theirs = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = _theirs
_spec.loader.exec_module(_theirs)

from lib import topogen, topotest  # noqa: E402


def _environment_is_fine(rundir):
    """The framework's own check wants gdb, every daemon of a source build, and /proc/modules."""
    os.makedirs(rundir, exist_ok=True)
    return True


_theirs.diagnose_env = topogen.diagnose_env = _environment_is_fine
if not os.path.exists("/proc/modules"):
    topotest.module_present_linux = lambda module, load: False

_start_router = topogen.Topogen.start_router


def _start_router_where_xdp_sends(tgen, *args, **kwargs):
    """A veth end takes what XDP sends only with a native XDP program of its own; most ends are those
    of the topology's bridges."""
    tgen.net.cmd_status("mount -t bpf bpf /sys/fs/bpf")  # ip(8) wants it
    for name in tgen.net.cmd_status("ls /sys/class/net")[1].split():
        tgen.net.cmd_status("ethtool -K %s tx off" % name)
        tgen.net.cmd_status("ip link set %s xdpdrv obj %s sec xdp.frags" % (name, _xdp_pass))
    return _start_router(tgen, *args, **kwargs)


_xdp_pass = os.environ.get("FRR_XDP_PASS")
if _xdp_pass:
    topogen.Topogen.start_router = _start_router_where_xdp_sends

# Hooks, options and fixtures of FRR's conftest.py become ours.
globals().update({k: v for k, v in vars(_theirs).items() if not k.startswith("__")})
