# SPDX-License-Identifier: MIT
"""Checkpoints of all programs."""
import json

from safetensors import safe_open


class Checkpoint:
    """A safetensors file: tensors as float64, those of them that are parameters, metadata, and the configuration with
    "_" for "-" in its names."""
    def __init__(self, path):
        with safe_open(path, framework="pt") as f:
            self.metadata = f.metadata()
            self.tensors = {name: f.get_tensor(name).double() for name in f.keys()}
        self.own = {n: t for n, t in self.tensors.items() if not n.startswith(("optimizer.", "state."))}
        said = json.loads(self.metadata["configuration"])
        self.configuration = {name.replace("-", "_"): value for name, value in said.items()}
