"""Figure 2: the six policies on the 50 Dots voters, scored three ways, as bars without whiskers.

A slip: "only the procedurally fair policy has 0.9 or more on every metric" holds after rounding to two decimals; its
utilitarian score is 70041/77825 = 0.89998. Drawn into the folder given as argument (else one that is thrown away).
"""

import sys
from tempfile import TemporaryDirectory

from isegoria.datasets import load_dots_sample
from isegoria.figures.registry import write_figure
from isegoria.rules.registry import RULE_GROUPS
from isegoria.studies.policy_scores import compute_scores
from isegoria.studies.result_tables import score_columns


def main(folder):
    found = compute_scores([load_dots_sample()])[0]
    assert [row.min().round(2) >= 0.9 for row in found] == [True, False, False, False, False, False]
    assert abs(found[0, 2] - 70041 / 77825) < 1e-12
    assert found[0, 2] < 0.9
    files = write_figure("dots", folder, score_columns(RULE_GROUPS["paper"], found))
    print(f"Figure 2: {', '.join(file.name for file in files)}; only PF has 0.90 on every score, rounded.")


if __name__ == "__main__":
    with TemporaryDirectory() as thrown_away:
        main(sys.argv[1] if len(sys.argv) > 1 else thrown_away)
