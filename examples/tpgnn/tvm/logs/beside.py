# SPDX-License-Identifier: MIT
"""Puts the collector's folder on the path: import this before its modules."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "collect"))
