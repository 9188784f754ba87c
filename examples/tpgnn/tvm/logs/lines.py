# SPDX-License-Identifier: MIT
"""Lines of a file of any size, one at a time, and the JSON in them."""
import json
import math

LINE_LIMIT = 16 << 20  # bytes
CHUNK = 1 << 16


class Bad(Exception):
    """A sentence about one line: it is skipped, or the file is refused."""


def lines(file, limit=LINE_LIMIT):
    """(number from 1, bytes without the newline; None where there are more than `limit`) of each line."""
    number = 0
    while True:
        line = file.readline(limit + 1)
        if not line:
            return
        number += 1
        ended = line.endswith(b"\n")
        if not ended and len(line) > limit:
            pass_over(file)
            yield number, None
        else:
            yield number, line[:-1] if ended else line


def pass_over(file):
    """Reads to the end of the line and keeps nothing of it."""
    while True:
        part = file.readline(CHUNK)
        if not part or part.endswith(b"\n"):
            return


def is_comment(line):
    """Whether TVM passes over a line, too."""
    return line[:1] in (b"", b"#", b" ") or line == b"\r"


def _object(pairs):
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("an object has a key twice")
    return value


def _finite(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is no finite number")
    return value


def _constant(text):
    raise ValueError(f"{text} is no number of JSON")


def parse(line):
    """The list or object of a line. Raises Bad for what is no JSON of TVM."""
    try:
        value = json.loads(line.decode(), object_pairs_hook=_object, parse_float=_finite, parse_constant=_constant)
    except RecursionError:
        raise Bad("no JSON that can be read: it is nested too deeply") from None
    except ValueError as reason:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise Bad(f"no JSON: {str(reason)[:160]}") from None
    if not isinstance(value, (list, dict)):
        raise Bad("no JSON of a tuner: it must be a list or an object")
    return value


def shown(value):
    """The beginning of a value, for a sentence."""
    try:
        text = json.dumps(value, separators=(",", ":"))
    except RecursionError:
        return "nested too deeply to be shown"
    return text if len(text) <= 40 else f"{text[:40]}..."


def is_whole(value):
    return type(value) is int  # a bool is none


def is_number(value):
    return type(value) in (int, float)


def are(kind, values):
    """Whether `values` is a list whose items are all of a kind: a type, or a test."""
    test = kind if not isinstance(kind, type) else lambda value: isinstance(value, kind)
    return isinstance(values, list) and all(map(test, values))
