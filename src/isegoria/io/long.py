"""Long CSV: one line for each agent and arm, headed `agent,arm,value` or `agent,arm,value,weight`."""

from __future__ import annotations

import numpy as np

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.instance.headings import meant
from isegoria.io.cells import matrix, rescaled, whole_numbers
from isegoria.io.sheet import Sheet
from isegoria.wording import counted

HEADERS = {("agent", "arm", "value"), ("agent", "arm", "value", "weight")}


def read(sheet: Sheet, scale: tuple[float, float] | None) -> dict:
    """The parts of an `Instance`; agents and arms come in the order of their first lines."""
    agents, rows = _numbered(sheet.names(0))
    arms, columns = _numbered(sheet.names(1))
    cells = rows * len(arms) + columns
    _check_pairs(sheet, cells, agents, arms)

    def place(row: int, _: int) -> str:
        return f"{sheet.line(row)}, column 'value' (agent '{sheet.rows[row][0]}', arm '{sheet.rows[row][1]}')"

    values = rescaled(matrix([row[2:3] for row in sheet.rows], place), scale, place)
    means = np.empty(len(agents) * len(arms))
    means[cells] = values[:, 0]
    parts = {"means": means.reshape(len(agents), len(arms)), "agents": agents, "arms": arms}
    if len(sheet.header) == 4:
        parts["weights"] = _weights(sheet, rows, agents)
    return parts


def resembles(header: list[str]) -> bool:
    """Is it one of the headers but for capitals, plurals and the order of the columns?

    >>> resembles(["Arm", "Agents", "value"]), resembles(["agent", "tea", "value"])
    (True, False)
    """
    return sorted(map(meant, header)) in [sorted(names) for names in HEADERS]


def table(instance: Instance) -> tuple[list[str], list[list]]:
    """The header and the rows of `instance` in this form."""
    weighted = bool((instance.weights != 1).any())
    rows = [
        [agent, arm, mean, *[weight] * weighted]
        for agent, means, weight in zip(
            instance.agents, instance.means.tolist(), instance.weights.tolist(), strict=True
        )
        for arm, mean in zip(instance.arms, means, strict=True)
    ]
    return ["agent", "arm", "value", *["weight"] * weighted], rows


def _numbered(names: list[str]) -> tuple[list[str], np.ndarray]:
    """The distinct names in order of appearance, and the number of each line's name."""
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), dtype=np.int64, count=len(names))
    return list(numbers), codes


def _check_pairs(sheet: Sheet, cells: np.ndarray, agents: list[str], arms: list[str]) -> None:
    counts = np.bincount(cells, minlength=len(agents) * len(arms))
    if (counts > 1).any():
        first, second = np.flatnonzero(cells == counts.argmax())[:2]
        raise FileError(
            f"{sheet.line(int(second))}: agent '{sheet.rows[first][0]}' and arm '{sheet.rows[first][1]}' are on "
            f"line {sheet.line(int(first)).rpartition(' ')[2]} already; keep one of the two."
        )
    missing = np.flatnonzero(counts == 0)
    if missing.size:
        agent, arm = divmod(int(missing[0]), len(arms))
        others = f" (and {counted(missing.size - 1, 'more pair')})" if missing.size > 1 else ""
        raise FileError(
            f"{sheet.where} has no line for agent '{agents[agent]}' and arm '{arms[arm]}'{others}; "
            "every agent needs a value for every arm: add the line, or leave out that agent or arm altogether."
        )


def _weights(sheet: Sheet, rows: np.ndarray, agents: list[str]) -> list[int]:
    given = whole_numbers([row[3] for row in sheet.rows], lambda row: f"{sheet.line(row)}, column 'weight'")
    weights: dict[int, int] = {}
    for row, (agent, weight) in enumerate(zip(rows.tolist(), given, strict=True)):
        if weights.setdefault(agent, weight) != weight:
            raise FileError(
                f"{sheet.line(row)}: agent '{agents[agent]}' has the weight {weight} here and "
                f"{weights[agent]} above; an agent has one weight."
            )
    return [weights[agent] for agent in range(len(agents))]
