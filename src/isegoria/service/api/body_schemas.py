"""Schemas of request bodies."""

from __future__ import annotations

from typing import Any

from isegoria.record.format.schema import DICE_ORDERS, STATEMENT_VALUES
from isegoria.record.group_learner import LEARNER_ID
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.turns.modes import TURN_MODES
from isegoria.service.actions import administration
from isegoria.service.groups.group_views import BALLOT_TYPES
from isegoria.service.groups.timetable import RECURRENCE_NAMES
from isegoria.utils.fields import (
    BooleanField,
    ChoiceField,
    HexField,
    IntegerField,
    ListField,
    MapField,
    NullableField,
    NumberField,
    ObjectField,
    TextField,
    UnionField,
)

NAME_FIELD = TextField("A name, as people write it.", most=100)
DRAW_VALUE_FIELD = UnionField(
    "What dice showed: digits, or numbers in the form of the freeze; a beacon's signature in hexadecimal.",
    items=(TextField(most=400), ListField(item=IntegerField(high=10**9), least=1, most=200)),
)
MAX_ABS_RATING = 1e6
"""The ends of a scale may be no further from 0, so that results computed from ratings stay finite."""
TIMETABLE_SCHEMA = ObjectField(
    fields={
        "recurrence": NullableField(
            "How often; null: daily, or under a beacon as its charter says.", item=ChoiceField(known=RECURRENCE_NAMES)
        ),
        "time": NullableField(
            "Time of day, HH:MM; null: 12:00, or under a beacon as its charter says.", item=TextField(most=5)
        ),
        "zone": TextField("A time zone, such as Europe/Berlin.", most=64, default="UTC"),
        "start": NullableField("The first day, YYYY-MM-DD; null: today.", item=TextField(most=10)),
        "lead": IntegerField("Minutes between freeze and draw.", low=1, high=7 * 24 * 60, default=180),
    }
)
TURNS_SCHEMA = ObjectField(
    fields={
        "mode": ChoiceField(
            "A lottery with memory, or no lottery but between ties.", known=TURN_MODES, default="lottery"
        ),
        "worlds": NullableField(
            "Of turns by lottery: how many rounds run side by side; null: 8.", item=IntegerField(low=1, high=20)
        ),
        "single_use": BooleanField("Whether what was played is never on offer again.", default=False),
    }
)
NEW_GROUP_SCHEMA = ObjectField(
    fields={
        "title": TextField("What the group decides."),
        "arms": ListField("The options, by name.", item=NAME_FIELD, least=1, most=1000, distinct=True),
        "members": ListField("Who takes part, by name.", item=NAME_FIELD, least=1, most=20_000, distinct=True),
        "privacy": ChoiceField("Whether names may be joined to rows.", known=("ballots", "open"), default="ballots"),
        "block": NullableField(
            "Draws in one round; null: everyone's turn, at most 20.", item=IntegerField(low=1, high=20)
        ),
        "source": ChoiceField("Where the randomness comes from.", known=tuple(RANDOMNESS_SOURCES), default="rehearsal"),
        "learner": NullableField("A learner, or null: ratings as they are.", item=ChoiceField(known=(LEARNER_ID,))),
        "scale": ListField(
            "Lowest and highest rating.", item=NumberField(most=MAX_ABS_RATING), least=2, most=2, default=[0, 5]
        ),
        "first": NullableField("A beacon's first occurrence, in Unix seconds.", item=IntegerField(low=1_692_803_367)),
        "every": NullableField(
            "Seconds between a beacon's occurrences; null: as the timetable says, or an hour.",
            item=IntegerField(low=60, high=366 * 86400),
        ),
        "ballot": NullableField(
            "How the pages ask: favourites (tap them) or stars; null: favourites, with a learner stars.",
            item=ChoiceField(known=BALLOT_TYPES),
        ),
        "me": NullableField("Which of the members the organiser is, if they take part.", item=NAME_FIELD),
        "turns": NullableField("Turns with memory, and options proposed anew; null: none.", item=TURNS_SCHEMA),
        "join": BooleanField("Whether there is one link by which people take their names.", default=True),
        "timetable": NullableField("When it decides by itself; null: by hand.", item=TIMETABLE_SCHEMA),
        "once": BooleanField("Whether the group ends with its first draw.", default=False),
    }
)
SETTINGS_SCHEMA = ObjectField(
    fields={
        "webhook": NullableField(
            "An address that is told of every new line.",
            item=TextField(most=500),
            default=administration.UNCHANGED_VALUE,
        ),
        "retention": NullableField(
            "Days after which an unused group is erased.",
            item=IntegerField(low=1, high=36500),
            default=administration.UNCHANGED_VALUE,
        ),
        "note": TextField(
            "A line for everyone in the group.", least=0, most=500, default=administration.UNCHANGED_VALUE
        ),
        "waiting": BooleanField("Whether members see who has not answered.", default=administration.UNCHANGED_VALUE),
        "owed": BooleanField(
            "With turns: whether members see what everyone is owed.", default=administration.UNCHANGED_VALUE
        ),
        "changes": NullableField(
            "Before every how many rounds joins, departures and keys go on record; null: before each.",
            item=IntegerField(low=1, high=1000),
            default=administration.UNCHANGED_VALUE,
        ),
        "results": BooleanField(
            "Whether members with an address get results by mail.", default=administration.UNCHANGED_VALUE
        ),
        "remind": NullableField(
            "Minutes before answers close at which the missing are asked by mail.",
            item=IntegerField(low=1, high=7 * 24 * 60),
            default=administration.UNCHANGED_VALUE,
        ),
    }
)
RATING_SCHEMA = ObjectField(
    fields={
        "round": NullableField("The round that happened; null: all options at once.", item=IntegerField(low=1)),
        "slot": NullableField("The slot of that round, from 0.", item=IntegerField(high=19)),
        "values": MapField("Stars by option; null takes a rating back.", item=NullableField(item=NumberField())),
        "at": NullableField("When your device signed it, in Unix seconds.", item=IntegerField()),
        "signature": NullableField("Your device's signature over the whole row.", item=HexField(digits=128)),
    }
)
STATEMENT_SCHEMA = ObjectField(
    fields={
        "size": IntegerField("How many lines you have seen.", low=2),
        "head": HexField("The hash of the last of them.", digits=64),
        "at": IntegerField("The clock of your device, in Unix seconds."),
        "kind": ChoiceField("What you say.", known=tuple(STATEMENT_VALUES)),
        "value": NullableField(
            "A commitment, a number, what dice showed, or whose key you compared, in hexadecimal.",
            item=TextField(most=4400),
        ),
        "signature": HexField(digits=128),
    }
)
DICE_FORM_SCHEMA = ObjectField(
    fields={
        "count": IntegerField(low=1, high=200),
        "low": IntegerField(high=10**9),
        "high": IntegerField(high=10**9),
        "order": ChoiceField("In which order numbers count.", known=DICE_ORDERS),
    }
)
AMENDMENT_SCHEMA = ObjectField(
    fields={
        "field": ChoiceField(known=("title", "block")),
        "value": UnionField(items=(IntegerField(low=1, high=20), TextField())),
        "reason": TextField(most=500),
    }
)


def make_body_schema(**given: Any) -> ObjectField:
    """Return the schema of a body with these fields."""
    return ObjectField(fields=given)
