"""The sweep as a list of cells with stable identities, and the instance of each cell.

A cell is (seed, replicate, agents, arms, favourites, sets, model). Its instance depends on that identity only: seed,
replicate, agents, arms and model select a random stream, favourites and sets select a row of it. So an instance depends
neither on the rest of the grid nor on the order or the process in which it is computed.
"""

from __future__ import annotations

import hashlib
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isegoria import __version__
from isegoria.errors import InputError
from isegoria.preferences import Distribution, parse_distribution
from isegoria.preferences.synthetic_rewards import assign_means
from isegoria.rules import list_objectives
from isegoria.studies.policy_scores import resolve_tie_break
from isegoria.studies.registry import FITTED_TIE_BREAK

PAPER_MODELS = (
    "uniform",
    "single-peaked",
    "impartial",
    "mallows:0.01",
    "mallows:0.25",
    "mallows:0.5",
    "mallows:0.75",
    "mallows:0.99",
)
SET_SIZE_MODES = ("same", "mixed")
"""Favourite sets have the same size f for every agent, or each agent's size is sampled from 1 to f."""
MAX_SIZE, MAX_CELLS, MAX_RATINGS = 10**5, 10**9, 10**9
"""Limits that no sweep needs, to catch typing errors: beyond them a sweep takes years, or 8 GB for one number of
arms."""


class Cell(NamedTuple):
    """The identity of one instance."""

    seed: int
    replicate: int
    agents: int
    arms: int
    favourites: int
    sets: str
    model: str


class Block(NamedTuple):
    """Cells that are computed and stored together: those of one seed, replicate and number of agents."""

    seed: int
    replicate: int
    agents: int

    @property
    def name(self) -> str:
        return f"seed{self.seed}-replicate{self.replicate}-agents{self.agents}"


@dataclass(frozen=True)
class Grid:
    """A full factorial design of agents × arms × favourites (at most arms) × sets × models, with replicates and seeds.

    `tie_break`, one of `registry.CHOICES`, decides which of several optimal policies is scored.

    >>> len(list(Grid().cells()))
    7776
    """

    agents: tuple[int, ...] = tuple(range(2, 11))
    arms: tuple[int, ...] = tuple(range(2, 11))
    favourites: tuple[int, ...] = tuple(range(1, 11))
    models: tuple[str, ...] = PAPER_MODELS
    replicates: int = 1
    seeds: tuple[int, ...] = (42,)
    tie_break: str = FITTED_TIE_BREAK

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(dict.fromkeys(parse_distribution(name).name for name in self.models)))
        for name in ("agents", "arms", "favourites"):
            sizes = tuple(sorted(set(getattr(self, name))))
            if not sizes or sizes[0] < 1 or sizes[-1] > MAX_SIZE:
                raise InputError(f"{name} must be whole numbers from 1 to {MAX_SIZE:,}, such as 2:10 or 2,5,10.")
            object.__setattr__(self, name, sizes)
        resolve_tie_break("", self.tie_break)  # raises an error for an unknown tie-break
        if self.replicates < 1 or not self.models or not self.seeds:
            raise InputError("a sweep needs at least one model, one replicate and one seed.")
        if self.favourites[0] > self.arms[-1]:
            raise InputError(
                f"no cell is left: favourites start at {self.favourites[0]}, above the {self.arms[-1]} arms there are."
            )
        self._check_size()

    def _check_size(self) -> None:
        """Raise `InputError` for a grid that would run for years or out of memory."""
        pairs = sum(bisect_right(self.favourites, arms) for arms in self.arms)
        blocks = len(self.seeds) * self.replicates * len(self.agents)
        cells = blocks * pairs * len(self.models) * len(SET_SIZE_MODES)
        if cells > MAX_CELLS:
            raise InputError(
                f"the sweep has {cells:,} cells; expected at most {MAX_CELLS:,}. Give fewer sizes or seeds."
            )
        most = min(self.favourites[-1], self.arms[-1])
        if self.agents[-1] * self.arms[-1] * most * len(SET_SIZE_MODES) * len(self.models) > MAX_RATINGS:
            raise InputError(
                f"{self.agents[-1]:,} agents with {self.arms[-1]:,} arms and up to {most:,} favourites are too many "
                f"for one sweep, which holds at most {MAX_RATINGS:,} ratings at once; give smaller sizes."
            )

    @property
    def identity(self) -> str:
        """A short hash of the package version, the objectives and the settings that all blocks of this grid share."""
        what = (__version__, self.arms, self.favourites, self.models, self.tie_break, tuple(list_objectives()))
        return hashlib.sha256(repr(what).encode()).hexdigest()[:12]

    def blocks(self) -> list[Block]:
        """Return every block, in the order in which results are concatenated."""
        return [Block(s, r, n) for s in self.seeds for r in range(self.replicates) for n in self.agents]

    def cells(self) -> Iterator[Cell]:
        """Iterate over every cell, in the order of the results."""
        for block in self.blocks():
            yield from self.cells_of(block)

    def cells_of(self, block: Block) -> list[Cell]:
        """Return the cells of one block, in the order of its rows."""
        return [
            Cell(*block, arms, favourites, sets, model)
            for arms in self.arms
            for model in self.models
            for favourites in self.favourites
            if favourites <= arms
            for sets in SET_SIZE_MODES
        ]

    def means_of(self, block: Block) -> Iterator[np.ndarray]:
        """Iterate over the mean rewards (agents, arms) of each cell of a block, in the order of `cells_of`."""
        models = [parse_distribution(model) for model in self.models]
        for arms in self.arms:
            sizes = [favourites for favourites in self.favourites if favourites <= arms]
            if sizes:
                yield from _generate_means(block, arms, models, np.array(sizes))


