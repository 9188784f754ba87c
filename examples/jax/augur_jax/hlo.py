# SPDX-License-Identifier: MIT
"""Modules of XLA as text: what their instructions are, and the same module with layouts that XLA has to obey."""
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jaxlib import _hlo, _jax

LINE = re.compile(r"^  (?:ROOT )?%(?P<name>\S+) = (?:\(.*?\)|(?P<type>\w+)\[(?P<dims>[\d,]*)\]"
                  r"(?:\{(?P<minor>[\d,]*)[^}]*\})?)"
                  r" (?P<opcode>[a-z][\w-]*)\((?P<operands>[^()]*)")
Layouts = Sequence[Sequence[int] | None]  # of the result and of operands, minor to major; None: as XLA likes


@dataclass
class Instruction:
    """dims, minor: of an array; empty for tuples and single numbers. line: where it is in the text."""

    line: int
    computation: str
    name: str
    type: str
    dims: tuple[int, ...]
    minor: tuple[int, ...]
    opcode: str
    operands: list[str]


def _numbers(text: str | None) -> tuple[int, ...]:
    return tuple(map(int, text.split(","))) if text else ()


def instructions(text: str) -> list[Instruction]:
    """All of a module, in the order of the text."""
    found, computation = [], ""
    for number, line in enumerate(text.splitlines()):
        if line.endswith("{") and (start := re.match(r"(?:ENTRY )?%(\S+)", line)):
            computation = start[1]
        elif part := LINE.match(line):
            found.append(Instruction(number, computation, part["name"], part["type"] or "", _numbers(part["dims"]),
                                     _numbers(part["minor"]), part["opcode"],
                                     re.findall(r"%([\w.-]+)", part["operands"])))
    return found


def stablehlo(text: str) -> bytes:
    """Bytes that compile to the module."""
    return _jax.mlir.hlo_to_stablehlo(_hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())


def constrained(text: str, of: Sequence[Instruction], wanted: Mapping[int, Layouts]) -> str:
    """The module with calls of LayoutConstraint before and after the instructions with these places in `of`.
    XLA's layout assignment obeys them, inserts the copies that are needed and removes the calls."""
    by_name = {(one.computation, one.name): one for one in of}
    by_line = {one.line: place for place, one in enumerate(of)}
    renamed: dict[tuple[str, str], str] = {}
    lines: list[str] = []
    many = 0

    def call(value: str, of_value: Instruction, minor: Sequence[int], root: bool = False) -> str:
        nonlocal many
        many += 1
        shape = f"{of_value.type}[{','.join(map(str, of_value.dims))}]{{{','.join(map(str, minor))}}}"
        lines.append(f"  {'ROOT ' * root}%augur.{many} = {shape} custom-call(%{value}), "
                     f'custom_call_target="LayoutConstraint", operand_layout_constraints={{{shape}}}')
        return f"augur.{many}"

    for number, line in enumerate(text.splitlines()):
        if number not in by_line:
            lines.append(line)
            continue
        one, layouts = of[by_line[number]], wanted.get(by_line[number], [None])
        names = [renamed.get((one.computation, name), name) for name in one.operands]
        for k, minor in enumerate(layouts[1:len(names) + 1]):
            if minor is not None:
                names[k] = call(names[k], by_name[one.computation, one.operands[k]], minor)
        if names:
            start = line.index(f" {one.opcode}(") + len(one.opcode) + 2
            line = line[:start] + ", ".join(f"%{name}" for name in names) + line[line.index(")", start):]
        if layouts[0] is None:
            lines.append(line)
        else:
            lines.append(line.replace("  ROOT ", "  ", 1))
            renamed[one.computation, one.name] = call(one.name, one, layouts[0], line.startswith("  ROOT "))
    return "\n".join(lines) + "\n"
