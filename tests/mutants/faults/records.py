"""Faults in what a record proves."""

from __future__ import annotations

from mutants.planting import fault, rewrite_source

TRUST, GAME = "tests/verifier/test_trust.py", "tests/verifier/test_game.py"
ATTACKS = "tests/verifier/test_attacks.py"
DEVICES, RECORDS = "tests/record/test_devices.py", "tests/verifier/test_records.py"
FORGERIES = "tests/verifier/test_forgeries.py"
VERIFIER = "verifier.isegoria_verify:"


@fault(TRUST, ATTACKS)
def marked_keys_count():
    """A verifier counts the keys of organisers among `members`."""
    rewrite_source(f"{VERIFIER}sets_of_keys", ' and not one["organiser"]', "")


@fault(TRUST, ATTACKS)
def a_proof_forgets_how_many_keys_there_are():
    """β is not lessened by n, so that every proof seems to need n false keys more."""
    rewrite_source(f"{VERIFIER}count_signatures", "len(since) + least) - n if", "len(since) + least) if")


@fault(TRUST, ATTACKS)
def the_latest_roster_says_whom_one_trusts():
    """T is taken from the last roster of the file, which the organiser wrote, and not from that of the kept head."""
    rewrite_source(
        f"{VERIFIER}sets_of_keys",
        "own = [rosters[number][n] for one in others for n in picked[one][place]]",
        "own = [one for one in rosters[-1].values()]",
    )


@fault(TRUST, ATTACKS)
def a_head_judges_what_came_before_it():
    """A head that was kept after a freeze judges it all the same."""
    rewrite_source(f"{VERIFIER}set_for", "if (one.line or 0) < now.number", "if one")


@fault(GAME, ATTACKS)
def whoever_saw_the_page_counts_under_the_group():
    """Under the source group a mere look, which comes after the numbers are known, counts as in time."""
    rewrite_source(
        f"{VERIFIER}count_signatures",
        "early = kinds.get(now.kind, now.seen) & own.keys",
        'early = (now.seen if now.kind == "commit_reveal" else kinds.get(now.kind, now.seen)) & own.keys',
    )


@fault(GAME, ATTACKS)
def quorums_adapt_to_what_came():
    """A round is proved as soon as e + l > n, whatever was fixed before."""
    rewrite_source(
        f"{VERIFIER}count_signatures",
        "    beta = ",
        "    k, later = 1, n + 1 - len(early)\n    beta = 1 if now.drawn else ",
    )


@fault(GAME, ATTACKS)
def dice_take_their_own_k_for_what_signed_since():
    """l₀ under dice comes from its larger k, so that a branch with another source needs too few."""
    since = "len(since) + least)"
    rewrite_source(f"{VERIFIER}count_signatures", "n + 1 - least", "n + 1 - k", since, "len(since) + k)")


@fault(DEVICES, ATTACKS)
def a_device_confirms_a_second_throw():
    """A device confirms another throw for the same page, if it is asked to."""
    rewrite_source("record.signing.device:_confirm_dice", 'if had and had[-1]["value"] != shown:', "if False:")
    rewrite_source(
        "record.signing.device:sign_record", 'if one["kind"] == what and', 'if "dice" != one["kind"] == what and'
    )


@fault(TRUST, ATTACKS)
def rounds_that_were_left_cost_nothing():
    """A draw after rounds that were never drawn is proved like any other."""
    rewrite_source(f"{VERIFIER}judge", "tries + 1", "tries")


@fault(TRUST, ATTACKS)
def a_signature_in_the_last_minute_counts():
    """What a key signed after the beacon was about to speak counts as in time."""
    rewrite_source(f"{VERIFIER}Walk.on_statement", 'line["at"] <= had.speaks - 60', 'line["at"] <= had.speaks + 3600')


@fault(ATTACKS)
def a_round_is_drawn_without_a_number():
    """Under the group a number that was committed may be left out of the draw."""
    asked = 'self.must(by in now.reveals, f"the number of member {by} is missing.")'
    taken = "now.reveals[by][0] for by in sorted(now."
    rewrite_source(f"{VERIFIER}Walk.on_draw", asked, "pass", f"{taken}commits)", f"{taken}reveals)")


@fault(FORGERIES, "tests/record/test_guided_records.py", ATTACKS)
def the_certificate_counts_doubters():
    """The product is asked to be the largest over those in doubt as well, who spend their voices by another rule."""
    rewrite_source(f"{VERIFIER}Walk.drum", ' if one["leader"] is None]', "]")
