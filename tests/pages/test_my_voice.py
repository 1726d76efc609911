"""My voice, computed a second time from the public record and the member's receipt alone."""

import hashlib
import hmac
import json
import random
import sys
from itertools import accumulate
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))
from api_clients import SampleGroup
from starlette.testclient import TestClient

from isegoria.service.app import create_app
from isegoria.service.settings import Settings

GROUPS = 100


def recomputed(record: list[dict], receipt: dict) -> dict:
    """What was promised and what came, for the member of a receipt: whole numbers and HMAC, nothing of ours."""
    group, secret, number = bytes.fromhex(receipt["group"]), bytes.fromhex(receipt["secret"]), receipt["member"]
    promised = turns_promised = 0.0
    received = turns = lost = slots = 0
    freeze = None
    overrides = {(line["round"], line["slot"]): line["arm"] for line in record if line["line"] == "override"}
    for line in record:
        if line["line"] == "freeze":
            freeze = line
        if line["line"] != "draw":
            continue
        message = group + line["round"].to_bytes(8, "big") + number.to_bytes(4, "big")
        alias = hmac.new(secret, message, hashlib.sha256).digest()[:24].hex()
        mine = [kind for kind in freeze["types"] if alias in kind["pseudonyms"]]
        if not mine:
            continue
        (kind,), total = mine, sum(freeze["arm_units"])
        drum = [
            (one["units"][arm], arm, who)
            for arm in range(len(freeze["arm_units"]))
            for one in freeze["types"]
            for who in one["pseudonyms"]
        ]
        for slot, ball in enumerate(line["balls"]):
            ends = accumulate(size for size, _, _ in drum)
            who = next(one[2] for one, end in zip(drum, ends, strict=True) if ball < end)
            arm = overrides.get((line["round"], slot), line["arms"][slot])
            slots += 1
            promised += sum(freeze["arm_units"][k] for k in kind["candidates"]) / total
            turns_promised += sum(kind["units"]) / total
            received += arm in kind["candidates"]
            turns += who == alias and (line["round"], slot) not in overrides
            lost += who == alias and (line["round"], slot) in overrides
    return {
        "slots": slots,
        "promised": promised,
        "received": received,
        "turns": turns,
        "lost": lost,
        "turns_promised": turns_promised,
    }


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    store = f"sqlite:///{tmp_path_factory.mktemp('voices') / 'groups.db'}"
    with TestClient(
        create_app(Settings(store=store, keeps_time=False, new_groups=(1e9, 1e9))), base_url="http://localhost"
    ) as client:
        yield client


def test_it_is_what_the_record_says(quick):
    rng = random.Random(16)
    for _ in range(GROUPS):
        names = [f"M{i}" for i in range(rng.randrange(2, 7))]
        arms = [f"A{i}" for i in range(rng.randrange(2, 5))]
        circle = SampleGroup(quick, members=names, arms=arms, block=rng.choice([None, 1, 3]))
        for name in names:
            circle[name].rate({arm: rng.randrange(6) for arm in rng.sample(arms, rng.randrange(1, len(arms) + 1))})
        for _ in range(rng.randrange(1, 3)):
            circle.decide()
        if rng.random() < 0.3:
            last = circle.nobody.get().json()["last"]
            body = {"round": last["round"], "slot": 0, "arm": rng.choice(arms), "reason": "closed"}
            assert circle.organiser.post("override", body).status_code == 201
        name = rng.choice(names)
        record = [json.loads(line) for line in circle.record().splitlines()]
        expected = recomputed(record, json.loads(circle[name].get("receipt").content))
        found = circle[name].get("voice").json()
        assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-9)
        assert found["course"]["received"][-1] == found["received"]
        assert found["course"]["promised"][-1] == pytest.approx(found["promised"], abs=1e-3)
