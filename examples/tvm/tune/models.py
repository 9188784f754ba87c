# SPDX-License-Identifier: MIT
"""augur_models for trees of TVM's programs: the package if it is installed, else these sources. Knows no TVM."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "collect"))
try:
    import augur_models
except ImportError:
    sys.path.append(os.path.join(HERE, *[os.pardir] * 2, "library", "python"))
    import augur_models
import columns  # noqa: E402

Model, Refused = augur_models.Model, augur_models.Refused


def arrays(trees, seconds=None):
    """The members of a file of schedules: as the collector writes it, without the features that no model reads."""
    times = [1] * len(trees) if seconds is None else seconds
    return columns.pack("tuned", [{"tree": t, "features": [], "passes": [[max(s, 1e-9)]], "origin": 0, "hash": 0}
                                  for t, s in zip(trees, times)])