def _generate_means(block: Block, arms: int, models: list[Distribution], sizes: np.ndarray) -> np.ndarray:
    """Compute (models × sizes × 2, agents, arms) means of the cells that differ only in model and favourite sets."""
    agents, values = block.agents, block.agents * arms
    drawn = [_draw_uniforms(block, arms, model, sizes) for model in models]
    pairs = zip(models, drawn, strict=True)
    rankings = np.concatenate([model.rankings(rows[:, agents + values :], agents, arms) for model, rows in pairs])
    rows = np.concatenate([rows[:, : agents + values] for rows in drawn])
    # With sets "same" every agent has f favourites; with "mixed" from 1 to f, each equally likely.
    most = np.tile(np.repeat(sizes, len(SET_SIZE_MODES)), len(models))[:, None]
    spread = np.tile([0.0, 1.0], len(models) * len(sizes))[:, None]
    favourites = most - (rows[:, :agents] * most * spread).astype(np.int64)
    return assign_means(rankings, rows[:, agents:].reshape(rankings.shape), favourites)


def _draw_uniforms(block: Block, arms: int, model: Distribution, sizes: np.ndarray) -> np.ndarray:
    """Return the (sizes × 2, draws) uniform numbers of one model's cells: rows "same" and "mixed" for each size."""
    key = (block.replicate, block.agents, arms, zlib.crc32(model.name.encode()))
    rng = np.random.default_rng(np.random.SeedSequence(block.seed, spawn_key=key))
    draws = block.agents * (1 + arms) + model.draws(block.agents, arms)
    # Row 2(f - 1) belongs to favourites f with sets of the same size, and the next one to mixed sizes.
    rows = rng.random((len(SET_SIZE_MODES) * sizes[-1], draws)).reshape(sizes[-1], len(SET_SIZE_MODES), draws)
    return rows[sizes - 1].reshape(-1, draws)


def parse_sizes(text: str, option: str) -> tuple[int, ...]:
    """Parse integers written as "2:10", "2:30:4" or "2,5,10", or a mixture; `option` is named in errors.

    >>> parse_sizes("2:4,8", "--agents"), parse_sizes("10:20:5", "--agents")
    ((2, 3, 4, 8), (10, 15, 20))
    """
    found: list[int] = []
    for part in text.split(","):
        try:
            ends = [int(end) for end in part.split(":")]
            spans = range(ends[0], ends[1] + 1, *ends[2:]) if len(ends) > 1 else ends
            found += spans if max(ends) <= MAX_SIZE else []
        except (ValueError, TypeError, IndexError):
            ends = []
        if ends and max(ends) > MAX_SIZE:
            raise InputError(f"{option} has {part!r}; expected sizes up to {MAX_SIZE:,}. Give smaller ones.")
        if not 1 <= len(ends) <= 3 or not found:
            raise InputError(f"{option} has {part!r}; write whole numbers or ranges, such as 2:10, 2:30:4 or 2,5,10.")
    return tuple(dict.fromkeys(found))
