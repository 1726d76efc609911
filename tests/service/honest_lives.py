"""Honest lives of groups: what people do, in any order, through the service; after each event what is said is checked.

At the end of each life a server that lies is played: one fault at a time is put into the record or a receipt, and each
must be found.

`PYTHONPATH=tests:tests/service:tests/verifier python tests/service/honest_lives.py SECONDS [SEED]` runs for so many
seconds of processor time and prints how much it checked.
"""

import html
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from api_clients import GroupClient, SampleGroup, issue_links, make_client
from group_model import GroupModel

from isegoria.record.turns.modes import TURN_MODES
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify
from service.test_page_responses import sign_in
from verifier.engines import verify_with_node
from verifier.record_maker import canonical, dump_lines, rechain_lines

NAMES = [
    f"{first}{second}"
    for second in ("", " B", " C")
    for first in ("Ann", "Bob", "Cem", "Dia", "Eli", "Fay", "Gus", "Ида", "ג'ון")
]
ARMS = ["noodles", "pizza", "salad", "curry", "soup", "rice"]
DICE = {"count": 9, "low": 1, "high": 6, "order": "throw"}
THROW = "3,1,4,1,5,2,6,5,3"
HOUR = 3600
MAX_NODE_CASES = 10  # verdicts of each life that the verifier in JavaScript gives too
WEIGHTS = {"answer": 8, "decide": 6, "join": 2, "leave": 1, "reissue": 1, "mask": 1, "override": 2, "option": 1}
WEIGHTS |= {"device": 2, "erase": 0.4, "restart": 0.5, "undrawn": 0.7, "organiser": 0.4, "source": 0.5}


class LifeError(AssertionError):
    """Something was said of an honest group that is not so."""


