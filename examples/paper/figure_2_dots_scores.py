"""Figure 2: the six policies on the 50 Dots voters, scored three ways, as bars without whiskers.

Drawn into the folder given as argument (else one that is thrown away).
"""

import sys
from tempfile import TemporaryDirectory

from isegoria.data import dots_sample
from isegoria.figures.registry import write_figure
from isegoria.studies.evaluate import scores
from isegoria.studies.tables import score_columns


def main(folder):
    found = scores([dots_sample()])[0]
    assert [row.min().round(2) >= 0.9 for row in found] == [True, False, False, False, False, False]
    files = write_figure("dots", folder, score_columns(found))
    print(f"Figure 2: {', '.join(file.name for file in files)}; only PF has 0.9 or more on every score.")


if __name__ == "__main__":
    with TemporaryDirectory() as thrown_away:
        main(sys.argv[1] if len(sys.argv) > 1 else thrown_away)
