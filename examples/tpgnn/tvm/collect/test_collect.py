# SPDX-License-Identifier: MIT
"""Runs all tests of the collector. What needs TVM is skipped without it.

    python test_collect.py
"""
import importlib.util
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases_processes import Measuring, Processes, Program  # noqa: E402,F401
from cases_split import Splits  # noqa: E402,F401
from cases_trees import Files, Manifests, Trees, Workloads  # noqa: E402,F401

if importlib.util.find_spec("tvm"):
    from cases_with_tvm import WithTvm  # noqa: F401
else:
    sys.stderr.write("TVM is not installed: what needs it is not tested.\n")

if __name__ == "__main__":
    unittest.main()
