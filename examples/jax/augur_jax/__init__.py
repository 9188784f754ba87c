# SPDX-License-Identifier: MIT
"""Is there anything to win in a JAX program? tune() searches faster ways to write its ops for XLA's CPU compiler, and
load() applies them."""
from .refused import Refused
from .rewrite import rewrite, sites
from .tuner import tune
from .tuned import Tuned, load, show

__all__ = ["Refused", "Tuned", "load", "rewrite", "show", "sites", "tune"]
__version__ = "0.1.0"
