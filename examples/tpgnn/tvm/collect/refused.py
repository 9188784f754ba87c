# SPDX-License-Identifier: MIT
class Refused(Exception):
    """A sentence for the user: what cannot be done, and what to do."""
