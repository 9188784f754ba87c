# SPDX-License-Identifier: MIT
"""Divides measured workloads into training, validation and test: by workload (new shapes of known kinds) and by kind.
A workload to validate or test with that is another one under a second name is left out."""
import argparse
import pathlib
import random
import sys

import numpy as np

TEST, VALID = 5, 10  # one of so many


def kinds_of(names):
    """{kind: its names}, both in order."""
    kinds = {}
    for name in sorted(names):
        kinds.setdefault(name.split("_")[0], []).append(name)
    return kinds


def parts_of(items, generator):
    """A fifth to test and a tenth to validate with, at least one of each."""
    order = sorted(items)
    generator.shuffle(order)
    test, valid = max(1, len(order) // TEST), max(1, len(order) // VALID)
    return {"test": order[:test], "valid": order[test:test + valid], "train": order[test + valid:]}


def by_workload(names, seed):
    """Parts of each kind."""
    generator = random.Random(f"{seed}:workload")
    kinds = [parts_of(own, generator) for own in kinds_of(names).values()]
    return {part: sum((own[part] for own in kinds), []) for part in ("train", "valid", "test")}


def by_kind(names, seed):
    """Whole kinds."""
    kinds = kinds_of(names)
    parts = parts_of(kinds, random.Random(f"{seed}:kind"))
    return {part: [name for kind in own for name in kinds[kind]] for part, own in parts.items()}


def schedules_of(path):
    """The structural hashes of its schedules."""
    with np.load(path) as arrays:
        return set(arrays["schedule_hash"].tolist())


def without_twins(lists, schedules):
    """Leaves out of validation what shares a schedule with training, and of test what shares one with either."""
    seen, left = set(), {}
    for part in ("train", "valid", "test"):
        left[part] = [name for name in lists[part] if part == "train" or not schedules[name] & seen]
        seen.update(*(schedules[name] for name in left[part]))
    return left


def grown(old, names, schedules, whole_kinds):
    """The old lists and workloads that are in none: they train, or stay with the others of their kind (whole_kinds).
    One that shares a schedule with a workload of another list is left out."""
    home = {name.split("_")[0]: part for part in old for name in old[part]} if whole_kinds else {}
    lists = {part: list(own) for part, own in old.items()}
    for name in sorted(set(names) - set(sum(old.values(), []))):
        part = home.get(name.split("_")[0], "train")
        if not any(schedules[name] & schedules[other] for p in lists if p != part for other in lists[p]):
            lists[part].append(name)
    return lists


def read(folder, split, names):
    """The lists in the folder, of workloads that are still there."""
    try:
        lists = {part: (folder / f"split-{split}.{part}.txt").read_text().split()
                 for part in ("train", "valid", "test")}
    except OSError as failure:
        sys.exit(f"split: {failure.filename} cannot be read ({failure.strerror}); split without --keep first")
    return {part: [name[:-4] for name in own if name[:-4] in names] for part, own in lists.items()}


def write(folder, split, lists):
    for part, names in lists.items():
        text = "".join(f"{name}.npz\n" for name in sorted(names))
        (folder / f"split-{split}.{part}.txt").write_text(text, encoding="ascii")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="with the npz files; the lists are written there")
    parser.add_argument("--seed", type=int, default=0, help="of the choice (0)")
    parser.add_argument("--keep", action="store_true",
                        help="keep the lists of the folder (--seed is not read) and add workloads that are in none "
                        "to training, in split-kind to the others of their kind")
    options = parser.parse_args(arguments)
    names = [path.stem for path in options.folder.glob("*.npz")]
    if not names:
        sys.exit(f"split: {options.folder} has no npz files; name the folder that collect.py has written")
    schedules = {name: schedules_of(options.folder / f"{name}.npz") for name in names}
    if options.keep:
        old = {split: read(options.folder, split, names) for split in ("workload", "kind")}
        lists = {split: grown(old[split], names, schedules, split == "kind") for split in old}
    else:
        lists = {"workload": by_workload(names, options.seed), "kind": by_kind(names, options.seed)}
        lists = {split: without_twins(own, schedules) for split, own in lists.items()}
    for split, own in lists.items():
        write(options.folder, split, own)


if __name__ == "__main__":
    main()
