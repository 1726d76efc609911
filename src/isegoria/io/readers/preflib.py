"""PrefLib: rankings (soc, toc, soi, toi) and categories (cat) in the current format, with `#` lines at the top.

A line `12: 1,{2,3},4` means that twelve voters rank 1 first, 2 and 3 tied next, and 4 last. It becomes one agent of
weight 12. Each place is an indifference class; `rewards` gives the values of the classes.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from isegoria.errors import BallotWarning, FileError
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
from isegoria.io.readers.category_order import is_worst_first
from isegoria.io.readers.preflib_kernel import scan_ballots
from isegoria.io.readers.rank_rewards import RankRewards
from isegoria.io.storage.text_decoding import decode_text

STRICT_KINDS = {"soc", "soi"}
_HEADER = re.compile(r"#\s*([^:]+?)\s*:\s*(.*)")
_BALLOT = re.compile(r"\s*([0-9]{1,18})\s*:\s*(.*)")
_CLASS = re.compile(r"\{([^{}]*)\}|([^{},]+)")
_ORDER_PATTERN = re.compile(rf"({_CLASS.pattern})(,({_CLASS.pattern}))*")


class PreflibBallots(NamedTuple):
    """The lines of data, as arrays.

    `lines` (n,) are their line numbers, `counts` (n,) their numbers of voters, `ranks` (n, K) the rank of every arm (-1
    if it is left out), and `classes` (n,) their numbers of classes.
    """

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
    """Return the parts of an `Instance`: the voters of a line are one agent, and their count is its weight."""
    text = decode_text(stream.read(), where)
    header, lines = _split_header(text, where)
    arms = _parse_alternatives(header, lines, where)
    ballots = _scan_fast(lines, arms, kind) or _parse_with_errors(lines, arms, where, kind)
    _validate_voter_count(header, ballots, where)
    ranks, classes = ballots.ranks, ballots.classes
    if kind == "cat":
        classes = np.maximum(classes, _parse_header_count(header, "NUMBER CATEGORIES", where) or 0)
        if is_worst_first(_list_categories(header), best_category, where):
            ranks = np.where(ranks >= 0, classes[:, None] - 1 - ranks, -1)
    ranks, classes, kept = apply_unranked_rule(ballots, ranks, classes, unranked, list(arms.values()), where)
    return {
        "means": RankRewards(rewards, where).means(ranks, classes, ballots.lines[kept].tolist()),
        "agents": _name_voters(ballots.counts, kept),
        "arms": list(arms.values()),
        "weights": ballots.counts[kept],
    }


def _scan_fast(lines: DataLines, arms: dict[str, str], kind: str) -> PreflibBallots | None:
    """Parse the ballots by a compiled scan; return None if one of them is malformed."""
    first = int(next(iter(arms))) if next(iter(arms)).isdecimal() else -1
    if list(arms) != [str(first + k) for k in range(len(arms))]:
        return None
    found = scan_ballots(
        lines.body.encode(), 0, len(lines.numbers), first, len(arms), kind in STRICT_KINDS, kind == "cat"
    )
    return found and PreflibBallots(np.array(lines.numbers), *found)


def _parse_with_errors(lines: DataLines, arms: dict[str, str], where: str, kind: str) -> PreflibBallots:
    """Parse the ballots line by line; raise `FileError` with the reason for the first malformed one."""
    number = {id_: k for k, id_ in enumerate(arms)}
    ranks = np.full((len(lines.numbers), len(arms)), -1, dtype=np.int32)
    counts, classes = [], []
    for row, (line, text) in enumerate(lines.each()):
        count, places = _parse_ballot(line, text, number, where, kind)
        counts.append(count)
        classes.append(len(places))
        for rank, members in enumerate(places):
            ranks[row, members] = rank
    return PreflibBallots(np.array(lines.numbers), np.array(counts), ranks, np.array(classes))


class DataLines(NamedTuple):
    """The part of a file below its header, with the numbers of its lines that are not blank."""

    body: str
    numbers: list[int]

    def each(self) -> Iterator[tuple[int, str]]:
        """Iterate over the number and the text of each line."""
        return zip(self.numbers, filter(str.strip, self.body.splitlines()), strict=True)


def _split_header(text: str, where: str) -> tuple[dict[str, str], DataLines]:
    """Split the text into the `#` lines as a mapping, and the lines of data with their numbers."""
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
    return header, DataLines("\n".join(data), numbers)


def _parse_alternatives(header: dict[str, str], lines: DataLines, where: str) -> dict[str, str]:
    """Return the name of each alternative by its number, from 1 or from 0; the number itself if it has no name."""
    prefix = "ALTERNATIVE NAME "
    named = {key.removeprefix(prefix): name for key, name in header.items() if key.startswith(prefix)}
    count = _parse_header_count(header, "NUMBER ALTERNATIVES", where)
    first = _validate_alternative_count(count or 0, named, lines, where)
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


def _validate_alternative_count(count: int, named: dict[str, str], lines: DataLines, where: str) -> int:
    """Return the number of the first alternative, 1 or 0.

    Raise `FileError`, before a column is made for each, if neither names nor ballots support the number of
    alternatives.
    """
    if count <= len(named):
        return 0 if "0" in named else 1
    ranked = {id_ for _, text in lines.each() for id_ in re.findall("[0-9]+", text.partition(":")[2])}
    if count > max(len(named), len(ranked)):
        raise FileError(
            f"{where}: the header has NUMBER ALTERNATIVES {count} and {len(named)} lines ALTERNATIVE NAME, and the "
            f"ballots rank {len(ranked)}; mend that number, or give every alternative a line with its name."
        )
    return 0 if "0" in named or "0" in ranked else 1


def _list_categories(header: dict[str, str]) -> list[str]:
    """Return the names of the categories, in their order."""
    prefix = "CATEGORY NAME "
    named = {key.removeprefix(prefix): name for key, name in header.items() if key.startswith(prefix)}
    return [named[number] for number in sorted(named, key=lambda number: int(number) if number.isdecimal() else 0)]


def _parse_header_count(header: dict[str, str], key: str, where: str) -> int | None:
    if key not in header:
        return None
    if not re.fullmatch("[0-9]{1,18}", header[key]):
        raise FileError(f"{where}: the header line '# {key}' says {header[key]!r}; expected a whole number.")
    return int(header[key])


def _parse_ballot(line: int, text: str, number: dict[str, int], where: str, kind: str) -> tuple[int, list[list[int]]]:
    """Parse and validate one line of data: its number of voters, and its classes of arms (numbered from 0)."""
    match = _BALLOT.fullmatch(text)
    if not match or int(match[1]) < 1:
        raise FileError(
            f"{where}, line {line}: {text.strip()[:40]!r} is no ballot; expected a count from 1 up, a colon and "
            "alternatives, such as 12: 1,{2,3},4."
        )
    classes = _parse_classes("".join(match[2].split()), kind, f"{where}, line {line}")
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


def _parse_classes(text: str, kind: str, place: str) -> list[list[str]]:
    """Parse the places of a ballot, each a list of alternatives: `1,{2,3},{}` is [["1"], ["2", "3"], []]."""
    if "{" not in text and "}" not in text:
        return [[id_] for id_ in text.split(",")]
    if not _ORDER_PATTERN.fullmatch(text):
        raise FileError(f"{place}: the braces or commas do not match; expected a form such as 1,{{2,3}},4.")
    classes = [[one] if one else list(filter(None, tied.split(","))) for tied, one in _CLASS.findall(text)]
    if kind in STRICT_KINDS and any(len(members) > 1 for members in classes):
        raise FileError(f"{place} has a tie, and {kind} orders are strict; read it as toc or toi.")
    if kind != "cat" and not all(classes):
        raise FileError(f"{place} has empty braces, which mean something in categories (cat) only; leave them out.")
    return classes


def _validate_voter_count(header: dict[str, str], ballots: PreflibBallots, where: str) -> None:
    said, counted = _parse_header_count(header, "NUMBER VOTERS", where), sum(ballots.counts.tolist())
    if said is not None and said != counted:
        raise FileError(
            f"{where}: the header says {said} voters and the ballots add up to {counted}; "
            "the file may be cut off. Download it again, or mend the line '# NUMBER VOTERS'."
        )


def apply_unranked_rule(
    ballots: PreflibBallots, ranks: np.ndarray, classes: np.ndarray, unranked: str, arms: list[str], where: str
) -> tuple[Any, ...]:
    """Apply the rule for arms that a ballot leaves out; return (ranks, classes, indices of the rows that remain)."""
    left_out = ranks < 0
    short = left_out.any(axis=1)
    everyone = np.arange(len(ranks))
    if not short.any():
        return ranks, classes, everyone
    if unranked == "refuse":
        row, others = int(short.argmax()), int(short.sum()) - 1
        also = f" ({others} more line{'s leave' if others > 1 else ' leaves'} out arms)" if others else ""
        raise FileError(
            AdvisedMessage(
                f"{where}, line {ballots.lines[row]} does not rank '{arms[int(left_out[row].argmax())]}'{also}",
                "; say --unranked last to put such arms below all others, or --unranked drop to leave those ballots "
                "out (unranked= in Python).",
                [OptionSuggestion.of(unranked="last"), OptionSuggestion.of(unranked="drop")],
            )
        )
    if unranked == "last":
        lowest = np.maximum(ballots.classes, ranks.max(axis=1) + 1)
        return (
            np.where(left_out, lowest[:, None], ranks),
            np.where(short, np.maximum(classes, lowest + 1), classes),
            everyone,
        )
    if short.all():
        raise FileError(
            AdvisedMessage(
                f"{where}: no ballot ranks every arm",
                ", so --unranked drop leaves none; say --unranked last.",
                [OptionSuggestion.of(unranked="last")],
            )
        )
    dropped, total = int(ballots.counts[short].sum()), int(ballots.counts.sum())
    warnings.warn(
        f"{where}: left out {dropped:,} of {total:,} ballots, which do not rank every arm.", BallotWarning, stacklevel=5
    )
    return ranks[~short], classes[~short], everyone[~short]


def _name_voters(counts: np.ndarray, kept: np.ndarray) -> list[str]:
    """Name each remaining line by the voters that it counts for, numbered through the file."""
    last = np.cumsum(counts)[kept]
    spans = zip((last - counts[kept] + 1).tolist(), last.tolist(), strict=True)
    return [f"Voter {first}" if first == last else f"Voters {first}–{last}" for first, last in spans]
