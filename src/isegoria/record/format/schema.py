"""The schema of each kind of line: its keys, and the field that each key has.

`lines.LINE_KINDS` is the table of them. `docs/reference/record.md` describes the same schema for authors of verifiers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isegoria.errors import InputError
from isegoria.record.format.canonical_json import MAX_DECIMAL_CHARACTERS, parse_decimal
from isegoria.record.format.voice_units import MAX_BLOCK_DRAWS
from isegoria.utils.fields import (
    NO_DEFAULT,
    AnyField,
    ChoiceField,
    Field,
    FieldError,
    HexField,
    IntegerField,
    ListField,
    NullableField,
    ObjectField,
    PlainTextField,
    TestedField,
    UnionField,
    shorten_repr,
)
from isegoria.utils.messages import FieldPath, Message

Schema = Mapping[str, Field]  # the field of each key of a kind of line
DECIMAL_PATTERN = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
BEACON_SCHEME = "bls-unchained-g1-rfc9380"
TIE_BREAKS = ("centre", "vertex", "utilitarian")
AMENDABLE_FIELDS = ("title", "arms", "block", "source", "resting", "end")
KEY_ORIGINS = (
    "founder",
    "join_link",
    "letter_typed_by_member",
    "letter_typed_by_organiser",
    "organiser_link",
    "key_file",
)
"""How a key came to the keeper of the record: what let in the device that made it."""
MEMBER_STATES = ("invited", "pending", "active", "by_hand", "away", "left", "removed")


@dataclass(frozen=True)
class DecimalField(Field):
    """A decimal in its shortest form, strictly between `above` and `below` if they are given."""

    above: str = ""
    below: str = ""

    def check(self, value: Any, where: FieldPath) -> Any:
        """Return the decimal; raise `FieldError` for any other value."""
        short = isinstance(value, str) and len(value) <= MAX_DECIMAL_CHARACTERS and value != "-0"
        if not short or DECIMAL_PATTERN.fullmatch(value) is None:
            raise FieldError(Message("value_not_possible", field=where, value=shorten_repr(value)))
        bounded = self.above and self.below
        if bounded and not parse_decimal(self.above) < parse_decimal(value) < parse_decimal(self.below):
            raise FieldError(Message("value_not_possible", field=where, value=shorten_repr(value)))
        return value

    def shape(self) -> dict[str, Any]:
        """Return the JSON schema of a decimal."""
        return {"type": "string", "pattern": f"^{DECIMAL_PATTERN.pattern}$"}


def list_of(item: Field, ascending: bool = False, least: int = 0, distinct: bool = False) -> ListField:
    """Return the field of a list of any length."""
    return ListField(item=item, least=least, most=math.inf, distinct=distinct, ascending=ascending)


def null_or(item: Field) -> NullableField:
    """Return the field of a value or null; unlike in a request, the key itself must be there."""
    return NullableField(item=item, default=NO_DEFAULT)


def object_with(**fields: Field) -> ObjectField:
    """Return the field of an object with exactly these keys."""
    return ObjectField(fields=fields)


def one_of(*values: object) -> ChoiceField:
    """Return the field of a value that equals one of `values` and has its type."""
    return ChoiceField(known=values)


MAX_TITLE_CHARACTERS = 80
DICE_ORDERS = ("throw", "colour", "published", "sorted")
DICE_FORM_SCHEMA = object_with(
    count=IntegerField(low=1, high=200), low=IntegerField(), high=IntegerField(high=10**9), order=one_of(*DICE_ORDERS)
)
DICE_FORM_FIELD = null_or(TestedField(item=DICE_FORM_SCHEMA, test=lambda form: form["low"] <= form["high"]))
PLAIN_SOURCE_SCHEMA = object_with(kind=one_of("rehearsal", "dice", "commit_reveal"))
BEACON_SOURCE_SCHEMA = object_with(
    kind=one_of("beacon"),
    scheme=one_of(BEACON_SCHEME),
    chain=HexField(digits=64),
    key=HexField(digits=192),
    genesis=IntegerField(),
    period=IntegerField(low=1),
    first_at=IntegerField(),
    interval_seconds=IntegerField(low=1),
)
SOURCE_FIELD = UnionField(
    items=(
        PLAIN_SOURCE_SCHEMA,
        TestedField(item=BEACON_SOURCE_SCHEMA, test=lambda source: source["first_at"] >= source["genesis"]),
    )
)
BETWEEN_0_AND_1 = DecimalField(above="0", below="1")
LEARNER_SETTINGS_FIELD = UnionField(
    items=(
        object_with(),
        object_with(
            error=BETWEEN_0_AND_1,
            resolution=UnionField(items=(one_of("0"), BETWEEN_0_AND_1)),
            explore=UnionField(items=(one_of("1"), BETWEEN_0_AND_1)),
        ),
    )
)
SCALE_FIELD = TestedField(
    item=ListField(item=DecimalField(), least=2, most=2),
    test=lambda ends: parse_decimal(ends[0]) < parse_decimal(ends[1]),
)
ARMS_FIELD = list_of(PlainTextField(least=1), least=1, distinct=True)
HASH_HEX, SIGNATURE_HEX = HexField(digits=64), HexField(digits=128)
MAX_RESTING_ROUNDS = 20
BLOCK_RANGE = IntegerField(low=1, high=MAX_BLOCK_DRAWS)
ROUND_NUMBER = IntegerField(low=1)
ROSTER_ENTRY_SCHEMA = TestedField(
    item=object_with(
        commitment=HASH_HEX,
        weight=IntegerField(low=1),
        key=null_or(HASH_HEX),
        provenance=null_or(object_with(how=one_of(*KEY_ORIGINS), at=IntegerField())),
        proof=null_or(SIGNATURE_HEX),
        organiser=IntegerField(high=1),
        by_hand=IntegerField(high=1),
    ),
    test=lambda entry: (
        (entry["key"] is None) == (entry["provenance"] is None) == (entry["proof"] is None)
        and not (entry["by_hand"] and entry["key"])
    ),
)
PSEUDONYMS_FIELD = list_of(HexField(digits=48), ascending=True, least=1)
AGENT_TYPE_SCHEMA = object_with(
    candidates=list_of(IntegerField(), ascending=True, least=1),
    leader=null_or(IntegerField()),
    weight=IntegerField(low=1),
    units=list_of(IntegerField()),
    pseudonyms=PSEUDONYMS_FIELD,
)
TURNS_SCHEMA = object_with(mode=one_of("lottery", "deterministic"), worlds=BLOCK_RANGE, single_use=IntegerField(high=1))
TERM_SCHEMAS: Schema = {
    "title": PlainTextField(),
    "arms": ARMS_FIELD,
    "block": null_or(BLOCK_RANGE),
    "source": SOURCE_FIELD,
    "resting": IntegerField(high=MAX_RESTING_ROUNDS),
}
STATEMENT_VALUES: dict[str, Field] = {
    "seen": one_of(None),
    "commit": HASH_HEX,
    "reveal": HASH_HEX,
    "dice": TestedField(item=HexField(digits=None), test=lambda value: len(value) <= 4400),
    "compare": HexField(digits=72),
}
"""The kinds of statements that a member can sign, with the validator of their values."""

CHARTER_SCHEMA: Schema = {
    "format": one_of("isegoria record"),
    "version": one_of(3),
    "group": HexField(digits=32),
    "scale": SCALE_FIELD,
    "privacy": one_of("open", "ballots"),
    "settings": LEARNER_SETTINGS_FIELD,
    "software": PlainTextField(),
    "tie_break": one_of(*TIE_BREAKS),
    "turns": null_or(TURNS_SCHEMA),
    "learner": one_of(None, "guided"),
    **TERM_SCHEMAS,
}
ROSTER_SCHEMA: Schema = {"version": IntegerField(low=1), "members": list_of(null_or(ROSTER_ENTRY_SCHEMA))}
STATEMENT_SCHEMA: Schema = {
    "member": IntegerField(high=2**32 - 1),
    "size": IntegerField(low=2),
    "head": HASH_HEX,
    "at": IntegerField(),
    "kind": one_of(*STATEMENT_VALUES),
    "value": null_or(PlainTextField()),
    "signature": SIGNATURE_HEX,
}
FREEZE_SCHEMA: Schema = {
    "round": ROUND_NUMBER,
    "at": IntegerField(),
    "roster": IntegerField(low=1),
    "available": list_of(IntegerField(), ascending=True, least=1),
    "block": BLOCK_RANGE,
    "title": PlainTextField(least=1, most=MAX_TITLE_CHARACTERS),
    "dice_form": DICE_FORM_FIELD,
    "occurrence": null_or(IntegerField()),
    "source_round": null_or(IntegerField()),
    "root": HASH_HEX,
    "leaf_count": IntegerField(),
    "units": IntegerField(low=1),
    "arm_units": list_of(IntegerField()),
    "types": list_of(AGENT_TYPE_SCHEMA),
    "absent": list_of(object_with(weight=IntegerField(low=1), pseudonyms=PSEUDONYMS_FIELD)),
}
TRIAL_SCHEMA: Schema = {
    "round": ROUND_NUMBER,
    "occurrence": null_or(IntegerField()),
    "roster": IntegerField(low=1),
    "available": list_of(IntegerField(), ascending=True, least=1),
    "arm": IntegerField(),
}
DRAW_SCHEMA: Schema = {
    "round": ROUND_NUMBER,
    "source_bytes": HexField(digits=None),
    "balls": list_of(IntegerField()),
    "arms": list_of(IntegerField()),
}
RATINGS_SCHEMA: Schema = {"round": ROUND_NUMBER, "root": HASH_HEX, "leaf_count": IntegerField(low=1)}
OVERRIDE_SCHEMA: Schema = {
    "round": ROUND_NUMBER,
    "slot": IntegerField(),
    "arm": IntegerField(),
    "reason": PlainTextField(),
    "member": null_or(IntegerField()),
    "signature": null_or(SIGNATURE_HEX),
}
AMENDMENT_SCHEMA: Schema = {"field": one_of(*AMENDABLE_FIELDS), "value": AnyField(), "reason": PlainTextField()}


def validate_schema(kind: str, shape: Schema, line: dict[str, Any]) -> None:
    """Raise `InputError` unless a line has exactly the keys of its kind, each with a valid value."""
    checks = {**shape, "line": PlainTextField(), "prev": HASH_HEX}
    if line.keys() != checks.keys():
        raise InputError(f"it does not have exactly the keys of a {kind} line.")
    if kind == "amend":
        checks["value"] = TERM_SCHEMAS.get(line["field"], one_of(None))
    if kind == "statement" and line["kind"] in STATEMENT_VALUES:
        checks["value"] = STATEMENT_VALUES[line["kind"]]
    if kind == "override":
        checks["signature"] = one_of(None) if line["member"] is None else SIGNATURE_HEX
    for key in sorted(checks):
        if not checks[key].accepts(line[key]):
            raise InputError(f'"{key}" of the {kind} line is not what it must be.')
