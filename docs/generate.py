"""Write the reference pages that come from tables in the code; `make docs` runs this, and a test checks it was run."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

import click

import isegoria
from isegoria.cli import main
from isegoria.cli.commands import COMMANDS
from isegoria.figures.registry import FIGURES
from isegoria.io import FORMATS
from isegoria.learning.registry import LEARNERS, NOISE_MODELS
from isegoria.preferences import MODELS
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.rules import RULES
from isegoria.studies.registry import STUDIES
from isegoria.utils import tolerances

sys.path.insert(0, str(Path(__file__).parent))
from api_groups import GROUPS, check
from stubs import stubs

HERE = Path(__file__).parent / "reference"
WIDTH = 100
PARAMETER = re.compile(r"^(\S.*?)(?: : (.*))?\n((?:    .*\n?)+)", re.MULTILINE)


def command_line() -> str:
    """What `--help` says, for the program and for each command."""
    parts = ["# The command line", _PREFACE, _help(main, "isegoria", None)]
    group = click.Context(main, info_name="isegoria", terminal_width=WIDTH)
    for row in COMMANDS.values():
        command = row.load()
        parts += [f"## isegoria {row.id}", _help(command, row.id, group)]
        if isinstance(command, click.Group):
            inside = click.Context(command, info_name=row.id, parent=group, terminal_width=WIDTH)
            for name, step in command.commands.items():
                parts += [f"### isegoria {row.id} {name}", _help(step, name, inside)]
    return "\n\n".join(parts) + "\n"


_PREFACE = """\
This page has the help of every command. FILE is a path, or `-` for standard input. Results go to standard output, notes
and progress to standard error. `NO_COLOR` and pipes are honoured.

| exit code | meaning |
|---|---|
| 0 | done; of `verify`: proved for you, on the condition in its first sentence |
| 1 | checked, and false: `audit` of a policy that is not procedurally fair, `axioms --check`, `honesty --check`, `verify`, \
`record replay` |
| 2 | bad input or usage; one sentence on standard error says what, where and what to do |
| 3 | `verify`: everything recomputes, and nothing is proved: you named nobody whom you trust, or their keys do not \
bind every round |
| 130, 141 | interrupted with ctrl-C; the reader of the pipe went away |"""


def _help(command: click.Command, name: str, parent: click.Context | None) -> str:
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH)
    context.help_option_names = ["-h", "--help"]
    return f"```text\n{command.get_help(context)}\n```"


def tables() -> str:
    """The families of the package: objectives, learners, formats, preference models, figures of the studies."""
    rules = [_rule(row) for row in RULES.values()]
    learners = [[f"`{row.id}`", row.summary] for row in LEARNERS.values()]
    formats = [[f"`{row.id}`", row.summary, "yes" if row.written else "no"] for row in FORMATS.values()]
    models = [_model(row) for row in MODELS.values()]
    noises = [[f"`{row.id}`", row.summary] for row in NOISE_MODELS.values()]
    studies = [[f"`{row.id}`", row.heading] for row in STUDIES.values()]
    figures = [[f"`{row.id}`", row.title] for row in FIGURES.values()]
    parts = [
        "# Rules, learners, formats and preference models",
        "This page lists every name that options and arguments take. It is generated from the tables in the code, and "
        "other packages may [add to each](../how-to/add-your-own.md).",
        "## Rules",
        _RULES,
        _table(["id", "label and aliases", "what it is", "reads", "claims", "ties", "source"], rules),
        "## Learners",
        _table(["id", "what it is"], learners),
        "## Formats",
        _table(["name and suffix", "what it is", "can be written"], formats),
        "## Preference models",
        _table(["write", "parameter", "how rankings come about", "source"], models),
        "## Noises",
        _table(["id", "distribution of rewards around the mean"], noises),
        "## Sources of randomness",
        _table(["id", "what it is"], [[f"`{row.id}`", row.summary] for row in RANDOMNESS_SOURCES.values()]),
        "## Studies",
        _table(["name", "what it is"], studies),
        "## Figures of the studies",
        _table(["name", "what it shows"], figures),
    ]
    return "\n\n".join(parts) + "\n"


_RULES = """\
Write `iso.solve(instance, "nash")`; a label or an alias works too, in upper or lower case. A rule *reads* favourite
sets, each agent's order of the arms, or the ratings, and depends on nothing else. *Fair* claims a procedural score of 1
in every group. *Honest* claims strategyproofness: no single agent ever gains by a false report, in decision shares or
in utilities. Rules with a tie-break maximise or minimise something, and `tie_break` asks for another choice among
optima. `even` shares ties out equally."""


def _rule(row) -> list[str]:
    names = ", ".join([row.label, *(f"`{alias}`" for alias in row.aliases)])
    claims = ["fair"] * row.fair + [f"honest in {row.strategyproof}"] * bool(row.strategyproof)
    return [f"`{row.id}`", names, row.summary, row.input_kind, "; ".join(claims), row.tie_break, row.citation]


def names() -> str:
    """The names that functions take, as types, from the tables."""
    from isegoria.analysis.frontier import AXIS_CURVES
    from isegoria.rules import TIE_BREAKS, WITHIN_CHOICES
    from isegoria.rules.rule import INPUT_KINDS, STRATEGYPROOF_CLAIMS
    from isegoria.rules.solution import SOLUTION_PROOFS
    from isegoria.rules.welfare import PAYOFF_NAMES

    names = [(row.id, row.label, *row.aliases) for row in RULES.builtin.values()]
    words_by_type = {
        "RuleName": tuple(dict.fromkeys(name for row in names for name in row)),
        "RuleSetName": ("paper", "fair", "baselines", "all"),
        "TieBreakName": TIE_BREAKS,
        "WithinName": WITHIN_CHOICES,
        "PayoffName": PAYOFF_NAMES,
        "AxisName": tuple(AXIS_CURVES),
        "InputKind": INPUT_KINDS,
        "StrategyproofClaim": STRATEGYPROOF_CLAIMS,
        "SolutionProof": SOLUTION_PROOFS,
    }
    lines = [f"{name} = {_literal(words)}" for name, words in words_by_type.items()]
    return _NAMES + "\n".join(lines) + "\n"


def _literal(words: tuple[str, ...]) -> str:
    """A type of these words, laid out as the formatter does it."""
    short = f"Literal[{', '.join(json.dumps(word) for word in words)}]"
    if len(short) < WIDTH - 20:
        return short
    inside = "".join(f"{json.dumps(word)},\n" for word in words)
    return f"Literal[\n{textwrap.indent(inside, ' ' * 4)}]"


_NAMES = """\
# Written by docs/generate.py from the tables of the package; run `make docs` after a change there.
\"\"\"The names that functions take, as types: an editor completes them, and a type checker finds misspelt ones.\"\"\"

