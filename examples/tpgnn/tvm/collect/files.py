# SPDX-License-Identifier: MIT
"""Writing files that appear whole or not at all."""
import io
import json
import os

import numpy as np


def replace(path, content):
    """Writes bytes under a name that does not count, and gives them their name when all are written."""
    part = f"{path}.part"
    with open(part, "wb") as file:
        file.write(content)
    os.replace(part, path)


def npz(arrays):
    """Bytes of an npz file; equal arrays give equal bytes."""
    whole = io.BytesIO()
    np.savez_compressed(whole, **arrays)
    return whole.getvalue()


def write_json(path, value):
    replace(path, (json.dumps(value, indent=1) + "\n").encode())
