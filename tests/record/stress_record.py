"""`make stress`, the draw: 10,000 hostile groups, a million balls, 10,000 blocks, 200 kills of the writer,
400 groups that learn.

It prints a table for people to read and ends with exit code 1 if a promise was broken. Names of promises as arguments
(hostile, uniform, blocks, beacon, kills, learned) run only these.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from math import ceil, floor
from pathlib import Path

import numpy as np
from scipy.stats import chisquare

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "verifier"))

import isegoria as iso
from isegoria.record.format.draw_stream import NO_FREEZE_HASH, DrawStream, draw_block
from isegoria.record.sources.beacon import QUICKNET_CHAIN, is_beacon_signature
from record.crash_recovery import run_with_kills
from record.hostile_voices import list_hostile_violations
from record.invalid_signatures import make_invalid_signatures
from record.record_factory import REAL_ROUNDS
from record.test_guided_records import differences, make_long_record

SURELY = 1e-4
"""A sample this unlikely under a fair drum would be a broken promise."""


def hostile() -> tuple[str, bool]:
    """Every hostile instance has exact voices, or says in one sentence that the group is too large."""
    faults = [(number, fault) for number in range(10_000) for fault in list_hostile_violations(number)]
    return f"10,000 hostile groups: {len(faults)} broken promises {faults[:3] or ''}", not faults


def uniform() -> tuple[str, bool]:
    """A million balls, each of a seed of its own, over a drum of 1,000 cells."""
    total, cells = 1000 * 232_792_560, 1000
    counts = np.zeros(cells)
    for number in range(1_000_000):
        ball = draw_block(DrawStream(NO_FREEZE_HASH, number.to_bytes(8, "big")), total, 1)[0]
        counts[ball * cells // total] += 1
    chance = chisquare(counts).pvalue
    return f"1,000,000 balls over 1,000 cells: p = {chance:.3f}", chance > SURELY


def blocks() -> tuple[str, bool]:
    """Every arm of every block comes as often as its share says, up to one; and each slot alone follows the shares."""
    rng, missed, slots = np.random.default_rng(7), 0, []
    for group in range(100):
        voices = iso.voices(iso.Instance(rng.integers(0, 3, (int(rng.integers(2, 21)), 6)) / 2))
        block = min(len(voices.member), 20)
        first = Counter()
        for number in range(100):
            arms = iso.draw(voices, f"{group} {number}", block).arms.tolist()
            met = Counter(arms)
            missed += any(
                not floor(block * share) <= met[k] <= ceil(block * share) for k, share in enumerate(voices.policy)
            )
            first[arms[0]] += 1
        slots.append((first, voices.policy))
    expected = np.array([100 * float(share) for _, policy in slots for share in policy])
    seen = np.array([first[k] for first, policy in slots for k in range(len(policy))])
    spread = ((seen - expected)[expected > 0] ** 2 / expected[expected > 0]).sum()
    freedom = sum(sum(share > 0 for share in policy) - 1 for _, policy in slots)
    far = (spread - freedom) / np.sqrt(2 * freedom)
    return (
        f"10,000 blocks: {missed} outside ⌊⌋ and ⌈⌉; first slots {far:+.1f} σ from their shares",
        not missed and far < 4,
    )


def kills() -> tuple[str, bool]:
    """Writers killed at random moments of freezing, drawing and appending, with ratings known and with a learner."""
    struck, torn, same = 0, 0, True
    seed = 0
    while struck < 200:
        seed += 1
        for learner, rounds in ((None, 30), ("guided", 20)):
            with tempfile.TemporaryDirectory() as folder:
                outcome = run_with_kills(Path(folder), 20, rounds, learner, seed)
            struck, torn, same = struck + outcome.kills, torn + outcome.torn, same and outcome.same
    return (
        f"{struck} kills of the writer, {torn} lines cut off: {'the same bytes in the end' if same else 'OTHER BYTES'}",
        same,
    )


def beacon() -> tuple[str, bool]:
    """Real rounds of quicknet are accepted; a thousand that were spoilt are not."""
    known = REAL_ROUNDS
    good = sum(is_beacon_signature(QUICKNET_CHAIN["key"], number, bytes.fromhex(known[number])) for number in known)
    spoilt = [(number, bad) for number in sorted(known) for bad in make_invalid_signatures(number, 510)]
    taken = sum(is_beacon_signature(QUICKNET_CHAIN["key"], number, bad) is not False for number, bad in spoilt)
    told = f"{good} of {len(known)} real rounds of the beacon accepted, {taken} of {len(spoilt)} spoilt ones"
    return told, good == len(known) and not taken and len(spoilt) >= 1000


def learned() -> tuple[str, bool]:
    """Groups with a learner: sets, leaders and rows of the writer are those of everyone's receipt, in both."""
    wrong = [
        one
        for start in range(0, 400, 20)
        for one in differences([make_long_record(n) for n in range(start, start + 20)])
    ]
    return (
        f"400 groups that learn, every member's receipt in both verifiers: {len(wrong)} differences {wrong[:2]}",
        not wrong,
    )


def main() -> int:
    """0 if every promise holds."""
    kept = True
    for promise in (hostile, uniform, blocks, beacon, kills, learned):
        if promise.__name__ not in (sys.argv[1:] or promise.__name__):
            continue
        said, holds = promise()
        print(f"{'yes' if holds else 'NO ':3}  {said}", flush=True)
        kept = kept and holds
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
