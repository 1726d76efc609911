"""Cost against the number of distinct rows, from a hundred to a million: a slope and a log-log plot."""

from __future__ import annotations

from time import perf_counter

import numpy as np

import isegoria as iso
from isegoria.figures import theme

ARMS, AGENTS = 10, 1_000_000
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
FIRST_FITTED_SIZE = SIZES.index(10_000)  # below, what every solve costs still weighs
PLOT_PATH = "out/bench/distinct-rows.png"


def time_solve(means: np.ndarray, objective: str) -> float:
    """The best of three whole solves, validation and merging included."""
    best = float("inf")
    for _ in range(3):
        start = perf_counter()
        iso.solve(iso.Instance(means), objective)
        best = min(best, perf_counter() - start)
    return best


def measure_curves() -> dict[str, list[float]]:
    """For nash with as many agents as rows, and with a million agents on that many distinct rows."""
    rng = np.random.default_rng(42)
    curves: dict[str, list[float]] = {"every agent has its own row": [], "a million agents share the rows": []}
    for size in SIZES:
        table = rng.random((size, ARMS))
        curves["every agent has its own row"].append(time_solve(table, "nash"))
        repeated = np.ascontiguousarray(table[rng.integers(size, size=AGENTS)])
        curves["a million agents share the rows"].append(time_solve(repeated, "nash"))
    return curves


def main() -> None:
    """Print the table and the slopes, and draw the plot."""
    curves = measure_curves()
    print(f"{'distinct rows':>14}" + "".join(f"{name:>34}" for name in curves))
    for i, size in enumerate(SIZES):
        print(f"{size:14,}" + "".join(f"{1e3 * times[i]:31.2f} ms" for times in curves.values()))
    slope = np.polyfit(
        np.log(SIZES[FIRST_FITTED_SIZE:]), np.log(curves["every agent has its own row"][FIRST_FITTED_SIZE:]), 1
    )[0]
    print(
        f"slope on the log-log plot from {SIZES[FIRST_FITTED_SIZE]:,} rows on, each agent its own row: "
        f"{slope:.2f} (1 is linear)"
    )
    draw_plot(curves)


@theme.apply_theme
def draw_plot(curves: dict[str, list[float]]) -> None:
    """The log-log plot, with a line of slope 1 to compare."""
    figure, axis = theme.make_figure(width="column")
    for (name, times), marker in zip(curves.items(), "os", strict=True):
        axis.loglog(SIZES, times, marker=marker, label=name)
    first = curves["every agent has its own row"]
    axis.loglog(SIZES, [first[-1] * size / SIZES[-1] for size in SIZES], linestyle=":", color="0.5", label="linear")
    axis.set(xlabel="distinct rows", ylabel="seconds, nash, 10 arms")
    axis.legend()
    print(f"plot: {theme.save_figure(figure, PLOT_PATH)}")


if __name__ == "__main__":
    main()
