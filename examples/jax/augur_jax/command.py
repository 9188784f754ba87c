# SPDX-License-Identifier: MIT
"""The command augur-jax."""
import argparse
import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from .refused import Refused

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def number(kind: Callable[[str], Any], low: float, high: float) -> Callable[[str], Any]:
    def parsed(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"\"{text}\" is no {kind.__name__} from {low:g} to {high:g}")
        return value
    return parsed


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="augur-jax",
                                description="Finds faster ways to write the ops of a JAX function on the CPU.")
    commands = p.add_subparsers(dest="command", required=True, metavar="COMMAND")
    tune = commands.add_parser("tune", help="search for a function, and write a file for augur_jax.load",
                               description="Searches faster ways to write the ops of a function. The same command goes "
                               "on where it ended, also after a kill.")
    tune.add_argument("function", metavar="MODULE:NAME", help="the function; modules of this folder are found")
    tune.add_argument("--args", metavar="MODULE:NAME", help="its arguments: a tuple, or a function that gives one "
                      "(what FUNCTION.arguments() gives)")
    tune.add_argument("--minutes", type=number(float, 0.01, 10000), default=3, metavar="N",
                      help="about how long (3)")
    tune.add_argument("--out", metavar="FILE",
                      help="the file, and FILE.journal with each measurement (NAME.tuned.json)")
    tune.add_argument("--tolerance", type=number(float, 1e-7, 0.1), default=1e-3, metavar="X",
                      help="how far results may be from the original's, relative (0.001)")
    tune.add_argument("--model", metavar="FILE", help="what to expect: a run or checkpoint of nests, trained on "
                      "files of augur-jax ops (the one that is built in)")
    tune.add_argument("--quiet", action="store_true", help="no progress")
    show = commands.add_parser("show", help="print what a file has",
                               description="Prints the table of a tuned function.")
    show.add_argument("file", metavar="FILE")
    show.add_argument("--html", metavar="FILE", dest="out", help="write a page with all sites and what was measured")
    ops = commands.add_parser("ops", help="measure random ops, for nests train",
                              description="Measures random ops in all ways to write them, and writes files of rows "
                              "that nests train reads. The same command goes on after the files that are there.")
    ops.add_argument("--out", required=True, metavar="DIR", help="folder for the files")
    ops.add_argument("--minutes", type=number(float, 0.01, 10000), default=60, metavar="N", help="how long (60)")
    ops.add_argument("--seed", type=number(int, 0, 2**31), default=0, metavar="N", help="which ops (0)")
    layouts = commands.add_parser("layouts", help="measure layouts with XLA, for tgraph train",
                                  description="Measures layouts of small programs, and writes files of TpuGraphs' form "
                                  "with manifest.json. The same command goes on after the files that are there.")
    layouts.add_argument("programs", nargs="?", metavar="MODULE:NAME", default="programs.families:FAMILIES",
                         help="by family, what makes a program of a number: a function and its arguments "
                         "(programs.families:FAMILIES)")
    place = layouts.add_mutually_exclusive_group(required=True)
    place.add_argument("--out", metavar="DIR", help="folder for the files")
    place.add_argument("--again", metavar="DIR", help="measure the configurations of its files a second time")
    layouts.add_argument("--families", metavar="NAME,...", help="of these families only (all)")
    layouts.add_argument("--each", type=number(int, 1, 10000), metavar="N",
                         help="programs of each family (12)")
    layouts.add_argument("--configs", type=number(int, 2, 10000), metavar="N",
                         help="configurations of a program, the default among them (48)")
    layouts.add_argument("--minutes", type=number(float, 0.01, 10000), default=60, metavar="N",
                         help="no program is begun after so many (60)")
    layouts.add_argument("--seed", type=number(int, 0, 2**31), metavar="N", help="which configurations (0)")
    layouts.add_argument("--tgraph", default="tgraph", metavar="PROGRAM", help="imports modules (tgraph)")
    for each in (tune, ops, layouts):
        each.add_argument("--threads", choices=["1", "all"], default="all",
                          help="1: measure CPU time of one thread; all: the clock, with all that XLA uses here (all)")
    return p


def named(text: str) -> Any:
    """The object MODULE:NAME."""
    module, colon, name = text.partition(":")
    if not (module and colon and name):
        raise Refused(f"\"{text}\" is not MODULE:NAME, for example model:loss for loss in model.py; give both")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as reason:
        raise Refused(f"the module {module} cannot be imported ({reason}); start in its folder or install it") from None
    except AttributeError:
        raise Refused(f"the module {module} has no {name}; give a name that it defines") from None


def arguments(given: str | None, f: Any) -> tuple[Any, ...]:
    if given is None and not hasattr(f, "arguments"):
        raise Refused("the function has no arguments() that gives its arguments; name them with --args MODULE:NAME")
    value = named(given) if given is not None else f.arguments
    value = value() if callable(value) else value
    return value if isinstance(value, tuple) else (value,)


def run(given: argparse.Namespace) -> int:
    threads = 1 if getattr(given, "threads", "all") == "1" else None
    if given.command == "show":
        from .page import write
        from .tuned import Tuned

        tuned = Tuned.read(given.file)
        if given.out:
            write(given.out, tuned, given.file)
        print(tuned.table())
    elif given.command == "tune":
        from .tuner import tune

        f = named(given.function)
        print(tune(f, *arguments(given.args, f), minutes=given.minutes, out=given.out, tolerance=given.tolerance,
                   threads=threads, prior=given.model, quiet=given.quiet).table())
    elif given.command == "layouts":
        from .layouts import Collector

        if given.again and any(x is not None for x in (given.families, given.each, given.configs, given.seed)):
            raise Refused("--families, --each, --configs and --seed choose what is measured first, and --again takes "
                          "all of its files; leave them out")
        programs = named(given.programs)
        if not isinstance(programs, Mapping):
            raise Refused(f"{given.programs} is not a dictionary of families; name one")
        collector = Collector(programs, given.out or given.again, given.minutes, given.seed or 0, threads, given.tgraph,
                              lambda line: print(line, file=sys.stderr, flush=True))
        families = given.families.split(",") if given.families else list(programs)
        many = collector.again() if given.again else collector.collect(families, given.each or 12, given.configs or 48)
        print(f"{many} programs measured, {len(collector.manifest.files)} files")
    else:
        from .ops import ops

        many = ops(given.out, given.minutes, given.seed, threads,
                   lambda n, ways: print(f"{n} ops, the last one in {ways} ways", file=sys.stderr))
        print(f"{many} ops measured: nests train --data {given.out}")
    return OK


def main(given: list[str] | None = None) -> int:
    options = parser().parse_args(given)
    try:
        return run(options)
    except Refused as reason:
        print(f"augur-jax: {reason}.", file=sys.stderr)
    except OSError as reason:
        print(f"augur-jax: {reason.filename or options.out or 'a file'} cannot be written: {reason.strerror}; make "
              "room or name another place.", file=sys.stderr)
    except ImportError as reason:
        print(f"augur-jax: JAX cannot be loaded ({reason}); install it: pip install examples/jax.", file=sys.stderr)
    except KeyboardInterrupt:
        print("\naugur-jax: interrupted; the same command goes on.", file=sys.stderr)
        return INTERRUPTED
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