class HonestLife:
    """One group from its beginning, with the model beside it."""

    def __init__(self, client, seed: int, tally: Counter, most: int = 8):
        self.rng, self.client, self.tally, self.seed = random.Random(seed), client, tally, seed
        self.now = 1_800_000_000
        client.app.state.service.groups.clock = lambda: self.now
        members = NAMES[: self.rng.randint(3, most)]
        turns = self.rng.choice([None, None, *({"mode": mode} for mode in TURN_MODES)])
        self.source = self.rng.choice(["rehearsal", "rehearsal", "dice"])
        block = None if turns else self.rng.choice([None, 1, 3])
        self.circle = SampleGroup(
            client, members=members, arms=ARMS[: self.rng.randint(2, 4)], turns=turns, source=self.source, block=block
        )
        self.history: list[str] = []
        self.cases: list[dict] = []
        charter = self.circle.organiser.get().json()
        self.model = GroupModel(charter["id"], members, charter["arms"], turns is not None)
        self.changed: set[int] = set()

    def run(self, events: int) -> None:
        """Live through so many events; raise `LifeError` at the first untrue word."""
        for _ in range(events):
            kind = self.rng.choices([*WEIGHTS], [*WEIGHTS.values()])[0]
            self.now += self.rng.choice([1, 61, HOUR, 26 * HOUR])
            self.changed = set()
            if not getattr(self, f"do_{kind}")():
                continue
            self.history.append(f"{kind} {sorted(self.changed)}")
            self.tally["events"] += 1
            self.tally[kind] += 1
            for number in self.changed:
                self.check_member(number)
        for number in self.model.here():
            self.check_member(number)
        self.tally["histories"] += 1
        if any(one.drawn is not None for one in self.model.rounds):
            self.inject_faults()

    # -- what people do: each returns whether it could be done ---------------------------------------------------------

    def client_of(self, number: int) -> GroupClient:
        return self.circle[self.model.members[number].name]

    def must(self, answer, *codes: int):
        if answer.status_code not in codes:
            raise LifeError(f"seed {self.seed}, {self.history}: {answer.request.url} said {answer.text}")
        return answer.json()

    def someone(self) -> int:
        return self.rng.choice(self.model.here())

    def do_answer(self) -> bool:
        number = self.someone()
        asked = self.rng.sample(self.model.arms, self.rng.randint(1, len(self.model.arms)))
        values = {arm: self.rng.choice([0, 0, 5, 5, 3]) for arm in asked}
        if self.rng.random() < 0.1:
            values = {}
        whole = {arm: values.get(arm) for arm in self.model.arms}
        self.must(self.client_of(number).rate(whole), 200, 201)
        self.model.answered(number, values or None)
        self.changed.add(number)
        return True

    def do_join(self) -> bool:
        free = [name for name in NAMES if name not in {one.name for one in self.model.members.values()}]
        if not free:
            return False
        name = self.rng.choice(free)
        number = len(self.model.members)
        self.circle.add_member(name)
        self.model.joined(number, name)
        self.changed.add(number)
        return True

    def do_leave(self) -> bool:
        if len(self.model.here()) < 3:
            return False
        number = self.someone()
        if self.rng.random() < 0.5:
            self.must(self.client_of(number).post("leave"), 200, 201)
        else:
            self.must(self.circle.organiser.post("people/leave", {"member": number}), 200, 201)
        self.model.left(number)
        self.changed.add(number)
        return True

    def do_erase(self) -> bool:
        if len(self.model.here()) < 3:
            return False
        number = self.someone()
        self.must(self.circle.organiser.post("people/erase", {"member": number}), 200, 201)
        self.model.left(number)
        return True

    def do_reissue(self) -> bool:
        number = self.someone()
        name = self.model.members[number].name
        told = self.must(self.circle.organiser.post("links", {"role": "member", "number": number}), 200, 201)
        self.circle.members[name] = GroupClient(self.client, self.circle.group, told["token"])
        self.changed.add(number)
        return True

    def do_device(self) -> bool:
        """Another device of somebody, with the same link: their receipt is the same."""
        number = self.someone()
        name = self.model.members[number].name
        made = {"group": self.circle.group, "members": {name: number}}
        token = issue_links(self.client.app.state.service.store, made)[name]
        self.circle.members[name] = GroupClient(self.client, self.circle.group, token)
        self.changed.add(number)
        return True

    def do_mask(self) -> bool:
        masked = {arm for arm in self.model.arms if self.rng.random() < 0.25}
        if len(masked) == len(self.model.arms):
            return False
        self.must(self.circle.organiser.post("mask", {"unavailable": sorted(masked)}), 200, 201)
        self.model.masked = masked
        self.changed.add(self.someone())
        return True

    def do_option(self) -> bool:
        name = f"dish {len(self.model.arms)}"
        answer = self.circle.organiser.post("options", {"name": name})
        self.must(answer, 200, 201)
        self.model.arms.append(name)
        self.changed.add(self.someone())
        return True

    def do_restart(self) -> bool:
        """The server forgets all that is not in its store."""
        groups = self.client.app.state.service.groups
        groups._cached.clear()
        groups._weight = 0
        self.changed.add(self.someone())
        return True

    def do_organiser(self) -> bool:
        number = self.someone()
        self.must(
            self.circle.organiser.post("people/mark", {"member": number, "organiser": self.rng.randint(0, 1)}),
            200,
            201,
        )
        self.changed.add(number)
        return True

    def do_source(self) -> bool:
        if self.model.rounds and self.model.rounds[-1].drawn is None:
            return False
        source = "dice" if self.source == "rehearsal" else "rehearsal"
        self.must(self.circle.organiser.post("source", {"source": source, "reason": "for once"}), 200, 201)
        self.source = source
        self.changed.add(self.someone())
        return True

    def freeze(self, **body) -> bool:
        """Close answers; the page on the record is what the members said."""
        for number in self.model.here():
            self.read_secret(number)
        if self.source == "dice":
            body |= {"form": DICE, "event": "nine dice"}
        self.must(self.circle.organiser.post("freeze", body), 201)
        page = self.model.read_lines(self.circle.record(), "freeze")
        self.model.closed(page, 1 if self.model.turns else page["block"])
        self.say(self.model.find_page_faults())
        self.changed.update(self.model.here())
        return True

    def do_decide(self) -> bool:
        if not self.model.rounds or self.model.rounds[-1].drawn is not None:
            self.freeze()
            if self.rng.random() < 0.4:
                return True
        for number in self.changed:  # between the page and its draw
            self.check_member(number)
        body = {"value": THROW} if self.model.rounds[-1].page["dice_form"] else {}
        self.must(self.circle.organiser.post("draw", body), 201)
        self.model.drew(self.model.read_lines(self.circle.record(), "draw"))
        self.say(self.model.find_draw_faults())
        self.changed.update(self.model.here())
        return True

    def do_undrawn(self) -> bool:
        """The open round is left undrawn, and answers are closed for the next."""
        if not self.model.rounds or self.model.rounds[-1].drawn is not None:
            return False
        return self.freeze(undrawn=True)

    def do_override(self) -> bool:
        drawn = [one for one in self.model.rounds if one.drawn is not None]
        if not drawn:
            return False
        round_ = drawn[-1] if self.rng.random() < 0.8 else self.rng.choice(drawn)
        slot = self.rng.randrange(round_.slots)
        others = [arm for arm in range(len(round_.page["arm_units"])) if arm != round_.drawn["arms"][slot]]
        if slot in round_.overrides or not others:
            return False
        arm, reason = self.rng.choice(others), "closed today"
        body = {"round": round_.page["round"], "slot": slot, "arm": self.model.arms[arm], "reason": reason}
        self.must(self.circle.organiser.post("override", body), 200, 201)
        self.model.overrode(round_.page["round"], slot, arm, reason)
        self.changed.update(self.model.here()[:2])
        return True

    # -- what is said --------------------------------------------------------------------------------------------------

    def say(self, faults: list[str]) -> None:
        if faults:
            raise LifeError(f"seed {self.seed}, after {self.history[-12:]}: {faults}")

    def read_secret(self, number: int) -> dict:
        receipt = json.loads(self.client_of(number).get("receipt").content)
        self.model.members[number].secret = receipt["secret"]
        return receipt

    def check_member(self, number: int) -> None:
        """The verdict with their receipt, their tally, and their page *Today*."""
        if not self.model.members[number].present:
            return
        self.read_secret(number)
        record, receipt = self.circle.record(), self.client_of(number).get("receipt").content
        if record:
            found = verify(record, receipt=receipt, now=self.now)
            self.tally["receipts"] += 1
            if len(self.cases) < MAX_NODE_CASES and self.rng.random() < 0.1:
                self.cases.append({"record": record, "receipt": receipt, "now": self.now, "found": found["sentence"]})
            if found["exit_code"] in (1, 2):
                self.say([f"member {number}: {found['sentence']}"])
            pending = [one for one in found["proved"] if "nothing of theirs is in a round yet" in one]
            self.say(
                []
                if bool(pending) == self.model.is_pending(number)
                else [f"member {number} pending: {found['proved']}"]
            )
        told, wanted = self.client_of(number).get("voice").json(), self.model.voice(number)
        shown = {name: told[name] for name in wanted if name != "promised"}
        due = {name: value for name, value in wanted.items() if name != "promised"}
        close = abs(told["promised"] - wanted["promised"]) < 1e-9
        self.say([] if shown == due and close else [f"member {number}: the tally says {told}, the model {wanted}"])
        self.tally["tallies"] += 1
        if self.rng.random() < 0.3:
            self.check_today(number)

    def inject_faults(self) -> None:
        """Play a server that lies: each fault is false to somebody who kept a head, a receipt or a promise."""
        record, number = self.circle.record(), self.someone()
        receipt = self.client_of(number).get("receipt").content
        for name, (forged, shown) in self.list_forgeries(record, receipt).items():
            found = verify(forged, receipt=shown, head=json.loads(receipt)["head"] if forged is not record else ())
            self.tally["faults"] += 1
            self.say([] if found["exit_code"] in (1, 2) else [f"the fault {name!r} was not found: {found['sentence']}"])
        if self.do_join():
            joined = len(self.model.members) - 1
            promise = self.client_of(joined).get("receipt").content
            self.must(self.circle.organiser.post("people/leave", {"member": joined}), 200, 201)
            self.model.left(joined)
            open_ = self.model.rounds[-1].drawn is None
            self.freeze(**({"undrawn": True} if open_ else {}))
            found = verify(self.circle.record(), receipt=promise)
            self.tally["faults"] += 1
            kept = found["exit_code"] == 1 and "was promised a part" in found["sentence"]
            self.say([] if kept else [f"a broken promise was not found: {found['sentence']}"])

    def list_forgeries(self, record: bytes, receipt: bytes) -> dict[str, tuple[bytes, bytes]]:
        """Return forged records, each with its hashes made right again, and forged receipts."""
        found = {}

        def forge(name: str, kind: str, change) -> None:
            lines = [json.loads(line) for line in record.splitlines()]
            at = max(place for place, line in enumerate(lines) if line["line"] == kind)
            change(lines[at])
            found[name] = dump_lines(rechain_lines(lines)), receipt

        forge("another title", "charter", lambda line: line.update(title="Another"))
        forge("another result", "draw", lambda line: line["arms"].__setitem__(0, (line["arms"][0] + 1) % 2))
        forge("another ball", "draw", lambda line: line["balls"].reverse() or line["balls"].__setitem__(0, 0))
        forge("a lost voice", "freeze", lambda line: line["types"][0]["pseudonyms"].pop())
        forge("a moved answer", "freeze", lambda line: line.update(root="0" * 64))
        forge("a changed key of the roster", "roster", lambda line: line["members"].append(None))
        told = json.loads(receipt)
        others = [one for one in self.model.here() if one != told["member"]]
        found["the receipt of another"] = record, canonical(told | {"member": others[0]}) + b"\n"
        if told["ratings"]:
            told["ratings"][-1]["leaf"]["values"] = [
                "1" if one != "1" else "2" for one in told["ratings"][-1]["leaf"]["values"]
            ]
            found["another answer"] = record, canonical(told) + b"\n"
        return found

    def check_today(self, number: int) -> None:
        self.client.cookies.clear()
        sign_in(self.client, self.client_of(number))
        page = html.unescape(self.client.get(f"/g/{self.circle.group}", headers={"accept-language": "en"}).text)
        self.client.cookies.clear()
        text = " ".join(re.sub(r"<[^>]*>", "", page).split())
        here = self.model.here()
        answered = sum(self.model.has_answered(one) for one in here)
        wanted = [f"{answered} of {len(here)} have answered", self.model.hero(number) or "nobody"[:0]]
        self.say([f"*Today* of {number} lacks {one!r}: {text}" for one in wanted if one not in text])
        self.tally["pages"] += 1


def run_lives(seconds: float, seed: int, events: tuple[int, int], most: int = 8, cpu: bool = True) -> Counter:
    """Live through histories until the time is used up; with `cpu`, the time of this process alone counts."""
    tally, clock = Counter(), time.process_time if cpu else time.monotonic
    end, cases = clock() + seconds, []
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'lives.db'}")
        with make_client(store) as client:
            while clock() < end:
                life = HonestLife(client, seed, tally, most)
                life.run(random.Random(seed).randint(*events))
                cases += life.cases
                seed += 1
    for case, answer in zip(cases, verify_with_node(cases), strict=True):
        tally["in JavaScript"] += 1
        assert answer.get("sentence") == case["found"], (answer, case["found"])
    return tally


def describe(tally: Counter) -> str:
    counts = ", ".join(
        f"{tally[name]:,} {name}"
        for name in ("histories", "events", "receipts", "in JavaScript", "tallies", "pages", "faults")
    )
    kinds = ", ".join(f"{name} {tally[name]}" for name in WEIGHTS)
    return f"honest lives: {counts} checked ({kinds})."


if __name__ == "__main__":
    print(describe(run_lives(float(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1, (30, 200), 15)))
