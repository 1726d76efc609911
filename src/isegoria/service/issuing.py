"""Links that whoever runs the server issues, without the service: she has the store, and so everything."""

from __future__ import annotations

import json
import time

from isegoria.service import organising
from isegoria.service.groups import Groups
from isegoria.service.http.tokens import ORGANISER, Actor, new_token, token_hash
from isegoria.service.store import Store


def start_link(store: Store) -> str:
    """The token of a new start link: with it groups are made on a closed server, by any process on this store."""
    token = new_token()
    with store.writing() as session:
        session.replace_start(token_hash(token), int(time.time()))
    return token


def organiser_link(store: Store, group: str) -> str:
    """The token of a new link of a group's organiser; the one before is void, and the group's log says so."""
    actor = Actor(group, ORGANISER, 0, "")
    answer = Groups(store).act(actor, organising.reissue, {"role": ORGANISER, "number": 0})
    return str(json.loads(answer.body)["token"])
