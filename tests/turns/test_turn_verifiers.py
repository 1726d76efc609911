"""Both verifiers recompute what is owed from the lines alone, and find a keeper who carries it otherwise."""

import pytest
from in_memory_group import make_film_group, make_random_history

from isegoria.record import receipts
from isegoria.record.actions import rounds
from isegoria.record.format import lines
from isegoria.record.turns import lottery, record_ledger
from verifier import reference_verifier
from verifier.engines import verify_with_node, verify_with_python

RECORDS = 200
"""Half of them with a receipt; `stress_turns.py` has ten thousand."""


def record(kept) -> bytes:
    return b"".join(line + b"\n" for line in kept.group.lines)


def receipt(kept, number: int) -> bytes:
    everyone = kept.people
    return receipts.build_receipt(
        kept.group, everyone[number], lambda line: receipts.rebuild_tree(kept.group, everyone, line)
    )


def run_both_verifiers(cases: list[dict]) -> list[dict]:
    """The one answer of both verifiers, and of the reader that was written from the description alone."""
    python, node = verify_with_python(cases), verify_with_node(cases)
    assert python == node
    assert python == [
        reference_verifier.read(case["record"], now=case["now"], receipt=case.get("receipt")) for case in cases
    ]
    return python


@pytest.mark.slow
def test_they_agree_with_each_other_and_with_the_writer_on_random_records():
    lives = [make_random_history(seed) for seed in range(RECORDS)]
    cases = [{"record": record(kept), "now": kept.now} for kept in lives]
    for case, kept in zip(cases[::2], lives[::2], strict=True):
        case["receipt"] = receipt(kept, min(kept.group.members))
    found = run_both_verifiers(cases)
    assert {one["exit_code"] for one in found} == {3}
    for kept, one in zip(lives, found, strict=True):
        expected = [
            {"pseudonym": who, "debt": entry.owed[0], "waiting_rounds": entry.waited}
            for who, entry in sorted(kept.group.owed.items())
        ]
        assert one["debts"] == expected
    for one in found[::2]:
        assert any(text.startswith("They are owed ") for text in one["proved"])


def _order_left_out(monkeypatch, kept):
    told = lottery.deal_balls
    monkeypatch.setattr(record_ledger, "deal_balls", lambda *given: (told(*given)[0], list(range(8))))


def _debt_forgiven(monkeypatch, kept):
    monkeypatch.setattr(type(kept.group), "owed", property(lambda group: {}))


def _late_override_charged(monkeypatch, kept):
    def other(page, before, arms):
        return record_ledger.carry_debts(page, before, arms and [2] * 8)

    monkeypatch.setattr("isegoria.record.state.group.carry_debts", other)


def _arm_of_another_world(monkeypatch, kept):
    told = lines.draw_balls

    def other(*given):
        balls = told(*given)
        return balls[:2] + balls[2:][::-1]

    monkeypatch.setattr(lines, "draw_balls", other)


@pytest.mark.parametrize("cheat", [_order_left_out, _debt_forgiven, _late_override_charged, _arm_of_another_world])
def test_a_keeper_who_breaks_a_rule_is_found(monkeypatch, cheat):
    kept = make_film_group("lottery", 8)
    cheat(monkeypatch, kept)
    for _ in range(6):
        kept.freeze()
        kept.draw()
    found = run_both_verifiers([{"record": record(kept), "now": kept.now}])[0]
    assert found["exit_code"] == 1
    assert found["sentence"].endswith("balls and arms do not follow from the freeze and the source.")


def test_what_was_used_up_is_not_on_offer_again(monkeypatch):
    kept = make_film_group("deterministic", single_use=True)
    kept.freeze()
    kept.draw()
    monkeypatch.setattr(type(kept.group), "used", property(lambda group: set()))
    kept.freeze()
    found = run_both_verifiers([{"record": record(kept), "now": kept.now}])[0]
    assert found["sentence"].endswith("an option that was used up is on offer again.")


def test_other_worlds_units_and_blocks_are_refused():
    kept = make_film_group("lottery", 4)
    kept.freeze()
    kept.draw()
    assert run_both_verifiers([{"record": record(kept), "now": kept.now}])[0]["exit_code"] == 3
    first, *rest = kept.group.parsed
    for change, sentence in (
        ({"turns": {"mode": "deterministic", "worlds": 4, "single_use": 0}}, "do not fit the turns."),
        ({"turns": {"mode": "lottery", "worlds": 2, "single_use": 0}}, "do not fit the turns."),
        ({"block": 3}, "do not fit the turns."),
        ({"turns": {"mode": "tilted", "worlds": 4, "single_use": 0}}, "of its kind."),
    ):
        found = run_both_verifiers([{"record": rechain_lines([first | change, *rest]), "now": kept.now}])[0]
        assert found["sentence"].endswith(sentence), found["sentence"]
    coarse = rechain_lines([first, rest[0], duplicate_page(rest[1])])
    assert run_both_verifiers([{"record": coarse, "now": kept.now}])[0]["sentence"].endswith("not those of turns.")


def duplicate_page(page: dict) -> dict:
    """The page with twice the units: everything else is right."""
    types = [one | {"units": [2 * unit for unit in one["units"]]} for one in page["types"]]
    return page | {"units": 2 * page["units"], "arm_units": [2 * voice for voice in page["arm_units"]], "types": types}


def rechain_lines(said: list[dict]) -> bytes:
    """Lines with their hashes made anew."""
    data, head = b"", bytes(32)
    for line in said:
        raw = lines.dump_canonical({**line, "prev": head.hex()})
        data, head = data + raw + b"\n", lines.hash_line(raw)
    return data


def test_an_override_counts_in_time_and_not_later():
    late, soon = make_film_group("deterministic"), make_film_group("deterministic")
    for kept in (late, soon):
        kept.freeze()
        kept.draw()
    soon.do(rounds.override, round=1, slot=0, arm="Clue", reason="no disc")
    late.freeze()
    late.do(rounds.override, round=1, slot=0, arm="Clue", reason="no disc")
    found = run_both_verifiers([{"record": record(kept), "now": kept.now} for kept in (late, soon)])
    assert any(one["debt"] < 0 for one in found[0]["debts"])
    assert all(one["debt"] > 0 and one["waiting_rounds"] == 1 for one in found[1]["debts"])
