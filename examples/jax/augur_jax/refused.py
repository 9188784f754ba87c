# SPDX-License-Identifier: MIT
"""How the package says that it cannot go on."""


class Refused(Exception):
    """A sentence for the user: what cannot be done, and what to do."""