from __future__ import annotations

from typing import Literal

"""


def _model(row) -> list[str]:
    rule = row.parameter
    if rule is None:
        return [f"`{row.id}`", "", row.summary, row.citation]
    reach = f"{rule.name}, {rule.low:g} to {rule.high:g}, {rule.default:g} if left out"
    return [f"`{row.id}:{rule.default:g}`", reach, row.summary, row.citation]


def learners() -> str:
    """Every learner with its class, its settings, its source and its docstring."""
    parts = ["# Learners", _LEARNERS]
    for row in LEARNERS.values():
        settings = ", ".join(f"`{name}`" for name in row.settings) or "none of its own"
        text, _, parameters = re.split(r"\n(?:Examples\n-|>>>)", inspect.getdoc(row))[0].partition("\nParameters\n")
        about = f"`iso.{row.__name__}`. Settings: {settings}. Source: {row.citation}."
        rows = [[f"`{name}`", kind, " ".join(says.split())] for name, kind, says in PARAMETER.findall(parameters)]
        parts += [f"## `{row.id}` ({row.label})", about, text.strip()]
        parts += [_table(["parameter", "type", "meaning"], rows)] * bool(rows)
    return "\n\n".join(parts) + "\n"


_LEARNERS = """\
This page lists every learner (multi-armed bandit algorithm) with its guarantees and its settings. It is generated from
the table in the code; [Choose a learner](../how-to/choose-a-learner.md) helps you to pick one. All learners share the
ask/tell protocol and are saved in the same way. Each pulls every arm once at first, and takes missing and late answers,
masks, and agents and arms that come and go. (`elimination` takes new ones only with `may_join=True`, which sets error aside
for them.)

