# SPDX-License-Identifier: MIT
"""Arrays of an npz file from the schedules of a workload; docs/formats/tpgnn.md describes them. Knows no TVM."""
import numpy as np

import measure
import tree

FEATURES = 164


def text(lines):
    """Lines as bytes: npz files have texts only as objects of Python or four bytes a letter."""
    return np.frombuffer("\n".join(lines).encode("ascii"), np.uint8)


def lines(array):
    """The inverse of text."""
    return bytes(array).decode("ascii").split("\n")


def offsets(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def small(values):
    """As uint8 if they fit, else int32."""
    array = np.asarray(values, np.int32)
    return array.astype(np.uint8) if array.size == 0 or array.max() < 256 else array


def nanoseconds(seconds):
    return np.round(np.asarray(seconds, np.float64) * 1e9).astype(np.int64)


def joined(trees, column):
    return [entry for t in trees for entry in getattr(t, column)]


def nodes(trees):
    kinds = {}
    numbers = [kinds.setdefault(kind, len(kinds)) for kind in joined(trees, "kind")]
    return {
        "kinds": text(f"{' '.join(kind)} {int(kind[0] in tree.NAMED)}" for kind in kinds),
        "node_kind": small(numbers),
        "node_children": small(joined(trees, "children")),
        "node_value": np.array(joined(trees, "value"), np.float32),
        "node_refers": small(joined(trees, "refers")),
        "node_offset": offsets([len(t) for t in trees]),
    }


def stores(features):
    """Schedules of a program share many rows, so each is kept once."""
    rows, which = np.unique(np.concatenate(features), axis=0, return_inverse=True)
    return {"feature_row": rows, "store_row": small(which.ravel()), "store_offset": offsets([len(f) for f in features])}


def pack(workload, rows):
    """Arrays by name. rows: what gather.gather makes."""
    features = [np.asarray(r["features"], np.float32).reshape(-1, FEATURES) for r in rows]
    return {"workload": text([workload]), **nodes([r["tree"] for r in rows]), **stores(features), **times(rows)}


def times(rows):
    summaries = [measure.summary(r["passes"]) for r in rows]
    return {
        "schedule_runtime": nanoseconds([s[0] for s in summaries]),
        "schedule_median": nanoseconds([s[1] for s in summaries]),
        "schedule_spread": np.array([s[2] for s in summaries], np.float32),
        # The smallest of the first and of the second pass; of a single one it twice.
        "schedule_passes": nanoseconds([[min(p) for p in (2 * r["passes"])[:2]] for r in rows]),
        "schedule_noisy": np.array([not measure.agree(r["passes"]) for r in rows], np.uint8),
        "schedule_origin": np.array([r["origin"] for r in rows], np.uint8),
        "schedule_hash": np.array([r["hash"] & (2**64 - 1) for r in rows], np.uint64).view(np.int64),
    }
