#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs all tests of the cost model from Python. What needs TVM is skipped without it, what needs the library without:

    AUGUR_TPGNN_LIBRARY=libaugur_tpgnn.so AUGUR_TPGNN_RUN=RUN AUGUR_TPGNN_DATA=FILE.npz python test_tune.py
"""
import importlib.util
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cases_curves import Choices, Drawing  # noqa: E402,F401

if all(os.environ.get(f"AUGUR_TPGNN_{name}") for name in ("LIBRARY", "RUN", "DATA")):
    from cases_library import Library  # noqa: F401

    if importlib.util.find_spec("tvm"):
        from cases_tuner import Tuner  # noqa: F401
    else:
        sys.stderr.write("TVM is not installed: what needs it is not tested.\n")
else:
    sys.stderr.write("The library is not tested: set AUGUR_TPGNN_LIBRARY, AUGUR_TPGNN_RUN and AUGUR_TPGNN_DATA.\n")

if __name__ == "__main__":
    unittest.main()
