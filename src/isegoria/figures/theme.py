"""One look for every figure: sizes, type, and for each policy a colour, marker and line that it keeps everywhere.

The colours are told apart by readers with any of the common colour deficiencies, and darken in steps, so that they
survive a grey printer; markers, lines and hatches say the same thing once more.
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
from isegoria.io import atomic
from isegoria.rules import OBJECTIVES
from isegoria.wording import SCORES

P = ParamSpec("P")
R = TypeVar("R")

_PALETTE = (
    "#004488", "#DDAA33", "#BB5566", "#56B4E9", "#117744", "#AA7FC0", "#222222", "#999933", "#44AA99", "#882255",
    "#777777", "#EE7733", "#332288", "#CC79A7", "#6B4423", "#A5C800", "#00A0A0", "#FF6F91",
)  # fmt: skip
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")
_LINES: tuple[Any, ...] = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1.5)))


class Look(NamedTuple):
    """How a policy looks in every figure."""

    label: str
    colour: str
    marker: str
    line: str | tuple[Any, ...]


def looks(labels: Mapping[str, str] | None = None) -> dict[str, Look]:
    """The `Look` of each policy by name, given their `labels` in a table's order; if None, of every objective.

    No two of the first 36 have both marker and line in common.
    """
    labels = {row.id: row.label for row in OBJECTIVES.values()} if labels is None else labels
    return {name: Look(label, *_kind(place)) for place, (name, label) in enumerate(labels.items())}


def looks_of(labels: Iterable[str]) -> dict[str, Look]:
    """The `Look` of each policy of a data file, which names them by label: an objective keeps its own, and those that
    are not installed any more have looks that no other has."""
    own = {look.label: look for look in looks().values()}
    strange = [label for label in dict.fromkeys(labels) if label not in own]
    return own | {label: Look(label, *_kind(len(own) + place)) for place, label in enumerate(strange)}


def _kind(place: int) -> tuple[str, str, Any]:
    """The colour, marker and line of the policy at this place of a table."""
    line = _LINES[(place + place // len(_LINES)) % len(_LINES)]
    return _PALETTE[place % len(_PALETTE)], _MARKERS[place % len(_MARKERS)], line


SCORE_LABELS = {name: f"{label} score" for name, label in SCORES.items()}
SCORE_HATCHES = {"procedural": "", "equality": "////", "utilitarian": "----"}
SCORE_COLOURS = {"procedural": "#004488", "equality": "#DDAA33", "utilitarian": "#BB5566"}
SCORE_LINES = {"procedural": "-", "equality": "--", "utilitarian": "-."}

ARM_COLOURS = ("#222222", "#CC6677", "#44AA99", "#999933", "#332288", "#88CCEE", "#882255", "#DDCC77", "#117733")
"""Arms are not policies: another palette, taken in turn and always with a line style or a label beside it."""

INK = "#222222"
QUIET = "#8A8A8A"

WIDTHS = {"column": 3.4, "page": 7.0}
"""Inches: one column and the whole width of a two-column page."""
GOLDEN = 0.618
PRINT_DPI = 300
SCREEN_DPI = 120

_RC = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
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
    "xtick.color": INK,
    "ytick.color": INK,
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
    "pdf.fonttype": 42,  # letters as letters, which journals ask for
}


def require_matplotlib() -> ModuleType:
    """The module matplotlib, imported now; without the plot extra, an error that says how to get it."""
    try:
        import matplotlib
    except ImportError as missing:
        raise MissingExtraError("figures need matplotlib; install it with: pip install 'isegoria[plot]'.") from missing
    return matplotlib


def can_draw(note: Callable[[str], object]) -> bool:
    """Whether figures can be drawn; if not, `note` is told how to change that."""
    try:
        require_matplotlib()
    except MissingExtraError as missing:
        note(f"the figures were left out, the tables are all there: {missing}")
        return False
    return True


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """`draw`, run inside the house theme, so that legends, lines and text made in it follow the theme too.

    >>> @styled
    ... def empty():
    ...     return figure()[0]
    >>> type(empty()).__name__
    'Figure'
    """

    @wraps(draw)
    def themed(*args: P.args, **kwargs: P.kwargs) -> R:
        with require_matplotlib().rc_context(_RC):
            return draw(*args, **kwargs)

    return themed


def figure(
    width: str = "column", height: float | None = None, rows: int = 1, columns: int = 1, **subplots: Any
) -> tuple[Any, Any]:
    """(fig, ax) in the house theme; `height` in inches, by default the golden section of the width.

    No window and no global state: the figure belongs to the caller. With several `rows` or `columns`, ax is an array.

    >>> fig, ax = figure("column", height=2.0)
    >>> [float(side) for side in fig.get_size_inches()]
    [3.4, 2.0]
    """
    if width not in WIDTHS:
        raise InputError(f"the width of a figure is one of {', '.join(WIDTHS)}, not {width!r}.")
    with require_matplotlib().rc_context(_RC):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        inches = WIDTHS[width]
        size = (inches, height or GOLDEN * inches)
        if _shown.get() and _in_notebook():
            from matplotlib import pyplot

            fig = pyplot.figure(figsize=size, dpi=SCREEN_DPI, layout="constrained")
        else:
            fig = Figure(figsize=size, dpi=PRINT_DPI, layout="constrained")
            FigureCanvasAgg(fig)  # a canvas that can measure text, for labels that must not overlap
        return fig, fig.subplots(rows, columns, **subplots)


_shown: ContextVar[bool] = ContextVar("shown", default=False)


@contextmanager
def shown() -> Iterator[None]:
    """Within this block new figures are made where a notebook shows them below the cell; elsewhere nothing changes."""
    if _in_notebook():
        require_matplotlib()
        from matplotlib import pyplot

        pyplot.ion()  # here and now: what a kernel sets at the first figure, our theme would set back behind it
    token = _shown.set(True)
    try:
        yield
    finally:
        _shown.reset(token)


def _in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and getattr(shell.get_ipython(), "kernel", None) is not None


def canvas(ax: Any, width: str = "column", height: float | None = None) -> tuple[Any, Any]:
    """(fig, ax): the axes that were given with their figure, or a new figure in the house theme."""
    return (ax.figure, ax) if ax is not None else figure(width, height)


def legend(fig: Any, ax: Any, given: bool, handles: Any = None, **options: Any) -> None:
    """A key above a figure of ours; inside the axes that were `given`, since their figure is somebody else's."""
    known = {} if handles is None else {"handles": handles}
    if given:
        ax.legend(**known, fontsize=7)
    else:
        fig.legend(**known, loc="outside upper center", **options)


def save(fig: Any, path: str | PathLike[str]) -> Path:
    """The path of the picture written: PNG for print, SVG or PDF, by suffix; equal figures give equal bytes."""
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
    with require_matplotlib().rc_context(_RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # such letters are drawn as boxes
        fig.savefig(picture, format=kind, dpi=PRINT_DPI, metadata=metadata[kind])
    return atomic.write_bytes(path, picture.getvalue())


def log_axis(axis: Any) -> None:
    """Write the ticks of a logarithmic matplotlib axis as plain numbers: decades, with 2 and 5 where they are few."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    axis.set_major_locator(LogLocator(subs=(1.0,) if high > 100 * low else (1.0, 2.0, 5.0)))
    axis.set_minor_formatter(NullFormatter())
    rounds_axis(axis)


def rounds_axis(axis: Any) -> None:
    """Write the ticks of a matplotlib axis of rounds as 500, 20k, 40k, …."""
    axis.set_major_formatter(lambda value, _: f"{value / 1000:g}k" if value >= 1000 else f"{value:g}")
