# SPDX-License-Identifier: MIT
"""Writing files that appear whole or not at all."""
import io
import json
import os
import zipfile

import numpy as np


def replace(path, content):
    """Writes bytes under a name that does not count, and gives them their name when they are on the disk."""
    part = f"{path}.part"
    with open(part, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def npz(arrays):
    """Bytes of an npz file; equal arrays give equal bytes."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy")  # of 1980, not of now
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, member.getvalue(), compresslevel=9)
    return whole.getvalue()


def write_json(path, value):
    replace(path, (json.dumps(value, indent=1) + "\n").encode())