Every learner has favourite sets (`.sets`), those that its own estimates imply: the empirically best arms of each agent,
or, for `procedural` and `elimination`, the arms that its bounds leave. A comparison counts the rounds in which these sets
are not the true ones (*sets right after*, *PF regret*), even for a learner whose policy does not use them. The scores
of its policy are separate columns. A mean of 0 or 1 carries no noise, so on a table of such means even the estimates of
`uniform` are right as soon as every arm was pulled."""


def tolerance_page() -> str:
    """Every tolerance with its value and its reason, read from the source."""
    body = ast.parse(inspect.getsource(tolerances)).body
    rows = []
    for assignment, reason in pairwise(body):
        if isinstance(assignment, ast.Assign) and isinstance(reason, ast.Expr):
            name = assignment.targets[0].id
            rows.append([f"`{name}`", f"{getattr(tolerances, name):g}", reason.value.value])
    return (
        "# Tolerances\n\nThis page lists every tolerance on which an answer depends. Constants that only steer one method are "
        "defined beside it.\n\n" + _table(["name", "value", "why"], rows) + "\n"
    )


def python() -> str:
    """The public names by group, and the first line of what each says of itself."""
    check(set(isegoria._PUBLIC_NAMES))
    preface = "This page lists every public name of `import isegoria as iso`. `help(iso.solve)` has shapes, formula and an example."
    parts = ["# Python", preface]
    for title, names in GROUPS.values():
        rows = [[f"`iso.{name}`", _said(name)] for name in names]
        parts += [f"## {title}", _table(["name", "what comes back"], rows)]
    return "\n\n".join(parts) + "\n"


def _said(name: str) -> str:
    """The first paragraph of a public name's docstring, or where its table is."""
    value = getattr(isegoria, name)
    if isinstance(value, (dict, tuple)) or not callable(value):
        return f"the table in `isegoria.{isegoria._PUBLIC_NAMES[name]}`"
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())


def service() -> str:
    """The routes of the service, from their table."""
    from isegoria.service.api.endpoints import API_ENDPOINTS

    rows = [
        [f"`{row.method} {row.path}`", ", ".join(sorted(row.roles)), row.summary, _fields(getattr(row, "body", None))]
        for row in API_ENDPOINTS
    ]
    return f"# The service's API\n\n{_API}\n\n" + _table(["route", "for", "what it does", "body"], rows) + "\n"


def rules_and_axioms() -> str:
    """Which rule meets which axiom, with proofs and counterexamples."""
    from isegoria.analysis.axioms.known_results import render_page

    return render_page()


def paper() -> str:
    """Every item of the paper that can be checked, with its code, test, planted fault and verdict."""
    from isegoria.studies.claims import judge_claims
    from isegoria.studies.claims.paper_items import load_paper_items
    from isegoria.studies.claims.verdicts import PlantedFault

    measured = (HERE / "paper-numbers" / "numbers.csv").exists()
    judged, items = judge_claims(HERE / "paper-numbers") if measured else {}, load_paper_items()
    rows = []
    for id, item in items.items():
        words = "see `claims/claims.csv`"
        if one := judged.get(id):
            words = f"**{one.verdict}{f': {one.words}' if one.words else ''}**. {one.measured}"
        fault = item.fault.wrong if isinstance(item.fault, PlantedFault) else item.fault.replace("_", " ")
        test = item.test.replace("tests/test_examples.py::test_the_example_runs_and_says_what_it_showed", "example ")
        example = f" [example](../../examples/paper/{item.example})" if item.example else ""
        rows.append([item.place, item.says + example, words, f"`{item.code}`", f"`{test}`", fault])
    return f"{_PAPER}\n\n" + _table(["place", "what it says", "verdict", "code", "test", "fault"], rows) + "\n"


_PAPER = """\
# The paper, item by item

This page is for readers of *Procedural Fairness in Multi-Agent Bandits* who ask where something is, and whether it holds.
It lists every definition, program, line of Algorithm 1, lemma, theorem, table, figure and sentence that can be checked.

- *Verdict*: what was measured by `isegoria reproduce claims` with seed 42, and what follows from it. The same command
  writes `claims/claims.csv` with what was asked of each number. Its `numbers.csv` and `times.csv` are kept in
  `docs/reference/paper-numbers`, from which the verdicts here are made.
- *Code*: the file of the package, and the name in it. *Test*: what pins it. Some tests are files in `examples/paper`,
  which also run by themselves, as in `python examples/paper/section_3_1_procedural_score.py`.
- *Fault*: something wrong that `make mutants` plants in the code, and that this test must notice.

The page is generated from `src/isegoria/studies/paper_items.toml`. Where the paper has a slip, the example says so, and
[the notes on the paper](../explanation/paper-notes.md) collect them."""


def study() -> str:
    """Every key of a study's file, and what is measured."""
    from isegoria.studies.experiment.design_file import DESIGN_KEYS
    from isegoria.studies.experiment.study_measures import LEARNER_MEASURES, RULE_MEASURES

    parts = ["# A study's file", _STUDY]
    for name, keys in DESIGN_KEYS.items():
        parts += [
            f"## `[{name}]`",
            _table(["key", "what it says"], [[f"`{key}`", words] for key, words in keys.items()]),
        ]
    parts += ["## Measures of rules", _table(["name", "what it is"], [[f"`{k}`", v] for k, v in RULE_MEASURES.items()])]
    more = {"regret:ID": "the shortfall of the learned policies by the objective ID, your own too, summed over rounds"}
    rows = [[f"`{key}`", words] for key, words in (LEARNER_MEASURES | more).items()]
    parts += ["## Measures of learners", _table(["name", "what it is"], rows), _STUDY_FILES]
    return "\n\n".join(parts) + "\n"


