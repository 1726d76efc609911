"""Write docs/reference/paper.md, the index of these files in the paper's order: python examples/paper/_index.py."""

import ast
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "reference" / "paper.md"
ORDER = (
    "section_3_car section_3_1 proposition_1 theorem_1 algorithm_1 lemma_1 corollary_1 lemma_2 lemma_3 lemma_4 "
    "theorem_2 section_5_1 theorem_3 theorem_4 lemma_5 theorem_5 proposition_2 proposition_3 theorem_6 "
    "table_1 figure_1 table_2 figure_2 figure_3"
)
INTRODUCTION = """# The paper, executable

One short file for each worked example, proposition, lemma, theorem, corollary, table and figure of *Procedural Fairness
in Multi-Agent Bandits*, numbered as in the paper. Each asserts the published claim on its published instance and, where
the claim is universal, on a few hundred random ones; what rests on chance says how rarely it raises a false alarm. Run
any of them with Python, as in `python examples/paper/section_3_1_procedural_score.py`; the tests run them all. Where
the paper has a slip, the file says so, and [the notes on the paper](../explanation/paper-notes.md) collect them.
"""


def files() -> list[Path]:
    """The files in the order in which the paper states what they show."""
    names = sorted(path for path in HERE.glob("[!_]*.py"))
    return [next(path for path in names if path.name.startswith(f"{start}_")) for start in ORDER.split()]


def page() -> str:
    """The index: a table of statements, each with its file."""
    rows = []
    for path in files():
        first = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("\n\n")[0].replace("\n", " ")
        place, claim = first.split(": ", 1) if ": " in first else (first, "")
        rows.append(f"| {place} | {claim} | [`{path.name}`](../../examples/paper/{path.name}) |")
    return "\n".join([INTRODUCTION, "| in the paper | what it says | file |", "|---|---|---|", *rows, ""])


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
