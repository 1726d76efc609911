"""Figure 1: the average scores of the six policies as bars, with one standard deviation, on part of the sweep.

Drawn into the folder given as argument (else one that is thrown away). The paper's whole figure is drawn by
`isegoria reproduce synthetic`.
"""

import sys
from tempfile import TemporaryDirectory

import numpy as np

from isegoria.figures.registry import write_figure
from isegoria.rules.registry import RULE_GROUPS
from isegoria.studies.grid import Grid
from isegoria.studies.result_tables import summary_columns
from isegoria.studies.sweep import score_block


def main(folder):
    grid = Grid(agents=(4, 8), arms=(3, 6), models=("uniform", "mallows:0.5"))
    columns = summary_columns(
        RULE_GROUPS["paper"], np.concatenate([score_block(grid, block) for block in grid.blocks()])
    )
    heights = dict(zip(columns["policy"], columns["procedural"], strict=True))
    assert heights["PF"] >= 1 - 1e-9
    assert max(height for policy, height in heights.items() if policy != "PF") < 1
    files = write_figure("scores", folder, columns)
    print(f"Figure 1: {', '.join(file.name for file in files)}; only the PF policy's first bar is full.")


if __name__ == "__main__":
    with TemporaryDirectory() as thrown_away:
        main(sys.argv[1] if len(sys.argv) > 1 else thrown_away)
