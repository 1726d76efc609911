"""Figure 3: Algorithm 1 on the Dots voters, its scores (a) and its policy (b) over 100,000 rounds.

Shown is the learned policy, not the single arm of exploring rounds. Drawn into the folder given as argument (else one
that is thrown away); `isegoria reproduce learning` adds twenty seeds.
"""

import sys
from tempfile import TemporaryDirectory

import numpy as np

import isegoria as iso
from isegoria.datasets import load_dots_sample
from isegoria.figures.registry import write_figure
from isegoria.studies import dots_learning


def main(folder):
    instance = load_dots_sample()
    study = dots_learning.run(seed=42, seeds=1)
    fair = iso.solve(instance, "procedural").policy
    assert 30_000 < study.single.regret < 36_000
    assert np.allclose(study.single.policies[-1], fair, rtol=0, atol=1e-9)
    assert np.allclose(study.single.scores[-1].round(3), [1.0, 0.986, 0.9])
    files = write_figure("learning-scores", folder, study.single.rolling_scores())
    files += write_figure("learning-policy", folder, study.single.rolling_policy(fair))
    print(f"Figure 3: regret {study.single.regret}, then the fair policy for good; {len(files)} files.")


if __name__ == "__main__":
    with TemporaryDirectory() as thrown_away:
        main(sys.argv[1] if len(sys.argv) > 1 else thrown_away)
