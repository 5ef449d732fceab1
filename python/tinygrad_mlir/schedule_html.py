"""The view of a schedule in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .compiler import Kernel, Schedule

# Colours follow the notebook's theme where it tells of one.
_STYLE = """
.tg-schedule { font: 13px/1.5 system-ui, sans-serif; max-width: 60em; }
.tg-schedule .tg-title { font-weight: 600; margin: 0 0 .4em; }
.tg-schedule .tg-row { display: grid; gap: 1em; align-items: center;
  grid-template-columns: 2.5em minmax(8em, 2fr) minmax(7em, 1fr) minmax(7em, 1fr); }
.tg-schedule .tg-head { opacity: .7; padding: 0 .5em; }
.tg-schedule details { border-top: 1px solid rgba(128, 128, 128, .35); }
.tg-schedule summary { cursor: pointer; padding: .3em .5em; list-style: none; }
.tg-schedule summary::-webkit-details-marker { display: none; }
.tg-schedule summary:hover { background: rgba(128, 128, 128, .12); }
.tg-schedule .tg-name { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.tg-schedule .tg-name::before { content: "\\25b8"; display: inline-block;
  width: 1.2em; }
.tg-schedule details[open] .tg-name::before { content: "\\25be"; }
.tg-schedule .tg-number { text-align: right; font-variant-numeric: tabular-nums; }
.tg-schedule .tg-bar { height: 3px; background: #4c78a8; border-radius: 2px;
  margin-left: auto; }
.tg-schedule .tg-bytes .tg-bar { background: #f58518; }
.tg-schedule pre { margin: 0 0 .6em 3em; padding: .6em; max-height: 26em;
  overflow: auto; background: rgba(128, 128, 128, .1); border-radius: 4px;
  font-size: 12px; }
.tg-schedule h4 { margin: .3em 0 .2em 3em; font-size: 12px; }
"""

_HEAD = (
    '<div class="tg-row tg-head"><span></span><span>kernel</span>'
    '<span class="tg-number">operations</span>'
    '<span class="tg-number">bytes</span></div>'
)


def _format(number: int) -> str:
    """A number in three digits, as in 1.25 M."""
    value, units = float(number), ["", " k", " M", " G", " T", " P"]
    for unit in units:
        if value < 999.5 or unit == units[-1]:
            break
        value /= 1000
    return f"{value:.3g}{unit}"


def _cell(kind: str, number: int, most: int) -> str:
    width = 100 * number / most if most else 0
    return (
        f'<span class="tg-number tg-{kind}" title="{number:,}">{_format(number)}'
        f'<div class="tg-bar" style="width: {width:.1f}%"></div></span>'
    )


def _row(number: int, kernel: Kernel, most_flops: int, most_bytes: int) -> str:
    return (
        '<details><summary class="tg-row">'
        f'<span class="tg-number">{number}</span>'
        f'<span class="tg-name">{html.escape(kernel.name)}</span>'
        f"{_cell('flops', kernel.flops, most_flops)}"
        f"{_cell('bytes', kernel.bytes, most_bytes)}</summary>"
        f"<h4>operations</h4><pre>{html.escape(kernel.code)}</pre>"
        f"<h4>loops</h4><pre>{html.escape(kernel.loops)}</pre></details>"
    )


def render(schedule: Schedule) -> str:
    """Returns the HTML of a schedule: a row for each kernel, which unfolds."""
    flops = [kernel.flops for kernel in schedule]
    sizes = [kernel.bytes for kernel in schedule]
    title = (
        f"Schedule of {len(flops)} kernel{'' if len(flops) == 1 else 's'}: "
        f"{_format(sum(flops))} operations, {_format(sum(sizes))} bytes"
    )
    rows = "".join(
        _row(number, kernel, max(flops), max(sizes))
        for number, kernel in enumerate(schedule)
    )
    return (
        f'<div class="tg-schedule"><style>{_STYLE}</style>'
        f'<p class="tg-title">{title}</p>{_HEAD if flops else ""}{rows}</div>'
    )
