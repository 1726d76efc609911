"""The theme of all figures: sizes, fonts, and for each policy one colour, marker and line style throughout.

Readers with any of the common colour deficiencies can distinguish the colours, which also darken in steps for
greyscale printing. Markers, lines and hatches repeat the same information.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from isegoria.errors import InputError, MissingExtraError
from isegoria.io.storage import atomic_write
from isegoria.rules import list_objectives
from isegoria.utils.formatting import SCORE_LABELS

P = ParamSpec("P")
R = TypeVar("R")

_PALETTE = (
    "#004488",
    "#DDAA33",
    "#BB5566",
    "#56B4E9",
    "#117744",
    "#AA7FC0",
    "#222222",
    "#999933",
    "#44AA99",
    "#882255",
    "#777777",
    "#EE7733",
    "#332288",
    "#CC79A7",
    "#6B4423",
    "#A5C800",
    "#00A0A0",
    "#FF6F91",
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")
_LINE_STYLES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1.5)))


class PolicyStyle(NamedTuple):
    """The label, colour, marker and line style of a policy in every figure."""

    label: str
    colour: str
    marker: str
    line: str | tuple[Any, ...]


def policy_styles(labels: Mapping[str, str] | None = None) -> dict[str, PolicyStyle]:
    """Return the `PolicyStyle` of each policy by name, from `labels` in a table's order; by default of every objective.

    No two of the first 36 have both marker and line in common.
    """
    labels = {row.id: row.label for row in list_objectives().values()} if labels is None else labels
    return {name: PolicyStyle(label, *_style_at(place)) for place, (name, label) in enumerate(labels.items())}


def styles_for_labels(labels: Iterable[str]) -> dict[str, PolicyStyle]:
    """Return the `PolicyStyle` of each policy of a data file, which names policies by label.

    An objective keeps its own look; policies that are no longer installed get looks that no objective has.
    """
    own = {look.label: look for look in policy_styles().values()}
    strange = [label for label in dict.fromkeys(labels) if label not in own]
    return own | {label: PolicyStyle(label, *_style_at(len(own) + place)) for place, label in enumerate(strange)}


def _style_at(place: int) -> tuple[str, str, Any]:
    """Return the colour, marker and line of the policy at this position of a table."""
    line = _LINE_STYLES[(place + place // len(_LINE_STYLES)) % len(_LINE_STYLES)]
    return _PALETTE[place % len(_PALETTE)], _MARKERS[place % len(_MARKERS)], line


SCORE_AXIS_LABELS = {name: f"{label} score" for name, label in SCORE_LABELS.items()}
SCORE_HATCHES = {"procedural": "", "equality": "////", "utilitarian": "----"}
SCORE_COLOURS = {"procedural": "#004488", "equality": "#DDAA33", "utilitarian": "#BB5566"}
SCORE_LINES = {"procedural": "-", "equality": "--", "utilitarian": "-."}

ARM_COLOURS = ("#222222", "#CC6677", "#44AA99", "#999933", "#332288", "#88CCEE", "#882255", "#DDCC77", "#117733")
"""Colours of arms, which are used in turn and always with a line style or a label. Policies have another palette."""

INK_COLOUR = "#222222"
MUTED_COLOUR = "#8A8A8A"

WIDTHS_INCHES = {"column": 3.4, "page": 7.0}
"""Widths of one column and of a whole two-column page."""
GOLDEN_RATIO = 0.618
PRINT_DPI = 300
SCREEN_DPI = 120

_RC_PARAMS = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.labelcolor": INK_COLOUR,
    "axes.edgecolor": INK_COLOUR,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.color": INK_COLOUR,
    "ytick.color": INK_COLOUR,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.0,
    "hatch.linewidth": 0.6,
    "hatch.color": "white",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "isegoria",
    "pdf.fonttype": 42,  # TrueType fonts, which journals ask for
}


def require_matplotlib() -> ModuleType:
    """Import and return Matplotlib; raise MissingExtraError, which says how to install it, without the plot extra."""
    try:
        import matplotlib
    except ImportError as missing:
        raise MissingExtraError("figures need matplotlib; install it with: pip install 'isegoria[plot]'.") from missing
    return matplotlib


def can_draw(note: Callable[[str], object]) -> bool:
    """Return whether figures can be drawn; if not, call `note` with how to change that."""
    try:
        require_matplotlib()
    except MissingExtraError as missing:
        note(f"the figures were left out, the tables are all there: {missing}")
        return False
    return True


def apply_theme(draw: Callable[P, R]) -> Callable[P, R]:
    """Decorate a drawing function so that the legends, lines and text it makes follow the theme.

    >>> @apply_theme
    ... def empty():
    ...     return make_figure()[0]
    >>> type(empty()).__name__
    'Figure'
    """

    @wraps(draw)
    def themed(*args: P.args, **kwargs: P.kwargs) -> R:
        with require_matplotlib().rc_context(_RC_PARAMS):
            return draw(*args, **kwargs)

    return themed


def make_figure(
    width: str = "column", height: float | None = None, rows: int = 1, columns: int = 1, **subplots: Any
) -> tuple[Any, Any]:
    """Create (fig, ax) in the theme; `height` is in inches, by default 0.618 (golden ratio) of the width.

    It opens no window and has no global state: the figure belongs to the caller. With several `rows` or `columns`, ax
    is an array.

    >>> fig, ax = make_figure("column", height=2.0)
    >>> [float(side) for side in fig.get_size_inches()]
    [3.4, 2.0]
    """
    if width not in WIDTHS_INCHES:
        raise InputError(f"the width of a figure is one of {', '.join(WIDTHS_INCHES)}, not {width!r}.")
    with require_matplotlib().rc_context(_RC_PARAMS):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        inches = WIDTHS_INCHES[width]
        size = (inches, height or GOLDEN_RATIO * inches)
        if _interactive.get() and _in_notebook():
            from matplotlib import pyplot

            fig = pyplot.figure(figsize=size, dpi=SCREEN_DPI, layout="constrained")
        else:
            fig = Figure(figsize=size, dpi=PRINT_DPI, layout="constrained")
            FigureCanvasAgg(fig)  # a canvas that can measure text, for labels that must not overlap
        return fig, fig.subplots(rows, columns, **subplots)


_interactive: ContextVar[bool] = ContextVar("shown", default=False)


@contextmanager
def interactive_figures() -> Iterator[None]:
    """Create figures within this block so that a notebook shows them below the cell; elsewhere change nothing."""
    if _in_notebook():
        require_matplotlib()
        from matplotlib import pyplot

        pyplot.ion()  # before the first figure: `rc_context` would undo what a kernel sets there
    token = _interactive.set(True)
    try:
        yield
    finally:
        _interactive.reset(token)


def _in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def figure_for_axes(ax: Any, width: str = "column", height: float | None = None) -> tuple[Any, Any]:
    """Return (fig, ax): the given axes with their figure, or a new figure in the theme if `ax` is None."""
    return (ax.figure, ax) if ax is not None else make_figure(width, height)


def draw_legend(fig: Any, ax: Any, given: bool, handles: Any = None, **options: Any) -> None:
    """Add a legend above a figure of this package, or inside axes `given` by the caller, who owns their figure."""
    known = {} if handles is None else {"handles": handles}
    if given:
        shared = {name: value for name, value in options.items() if name in ("labels", "handler_map", "handlelength")}
        ax.legend(**known, **shared, fontsize=7)
    else:
        fig.legend(**known, loc="outside upper center", **options)


def save_figure(fig: Any, path: str | PathLike[str]) -> Path:
    """Write a figure as PNG for print, SVG or PDF, by suffix, and return its path; equal figures give equal bytes."""
    path = Path(path)
    kind = path.suffix.lower().lstrip(".")
    metadata: dict[str, dict[str, None]] = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    if kind not in metadata:
        raise InputError(f"{path.name}: a figure is saved as .png, .svg or .pdf; give one of these suffixes.")
    picture = io.BytesIO()
    with require_matplotlib().rc_context(_RC_PARAMS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # missing glyphs are drawn as boxes
        fig.savefig(picture, format=kind, dpi=PRINT_DPI, metadata=metadata[kind])
    return atomic_write.write_bytes(path, picture.getvalue())


def format_log_axis(axis: Any) -> None:
    """Format the ticks of a logarithmic Matplotlib axis as plain numbers: decades, with 2 and 5 where they are few."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    axis.set_major_locator(LogLocator(subs=(1.0,) if high > 100 * low else (1.0, 2.0, 5.0)))
    axis.set_minor_formatter(NullFormatter())
    format_rounds_axis(axis)


def format_rounds_axis(axis: Any) -> None:
    """Format the ticks of a Matplotlib axis of rounds as 500, 20k, 40k, …."""
    axis.set_major_formatter(lambda value, _: f"{value / 1000:g}k" if value >= 1000 else f"{value:g}")
