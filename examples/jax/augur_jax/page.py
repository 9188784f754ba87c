# SPDX-License-Identifier: MIT
"""A tuned program on one page: what was found, where, and how the search went."""
import math
import os
from collections.abc import Iterable, Sequence
from html import escape

from .sites import KEEP
from .tuned import Tuned

STYLE = """:root{--paper:#fff;--ink:#222b37;--soft:#5d6877;--line:#dfe4ea;--box:#f5f7f9;--mark:#2f6fb5}
@media(prefers-color-scheme:dark){
:root{--paper:#14181e;--ink:#e4e8ee;--soft:#a0aab8;--line:#2c343f;--box:#1c222a;--mark:#6aa5e6}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.75rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line)}
.soft,figcaption,summary{color:var(--soft)}figure{margin:1.25rem 0;max-width:50rem}figcaption{font-size:.9rem}
.facts{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 0;padding:0;list-style:none}
.facts li{background:var(--box);border:1px solid var(--line);border-radius:.5rem;padding:.7rem 1rem;min-width:8.5rem}
.facts b{display:block;font-size:1.45rem;line-height:1.3;font-variant-numeric:tabular-nums}
.facts span{color:var(--soft);font-size:.85rem}.own{color:var(--mark);font-weight:600}.table{overflow-x:auto}
table{border-collapse:collapse;font-size:.92rem}
th,td{text-align:left;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line)}
pre{background:var(--box);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;white-space:pre-wrap}
svg text{fill:var(--soft);font:12px system-ui,sans-serif}svg line{stroke:var(--line)}
svg circle{fill:var(--soft);fill-opacity:.45}svg path{fill:none;stroke:var(--mark);stroke-width:2}"""
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{name}</title>
<style>
{style}
</style>
</head>
<body>
<main>
"""
WIDTH, HEIGHT, LEFT, BOTTOM, SLOWEST = 760, 300, 56, 36, 2.0  # what is slower is at the upper edge
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


def curve(measured: Sequence[tuple[float, float]]) -> str:
    """A point for each variant, and a line for the best so far; the ratio has a logarithmic axis."""
    last = max(at for at, _ in measured) or 1.0
    low = math.log(min(0.5, *(ratio for _, ratio in measured))) - 0.1

    def x(at: float) -> float:
        return LEFT + (WIDTH - LEFT - 24) * at / last

    def y(ratio: float) -> float:
        high = math.log(SLOWEST)
        return 10 + (HEIGHT - BOTTOM - 10) * (high - min(math.log(ratio), high)) / (high - low)
    parts = [f'<line x1="{LEFT}" x2="{WIDTH - 24}" y1="{y(t):.1f}" y2="{y(t):.1f}"/><text x="{LEFT - 8}" '
             f'y="{y(t) + 4:.1f}" text-anchor="end">{t:g}</text>' for t in TICKS if math.log(t) >= low]
    parts += [f'<text x="{x(part * last):.1f}" y="{HEIGHT - 14}" text-anchor="middle">{part * last:.0f} s</text>'
              for part in (0, 0.25, 0.5, 0.75, 1)]
    parts += [f'<circle cx="{x(at):.1f}" cy="{y(ratio):.1f}" r="2.5"/>' for at, ratio in measured]
    best, path = 1.0, f"M{x(0):.1f} {y(1):.1f}"
    for at, ratio in measured:
        best = min(best, ratio)
        path += f"H{x(at):.1f}V{y(best):.1f}"
    return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="the search">{"".join(parts)}<path d="{path}"/>'
            "</svg>")


def table(rows: Iterable[Sequence[str]]) -> str:
    """The fourth cell of a row is marked."""
    def line(row: Sequence[str]) -> str:
        return "".join(f"<td{' class=own' * (k == 3)}>{escape(cell)}</td>" for k, cell in enumerate(row))
    head = "".join(f"<th>{name}</th>" for name in ("site", "what", "source", "choice", "share of the gain"))
    body = "\n".join(f"<tr>{line(row)}</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def page(tuned: Tuned, path: str) -> str:
    """path: of its file."""
    facts = {"of the original's time": f"{tuned.ratio:.3f}", "original": f"{tuned.original_ns / 1e6:.3f} ms",
             "tuned": f"{tuned.original_ns * tuned.ratio / 1e6:.3f} ms", "noise": f"{tuned.noise:.3f}",
             **{what: str(n) for what, n in tuned.counts.items()}}
    boxes = "".join(f"<li><b>{escape(text)}</b><span>{escape(name)}</span></li>" for name, text in facts.items())
    rows = [(f"{k} {site.kind}", site.what, site.where, tuned.winner.get(k, KEEP),
             f"{100 * tuned.shares.get(k, 0):.0f} %" if k in tuned.winner else "")
            for k, site in enumerate(tuned.sites)]
    changed, kept = ([row for row in rows if (row[3] == KEEP) is same] for same in (False, True))
    name = escape(tuned.name)
    parts = [f"<h1>{name}({escape(', '.join(tuned.arguments))})</h1>", f'<ul class="facts">{boxes}</ul>',
             "<h2>What is written in another way</h2>",
             table(changed) if changed else "<p>Nothing: nothing is faster by more than twice the noise.</p>",
             f"<details><summary>{len(kept)} sites are kept</summary>{table(kept)}</details>"]
    if tuned.measured:
        parts += [f"<h2>The search</h2><figure>{curve(tuned.measured)}<figcaption>Time of each variant, relative to "
                  "the original's; the line is the best so far. Winners were measured again.</figcaption></figure>"]
    if tuned.wrong:
        parts += ["<h2>Computed wrongly</h2><ul>", *(f"<li>{escape(each)}</li>" for each in tuned.wrong), "</ul>"]
    load = f"import augur_jax\n\n{name} = augur_jax.load({escape(repr(os.path.basename(path)))}, {name})"
    parts += [f"<h2>How to use it</h2><pre>{load}</pre>", "<h2>Where it was measured</h2><ul>",
              *(f"<li>{escape(str(k))} {escape(str(v))}</li>" for k, v in tuned.machine.items()), "</ul>"]
    return HEAD.format(name=name, style=STYLE) + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"


def write(out: str, tuned: Tuned, path: str) -> None:
    with open(out, "w", encoding="utf-8") as file:
        file.write(page(tuned, path))
