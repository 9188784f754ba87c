# SPDX-License-Identifier: MIT
"""Costs that an optimised module tells without being run: baselines for models that rank layouts."""
import math
import re
from collections import Counter

from .hlo import Instruction, instructions

MOVES = ("copy", "transpose", "fusion")


def moved(module: str) -> dict[str, float]:
    """copied: bytes that copies write. across: elements that copies, transposes and fusions write along another axis
    than they read along. What a loop does counts as often as it runs, where XLA knows."""
    lines, of = module.splitlines(), instructions(module)
    by_name = {(one.computation, one.name): one for one in of}
    times, copied, across = Counter[str](), 0.0, 0.0
    for one in reversed(of):  # callers come after what they call
        line = lines[one.line]
        runs = times[one.computation] or 1
        count = re.search(r'"known_trip_count":\{"n":"(\d+)"', line)
        for called in re.findall(r"(?:calls|body|to_apply)=%([\w.-]+)", line):
            times[called] += runs * (int(count[1]) if count else 1)
        if one.opcode not in MOVES or len(one.dims) < 2:
            continue
        elements = runs * math.prod(one.dims)
        if one.opcode == "copy":
            bits = re.search(r"\d+", one.type)
            copied += elements * max(int(bits[0]) if bits else 8, 8) / 8
        across += elements * sum(_turned(one, by_name.get((one.computation, name)), line) for name in one.operands)
    return {"copied": copied, "across": across}


def _turned(one: Instruction, operand: Instruction | None, line: str) -> bool:
    """Its most minor axis is not the operand's."""
    if operand is None or len(operand.minor) != len(one.minor):
        return False
    minor = one.minor[0]
    if one.opcode == "transpose" and (order := re.search(r" dimensions=\{([\d,]+)\}", line)):
        minor = int(order[1].split(",")[minor])
    return minor != operand.minor[0]
