#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs all tests of the reader of tuning logs. What needs TVM is skipped without it.

    python test_logs.py
"""
import importlib.util
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import beside  # noqa: E402,F401
from cases_damage import Damage  # noqa: E402,F401
from cases_program import Program, Sums  # noqa: E402,F401
from cases_records import BadLines, Formats, Lines  # noqa: E402,F401

if importlib.util.find_spec("tvm"):
    from cases_replay import WithTvm  # noqa: F401
else:
    sys.stderr.write("TVM is not installed: the conversion into training files is not tested.\n")

if __name__ == "__main__":
    unittest.main()
