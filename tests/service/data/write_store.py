"""Write a small store with the commit that is checked out: the fixtures `store-COMMIT.sql` were made so.

In a clone of that commit with its kernels built:  PYTHONPATH=src python write_store.py FILE.sql

Two groups: one with ballots, two drawn rounds, an open round and ratings in it; one that learns, with a drawn round.
The first line has the tokens, as JSON in a comment. It speaks HTTP alone, which all commits have in common.
"""

import itertools
import json
import sqlite3
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from starlette.testclient import TestClient

from isegoria.service.app import create_app
from isegoria.service.settings import Settings

KEYS = itertools.count(1)
ARMS = ["Thai", "Pizza", "Salad"]
LEARNER = "guided" if find_spec("isegoria.record") else "procedural"  # the default of its time
GROUPS = {
    "ballots": {"title": "Lunch", "privacy": "ballots", "block": None, "learner": None},
    "learning": {"title": "Films", "privacy": "ballots", "block": 1, "learner": LEARNER},
}


def post(client: TestClient, path: str, body: dict, token: str | None = None) -> dict:
    headers = {"idempotency-key": f"key-{next(KEYS)}"} | ({"authorization": f"Bearer {token}"} if token else {})
    answer = client.post(path, json=body, headers=headers)
    if answer.status_code >= 300:
        raise SystemExit(f"{path}: {answer.status_code} {answer.text}")
    return answer.json()


def rate(client: TestClient, made: dict, shift: int) -> None:
    for number, token in enumerate(made["members"].values()):
        values = {arm: (number + 2 * k + shift) % 6 for k, arm in enumerate(ARMS)}
        post(client, f"/api/groups/{made['group']}/ratings", {"round": None, "slot": None, "values": values}, token)


def main(target: Path) -> None:
    """Let the groups decide, and write all rows of the store as SQL."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "groups.db"
        tokens = {}
        with TestClient(
            create_app(Settings(store=f"sqlite:///{file}", keeps_time=False)), "http://localhost"
        ) as client:
            for name, choices in GROUPS.items():
                body = {
                    "arms": ARMS,
                    "members": ["Ann", "Bob", "Cem"],
                    "source": "rehearsal",
                    "scale": [0, 5],
                    **choices,
                }
                made = tokens[name] = post(client, "/api/groups", body)
                for number in range(2 if name == "ballots" else 1):
                    if name == "ballots":  # whoever learns is told what happened, and nobody rates beforehand
                        rate(client, made, number)
                    for step in ("freeze", "draw"):
                        post(client, f"/api/groups/{made['group']}/{step}", {}, made["organiser"])
                if name == "ballots":
                    rate(client, made, 5)
        connection = sqlite3.connect(file)
        kept = {name: {key: made[key] for key in ("group", "organiser", "members")} for name, made in tokens.items()}
        lines = [f"-- {json.dumps(kept)}", *connection.iterdump()]
        connection.close()
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
