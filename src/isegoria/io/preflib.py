"""PrefLib: rankings (soc, toc, soi, toi) and categories (cat) in the current format, with `#` lines at the top.

A line `12: 1,{2,3},4` stands for twelve voters who put 1 first, 2 and 3 together next, and 4 last: one agent of
weight 12. Each place is an indifference class; `rewards` says what the classes are worth.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from itertools import accumulate
from typing import BinaryIO, NamedTuple

import numpy as np

from isegoria.errors import BallotWarning, FileError
from isegoria.io.rewards import Rewards
from isegoria.io.text import decode

STRICT = {"soc", "soi"}
_HEADER = re.compile(r"#\s*([^:]+?)\s*:\s*(.*)")
_BALLOT = re.compile(r"\s*([0-9]{1,18})\s*:\s*(.*)")
_CLASS = re.compile(r"\{([^{}]*)\}|([^{},]+)")
_FORM = re.compile(rf"({_CLASS.pattern})(,({_CLASS.pattern}))*")


class Ballot(NamedTuple):
    """One line of data: where it stands, how many voters it has, and its classes of arms (numbered from 0)."""

    line: int
    count: int
    classes: list[list[int]]


def read(stream: BinaryIO, where: str, kind: str, rewards: str | Sequence[float], unranked: str) -> dict:
    """The parts of an `Instance`: counts become weights, and the voters of a line one agent."""
    header, lines = _split(decode(stream.read(), where), where)
    arms = _arms(header, lines, where)
    number = {id_: k for k, id_ in enumerate(arms)}
    ballots = [_ballot(line, text, number, where, kind) for line, text in lines]
    _check_voters(header, ballots, where)
    ranks = np.full((len(ballots), len(arms)), -1)
    for row, ballot in enumerate(ballots):
        for rank, members in enumerate(ballot.classes):
            ranks[row, members] = rank
    categories = _whole(header, "NUMBER CATEGORIES", where) or 0 if kind == "cat" else 0
    classes = np.maximum([len(ballot.classes) for ballot in ballots], categories)
    kept = _settle(ranks, classes, ballots, unranked, list(arms.values()), where)
    means = Rewards(rewards, where).means(ranks[kept], classes[kept], [ballots[row].line for row in kept])
    return {
        "means": means,
        "agents": _voters([ballot.count for ballot in ballots], kept),
        "arms": list(arms.values()),
        "weights": [ballots[row].count for row in kept],
    }


def _split(text: str, where: str) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """The `#` lines as a table, and the lines of data with their numbers."""
    header: dict[str, str] = {}
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            match = _HEADER.match(line)
            if match:
                header[match[1].upper()] = match[2].strip()
        elif line.strip():
            lines.append((number, line))
    if not header:
        raise FileError(
            f"{where} has no lines that begin with '#'; expected the current PrefLib format (since 2022). "
            "Download the file again from preflib.org, or convert it with preflibtools."
        )
    if not lines:
        raise FileError(f"{where} has a header and no ballots; expected lines such as 12: 1,2,3.")
    return header, lines


def _arms(header: dict[str, str], lines: list[tuple[int, str]], where: str) -> dict[str, str]:
    """The name of each alternative by its number; one without a name is called by its number."""
    prefix = "ALTERNATIVE NAME "
    named = {key.removeprefix(prefix): name for key, name in header.items() if key.startswith(prefix)}
    count = _whole(header, "NUMBER ALTERNATIVES", where)
    _check_count(count or 0, len(named), lines, where)
    arms = {str(k): named.get(str(k)) or str(k) for k in range(1, (count or 0) + 1)} or named
    if not arms or set(named) - set(arms):
        raise FileError(
            f"{where}: the header has NUMBER ALTERNATIVES {count} and {len(named)} lines ALTERNATIVE NAME; "
            "expected the number of alternatives, and a name for each from 1 up."
        )
    if len(set(arms.values())) < len(arms):
        twice = next(name for name in arms.values() if list(arms.values()).count(name) > 1)
        raise FileError(f"{where}: two alternatives are named '{twice}'; give every one a name of its own.")
    return arms


def _check_count(count: int, named: int, lines: list[tuple[int, str]], where: str) -> None:
    """Refuse a number of alternatives that neither names nor ballots bear out, before there is a column for each."""
    if count <= named:
        return
    ranked = {id_ for _, text in lines for id_ in re.findall("[0-9]+", text.partition(":")[2])}
    if count > max(named, len(ranked)):
        raise FileError(
            f"{where}: the header has NUMBER ALTERNATIVES {count} and {named} lines ALTERNATIVE NAME, and the ballots "
            f"rank {len(ranked)}; mend that number, or give every alternative a line with its name."
        )


def _whole(header: dict[str, str], key: str, where: str) -> int | None:
    if key not in header:
        return None
    if not re.fullmatch("[0-9]{1,18}", header[key]):
        raise FileError(f"{where}: the header line '# {key}' says {header[key]!r}; expected a whole number.")
    return int(header[key])


def _ballot(line: int, text: str, number: dict[str, int], where: str, kind: str) -> Ballot:
    """One line of data, checked."""
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
    return Ballot(line, int(match[1]), numbered)


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


def _check_voters(header: dict[str, str], ballots: list[Ballot], where: str) -> None:
    said, counted = _whole(header, "NUMBER VOTERS", where), sum(ballot.count for ballot in ballots)
    if said is not None and said != counted:
        raise FileError(
            f"{where}: the header says {said} voters and the ballots add up to {counted}; "
            "the file may be cut off. Download it again, or mend the line '# NUMBER VOTERS'."
        )


def _settle(ranks, classes, ballots: list[Ballot], unranked: str, arms: list[str], where: str) -> np.ndarray:
    """Apply the rule for arms that a ballot leaves out, in place; return the rows that stay."""
    left_out = ranks < 0
    short = left_out.any(axis=1)
    if not short.any():
        return np.arange(len(ballots))
    row = int(short.argmax())
    if unranked == "refuse":
        others = int(short.sum()) - 1
        also = f" ({others} more line{'s leave' if others > 1 else ' leaves'} out arms)" if others else ""
        raise FileError(
            f"{where}, line {ballots[row].line} does not rank '{arms[int(left_out[row].argmax())]}'{also}; "
            "say --unranked last to put such arms below all others, or --unranked drop to leave those ballots out "
            "(unranked= in Python)."
        )
    if unranked == "last":
        lowest = np.array([len(ballot.classes) for ballot in ballots])
        ranks[left_out] = np.broadcast_to(lowest[:, None], ranks.shape)[left_out]
        classes[short] = np.maximum(classes[short], lowest[short] + 1)
        return np.arange(len(ballots))
    dropped = sum(ballot.count for ballot, gone in zip(ballots, short, strict=True) if gone)
    total = sum(ballot.count for ballot in ballots)
    if short.all():
        raise FileError(f"{where}: no ballot ranks every arm, so --unranked drop leaves none; say --unranked last.")
    warnings.warn(
        f"{where}: left out {dropped:,} of {total:,} ballots, which do not rank every arm.", BallotWarning, stacklevel=4
    )
    return np.flatnonzero(~short)


def _voters(counts: list[int], kept: np.ndarray) -> list[str]:
    """A name for each line that is kept: the voters it stands for, counted through the file."""
    ends = list(accumulate(counts))
    spans = [(ends[row] - counts[row] + 1, ends[row]) for row in kept]
    return [f"Voter {first}" if first == last else f"Voters {first}–{last}" for first, last in spans]
