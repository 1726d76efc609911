"""Beginning a record: charter and roster from a table of ratings, secrets beside it."""

from __future__ import annotations

import secrets as chance
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from isegoria.errors import FileError, InputError
from isegoria.instance import Instance
from isegoria.lottery import steps
from isegoria.lottery.canonical import decimal, exact
from isegoria.lottery.desk.book import Book, keeping, normal
from isegoria.lottery.desk.file import write_private
from isegoria.lottery.desk.learning import check_learner, settings_of
from isegoria.lottery.desk.secrets import Secrets, save, secrets_path
from isegoria.lottery.people import commitment
from isegoria.lottery.record import Record
from isegoria.lottery.units import checked_total

DIGITS = 12
"""Ratings come off a scale by a division and go back on it; what lies beyond this many places is its rounding."""


def begin(
    path, instance: Instance, *, source: dict, title: str | None = None, scale: Sequence[float] = (0, 1),
    learner: str | None = None, settings: Mapping | None = None, **terms,
) -> None:  # fmt: skip
    """Write a new record at `path`, with the members, arms and ratings of `instance`, and its secrets beside it.

    With a `learner` the ratings of the table are not used: members will tell how each round was. `terms` go into the
    charter (`privacy`, `block`, `explore_max`, `units`, `tie`).
    """
    path = Path(path)
    checked_total(instance.total_weight)
    if path.exists() or secrets_path(path).exists():
        there = path if path.exists() else secrets_path(path)
        raise FileError(f"{there} exists already, and nothing was overwritten; choose another name.")
    if learner is not None:
        check_learner(learner, settings or {})
        terms = {**terms, "learner": learner, "settings": settings_of(learner, settings or {})}
    record = Record()
    group = chance.token_bytes(16)
    arms, title = [normal(arm) for arm in instance.arms], path.stem if title is None else title
    check_names(arms, "arms")
    record.append(steps.charter(group=group, title=title, arms=arms, source=source, scale=scale, **terms))
    kept = [newcomer(name) for name in instance.agents]
    check_names([one["name"] for one in kept])
    weights = instance.weights.tolist()
    record.append(steps.roster(record, [entry(one, n, weights[n]) for n, one in enumerate(kept)]))
    held = Secrets(group.hex(), chance.token_bytes(32).hex(), kept)
    if learner is None:
        for n, row in enumerate(_on_scale(instance, scale)):
            held.set_ratings(n, 1, row)
    _write(path, record, held)


def _write(path: Path, record: Record, held: Secrets) -> None:
    """Both files or none: the secrets first, since a record without them cannot go on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save(secrets_path(path), held, fresh=True)
    try:
        write_private(path, b"".join(line + b"\n" for line in record.lines), fresh=True)
        path.chmod(0o644)  # the record is for everyone
        with keeping(path) as book:
            book.publish()
    except BaseException:
        secrets_path(path).unlink(missing_ok=True)
        raise


def newcomer(name: str) -> dict:
    """A member as the secrets keep her: fresh salt and secret, no key yet."""
    if not normal(name):
        raise InputError("a member needs a name.")
    return {"name": normal(name), "salt": chance.token_hex(32), "secret": chance.token_hex(32), "seed": None}


def entry(kept: dict, number: int, weight: int, key: str | None = None) -> dict:
    """What the roster shows of her."""
    opened = commitment(bytes.fromhex(kept["salt"]), number, bytes.fromhex(kept["secret"]), kept["name"])
    return {"commitment": opened.hex(), "weight": weight, "key": key}


def check_names(names: Sequence[str], what: str = "members") -> None:
    """Refuse two of one name, as the record writes names: a name must find whom it means."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"two {what} are called {twice!r}; give each a name of its own.")


def _on_scale(instance: Instance, scale: Sequence[float]) -> list[list[str]]:
    low, high = scale
    means = instance.means if isinstance(instance.means, np.ndarray) else instance.means.toarray()
    table = (means * (high - low) + low).round(DIGITS)
    return [[decimal(value) for value in row] for row in table.tolist()]


def join(book: Book, name: str, weight: int = 1, ratings: Mapping[str, str] | None = None) -> None:
    """A new member, from the next freeze on."""
    kept = newcomer(name)
    check_names([*(book.secrets.members[n]["name"] for n in book.record.members), kept["name"]])
    number = len(book.record.roster["members"])
    row = row_of(book, ratings) if ratings else None
    line = steps.roster(book.record, [*book.record.roster["members"], entry(kept, number, weight)])
    book.secrets.members[number:] = [kept]  # one who was about to join when interrupted is replaced
    book.secrets.ratings.pop(str(number), None)
    if row:
        book.secrets.set_ratings(number, book.record.next_round, row)
    save(secrets_path(book.path), book.secrets)
    book.append(line)
    book.publish()


def leave(book: Book, name: str) -> None:
    """A member goes, from the next freeze on; her number stays empty for ever."""
    number = book.number(name)
    members = [None if n == number else one for n, one in enumerate(book.record.roster["members"])]
    book.append(steps.roster(book.record, members))
    book.publish()


def row_of(book: Book, ratings: Mapping[str, str], before: Sequence[str | None] = ()) -> list[str | None]:
    """Ratings by arm name as a row over all arms, on top of those there were."""
    arms = book.record.terms["arms"]
    row = [*before, *[None] * (len(arms) - len(before))]
    for arm, value in ratings.items():
        row[book.arm(arm)] = on_scale(book.record, arm, value)
    return row


def on_scale(record: Record, arm: str, value) -> str:
    """A rating as the record writes it; one that is off the scale is refused."""
    text, (low, high) = decimal(value), record.charter["scale"]
    if not exact(low) <= exact(text) <= exact(high):
        raise InputError(f"the rating of {arm} is {text}; ratings of this record lie between {low} and {high}.")
    return text
