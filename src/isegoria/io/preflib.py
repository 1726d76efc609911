"""PrefLib: rankings (soc, toc, soi, toi) and categories (cat) in the current format, with `#` lines at the top.

A line `12: 1,{2,3},4` stands for twelve voters who put 1 first, 2 and 3 together next, and 4 last: one agent of
weight 12. Each place is an indifference class; `rewards` says what the classes are worth.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from isegoria.errors import BallotWarning, FileError
from isegoria.io.ballots import scan_ballots
from isegoria.io.categories import reversed_order
from isegoria.io.rewards import Rewards
from isegoria.io.text import decode

STRICT = {"soc", "soi"}
_HEADER = re.compile(r"#\s*([^:]+?)\s*:\s*(.*)")
_BALLOT = re.compile(r"\s*([0-9]{1,18})\s*:\s*(.*)")
_CLASS = re.compile(r"\{([^{}]*)\}|([^{},]+)")
_FORM = re.compile(rf"({_CLASS.pattern})(,({_CLASS.pattern}))*")


class PreflibBallots(NamedTuple):
    """The lines of data: where each stands in the file (n,), how many voters it has (n,), the rank of every arm (n, K),
    -1 where it is left out, and the number of its classes (n,)."""

    lines: np.ndarray
    counts: np.ndarray
    ranks: np.ndarray
    classes: np.ndarray


def read(
    stream: BinaryIO,
    where: str,
    kind: str,
    rewards: str | Sequence[float],
    unranked: str,
    best_category: str | None = None,
) -> dict[str, Any]:
    """The parts of an `Instance`: counts become weights, and the voters of a line one agent."""
    text = decode(stream.read(), where)
    header, lines = _split(text, where)
    arms = _arms(header, lines, where)
    ballots = _in_good_order(lines, arms, kind) or _explained(lines, arms, where, kind)
    _check_voters(header, ballots, where)
    ranks, classes = ballots.ranks, ballots.classes
    if kind == "cat":
        classes = np.maximum(classes, _whole(header, "NUMBER CATEGORIES", where) or 0)
        if reversed_order(_categories(header), best_category, where):
            ranks = np.where(ranks >= 0, classes[:, None] - 1 - ranks, -1)
    ranks, classes, kept = _settle(ballots, ranks, classes, unranked, list(arms.values()), where)
    return {
        "means": Rewards(rewards, where).means(ranks, classes, ballots.lines[kept].tolist()),
        "agents": _voters(ballots.counts, kept),
        "arms": list(arms.values()),
        "weights": ballots.counts[kept],
    }


def _in_good_order(lines: Lines, arms: dict[str, str], kind: str) -> PreflibBallots | None:
    """The ballots by a compiled scan; None if one of them is not as it should be."""
    first = int(next(iter(arms))) if next(iter(arms)).isdecimal() else -1
    if list(arms) != [str(first + k) for k in range(len(arms))]:
        return None
    found = scan_ballots(lines.body.encode(), 0, len(lines.numbers), first, len(arms), kind in STRICT, kind == "cat")
    return found and PreflibBallots(np.array(lines.numbers), *found)


def _explained(lines: Lines, arms: dict[str, str], where: str, kind: str) -> PreflibBallots:
    """The same, line by line: the first that is not as it should be is refused with the reason."""
    number = {id_: k for k, id_ in enumerate(arms)}
    ranks = np.full((len(lines.numbers), len(arms)), -1, dtype=np.int32)
    counts, classes = [], []
    for row, (line, text) in enumerate(lines.each()):
        count, places = _ballot(line, text, number, where, kind)
        counts.append(count)
        classes.append(len(places))
        for rank, members in enumerate(places):
            ranks[row, members] = rank
    return PreflibBallots(np.array(lines.numbers), np.array(counts), ranks, np.array(classes))


class Lines(NamedTuple):
    """The part of a file below its header, with the numbers of the lines in it that are not blank."""

    body: str
    numbers: list[int]

    def each(self) -> Iterator[tuple[int, str]]:
        """The number and the text of each."""
        return zip(self.numbers, filter(str.strip, self.body.splitlines()), strict=True)


def _split(text: str, where: str) -> tuple[dict[str, str], Lines]:
    """The `#` lines as a table, and the lines of data with their numbers."""
    header: dict[str, str] = {}
    numbers: list[int] = []
    data: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            match = _HEADER.match(line)
            if match:
                header[match[1].upper()] = match[2].strip()
        elif line.strip():
            numbers.append(number)
            data.append(line)
    if not header:
        raise FileError(
            f"{where} has no lines that begin with '#'; expected the current PrefLib format (since 2022). "
            "Download the file again from preflib.org, or convert it with preflibtools."
        )
    if not numbers:
        raise FileError(f"{where} has a header and no ballots; expected lines such as 12: 1,2,3.")
    return header, Lines("\n".join(data), numbers)


def _arms(header: dict[str, str], lines: Lines, where: str) -> dict[str, str]:
    """The name of each alternative by its number, from 1 or from 0 up; one without a name is called by its number."""
    prefix = "ALTERNATIVE NAME "
    named = {key.removeprefix(prefix): name for key, name in header.items() if key.startswith(prefix)}
    count = _whole(header, "NUMBER ALTERNATIVES", where)
    first = _check_count(count or 0, named, lines, where)
    arms = {str(k): named.get(str(k)) or str(k) for k in range(first, first + (count or 0))} or named
    if not arms or set(named) - set(arms):
        raise FileError(
            f"{where}: the header has NUMBER ALTERNATIVES {count} and {len(named)} lines ALTERNATIVE NAME; "
            "expected the number of alternatives, and a name for each from 1 (or from 0) up."
        )
    if len(set(arms.values())) < len(arms):
        twice = Counter(arms.values()).most_common(1)[0][0]
        raise FileError(f"{where}: two alternatives are named '{twice}'; give every one a name of its own.")
    return arms


def _check_count(count: int, named: dict[str, str], lines: Lines, where: str) -> int:
    """The number of the first alternative, 1 or 0. A number of alternatives that neither names nor ballots bear out is
    refused before there is a column for each."""
    if count <= len(named):
        return 0 if "0" in named else 1
    ranked = {id_ for _, text in lines.each() for id_ in re.findall("[0-9]+", text.partition(":")[2])}
    if count > max(len(named), len(ranked)):
        raise FileError(
            f"{where}: the header has NUMBER ALTERNATIVES {count} and {len(named)} lines ALTERNATIVE NAME, and the "
            f"ballots rank {len(ranked)}; mend that number, or give every alternative a line with its name."
        )
    return 0 if "0" in named or "0" in ranked else 1


def _categories(header: dict[str, str]) -> list[str]:
    """The names of the categories, in their order."""
    prefix = "CATEGORY NAME "
    named = {key.removeprefix(prefix): name for key, name in header.items() if key.startswith(prefix)}
    return [named[number] for number in sorted(named, key=lambda number: int(number) if number.isdecimal() else 0)]


def _whole(header: dict[str, str], key: str, where: str) -> int | None:
    if key not in header:
        return None
    if not re.fullmatch("[0-9]{1,18}", header[key]):
        raise FileError(f"{where}: the header line '# {key}' says {header[key]!r}; expected a whole number.")
    return int(header[key])


def _ballot(line: int, text: str, number: dict[str, int], where: str, kind: str) -> tuple[int, list[list[int]]]:
    """One line of data, checked: how many voters it has, and its classes of arms (numbered from 0)."""
    match = _BALLOT.fullmatch(text)
    if not match or int(match[1]) < 1:
        raise FileError(
            f"{where}, line {line}: {text.strip()[:40]!r} is no ballot; expected a count from 1 up, a colon and "
            "alternatives, such as 12: 1,{2,3},4."
        )
    classes = _classes("".join(match[2].split()), kind, f"{where}, line {line}")
    try:
        numbered = [[number[id_] for id_ in members] for members in classes]
    except KeyError as error:
        raise FileError(
            f"{where}, line {line}: alternative {error} is not in the header, which has {', '.join(number)}."
        ) from None
    ranked = [k for members in numbered for k in members]
    if len(set(ranked)) < len(ranked):
        raise FileError(f"{where}, line {line} has an alternative twice; each can stand in one place only.")
    return int(match[1]), numbered


def _classes(text: str, kind: str, place: str) -> list[list[str]]:
    """The places of a ballot, each a list of alternatives: `1,{2,3},{}` is [["1"], ["2", "3"], []]."""
    if "{" not in text and "}" not in text:
        return [[id_] for id_ in text.split(",")]
    if not _FORM.fullmatch(text):
        raise FileError(f"{place}: the braces or commas do not match; expected a form such as 1,{{2,3}},4.")
    classes = [[one] if one else list(filter(None, tied.split(","))) for tied, one in _CLASS.findall(text)]
    if kind in STRICT and any(len(members) > 1 for members in classes):
        raise FileError(f"{place} has a tie, and {kind} orders are strict; read it as toc or toi.")
    if kind != "cat" and not all(classes):
        raise FileError(f"{place} has empty braces, which mean something in categories (cat) only; leave them out.")
    return classes


def _check_voters(header: dict[str, str], ballots: PreflibBallots, where: str) -> None:
    said, counted = _whole(header, "NUMBER VOTERS", where), sum(ballots.counts.tolist())
    if said is not None and said != counted:
        raise FileError(
            f"{where}: the header says {said} voters and the ballots add up to {counted}; "
            "the file may be cut off. Download it again, or mend the line '# NUMBER VOTERS'."
        )


def _settle(
    ballots: PreflibBallots, ranks: np.ndarray, classes: np.ndarray, unranked: str, arms: list[str], where: str
) -> tuple[Any, ...]:
    """(ranks, classes, rows that stay), once the rule for arms that a ballot leaves out is applied."""
    left_out = ranks < 0
    short = left_out.any(axis=1)
    everyone = np.arange(len(ranks))
    if not short.any():
        return ranks, classes, everyone
    if unranked == "refuse":
        row, others = int(short.argmax()), int(short.sum()) - 1
        also = f" ({others} more line{'s leave' if others > 1 else ' leaves'} out arms)" if others else ""
        raise FileError(
            f"{where}, line {ballots.lines[row]} does not rank '{arms[int(left_out[row].argmax())]}'{also}; "
            "say --unranked last to put such arms below all others, or --unranked drop to leave those ballots out "
            "(unranked= in Python)."
        )
    if unranked == "last":
        lowest = np.maximum(ballots.classes, ranks.max(axis=1) + 1)
        return (
            np.where(left_out, lowest[:, None], ranks),
            np.where(short, np.maximum(classes, lowest + 1), classes),
            everyone,
        )
    if short.all():
        raise FileError(f"{where}: no ballot ranks every arm, so --unranked drop leaves none; say --unranked last.")
    dropped, total = int(ballots.counts[short].sum()), int(ballots.counts.sum())
    warnings.warn(
        f"{where}: left out {dropped:,} of {total:,} ballots, which do not rank every arm.", BallotWarning, stacklevel=4
    )
    return ranks[~short], classes[~short], everyone[~short]


def _voters(counts: np.ndarray, kept: np.ndarray) -> list[str]:
    """A name for each line that is kept: the voters it stands for, counted through the file."""
    last = np.cumsum(counts)[kept]
    spans = zip((last - counts[kept] + 1).tolist(), last.tolist(), strict=True)
    return [f"Voter {first}" if first == last else f"Voters {first}–{last}" for first, last in spans]