_STUDY = """\
This page lists every key of a study file. `isegoria study FILE.toml` and [`iso.study`](../how-to/run-your-own-study.md)
take the same keys; an unknown key is refused, with a suggestion. Rules, learners, noises and preference models are
found by name in [their tables](tables.md), to which other packages may add.

A file whose only table is `[reproduce]` names a study of the paper, with its options: `study = "synthetic"`, `seed = 42`.
`isegoria reproduce` writes one (`study.toml`) into each folder, and `isegoria study` gives the same files from it."""

_STUDY_FILES = """\
## What is written

| file in `--out` | what it holds |
|---|---|
| `rows.csv` | a row for every run, round and measure: `cell`, `seed`, `rule` or `learner`, `group`, `environment` (of \
learners), `round`, `measure`, `value`, in full precision; `--parquet` writes `rows.parquet` too |
| `table.csv`, `table.tex` | means over draws with standard error (`se`), the ends of the 95 % bootstrap interval (`low`, \
`high`) and how many draws there were (`count`) |
| `MEASURE.png`, `.svg`, `.pdf` | a figure of each of the first five measures |
| `run.json` | the design with the digest of each group, its identity, seeds, versions, the commit and a hash of the sources |
| `rows.journal` | while it runs: what is finished; deleted at the end |

In Python, `iso.study(…, out=FOLDER)` writes `rows.csv` and `run.json` alone.

`cell` counts the combinations of group, environment and rule or learner. A rule has `round` 0, and on a table that was given
it has one row for each measure, whatever the seeds. A draw is a group with a seed: rows that share one are averaged
before means and intervals are computed, since only draws are independent."""


def openapi() -> str:
    """The same for programs (OpenAPI 3.1)."""
    from isegoria.service.api.endpoints import API_ENDPOINTS
    from isegoria.service.api.routing import build_openapi

    return json.dumps(build_openapi(API_ENDPOINTS, isegoria.__version__), indent=1, ensure_ascii=False) + "\n"


def _fields(body) -> str:
    return ", ".join(f"`{name}`" for name in body.fields) if body else ""


_API = """\
This page is for programs that speak to a service. Requests and responses are JSON; [`openapi.json`](openapi.json) has
every field, and a running service has it at `/openapi.json`. Authenticate with `Authorization: Bearer TOKEN` (the
secret behind `#k=` in a private link), or with the session cookie of a page. Every POST needs an `Idempotency-Key`, any
new text of 1 to 200 characters. The same key acts once. Under a key of 22 random characters or more, a repeated request gets
the same response, which is stored encrypted under your key. So you may repeat a request that got no response. Under a shorter
key no response is kept, and a repeated request is a 409. So is the same key with another body.

Requests are checked in this order; every error is `{"error": "one sentence"}`.

| check | status |
|---|---|
| token | 401 |
| role | 403 |
| body | 400, 413 |
| state of the group | 409 |
| an unknown path | 404 |
| wrong guesses, or too many new groups (`Retry-After` says how long) | 429 |
| the database is down or full: nothing was changed | 503 |

A record comes with an `ETag`. With `If-None-Match`, it is sent only if it has grown; otherwise the status is 304. With
`?after=HASH&lines=250` it comes in parts: the lines behind the one with that SHA-256. Use 64 zeros to start with the
first line. You may cache a full part permanently. A hash that is on no line is a 404."""


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


PAGES = {
    "command-line.md": command_line,
    "tables.md": tables,
    "learners.md": learners,
    "tolerances.md": tolerance_page,
    "python.md": python,
    "service.md": service,
    "openapi.json": openapi,
    "rules-and-axioms.md": rules_and_axioms,
    "study.md": study,
    "paper.md": paper,
}


def run(check: bool) -> int:
    """Write the pages, or with `check` only say which are stale; the exit code."""
    stale = []
    wanted = {HERE / name: page() for name, page in PAGES.items()} | stubs()
    wanted[Path(isegoria.__file__).parent / "rules" / "literals.py"] = names()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    print(f"{'stale' if check else 'written'}: {', '.join(stale) or 'none'}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(run("--check" in sys.argv))
