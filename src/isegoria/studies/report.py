"""`report.html`: one page on whatever studies a folder holds, with no other file needed to read it."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from isegoria import __version__
from isegoria.io import atomic
from isegoria.rules import OBJECTIVES
from isegoria.studies import page
from isegoria.studies.record import read_record, record_of
from isegoria.studies.registry import STUDIES

NAME = "report.html"
FIRST = "claims"
"""The study whose section stands before all else: which sentences of the paper hold."""
TITLE = "Equal voice: the paper, computed again"
LEAD = (
    "A group chooses one of several arms, again and again. A <em>policy</em> is the lottery it uses. This page holds "
    "the tables and figures of the paper on procedural fairness in multi-agent bandits, made anew by the package "
    "Isegoria, with the paper's numbers beside ours."
)
SCORES = (
    ("PF score", "procedural", "how much of the lottery can be traced back to equal voices: each agent has 1/N of it "
     "to give to its favourite arms; 1 means that all of it can, and nobody is passed over"),
    ("IM score", "equality", "how equal the agents' expected rewards are, against the most equal policy there is"),
    ("UT score", "utilitarian", "how large the group's total expected reward is, against the largest there is"),
)  # fmt: skip


def write_report(out: Path) -> Path:
    """The path of the page, written from the studies that are complete in `out`."""
    out = Path(out)
    done = {id: study for id, study in STUDIES.items() if read_record(out / id)}
    told = [(id, study.heading, study.section(out / id)) for id, study in done.items()]
    about = [("guide", "How to read this", _guide()), ("run", "What was run", _what_was_run(out, list(done)))]
    first = [section for section in told if section[0] == FIRST]
    sections = [*first, *about, *(section for section in told if section[0] != FIRST), ("cite", "How to cite", _cite())]
    return atomic.write_text(out / NAME, page.page(TITLE, LEAD, sections))


def _guide() -> str:
    scores = page.table(["score", "what it says"], [(name, words) for name, _, words in SCORES], text=(1,))
    policies = page.table(
        ["policy", "what it asks for", "source"],
        [(page.policy(row.label), escape(row.summary), _source(row.citation)) for row in OBJECTIVES.values()],
        text=(1, 2),
    )
    return f"<p>Every policy is judged by three scores, each at most 1.</p>\n{scores}\n{policies}"


def _source(citation: str) -> str:
    """A citation, with what is the paper's called so.

    >>> _source("Definition 4; Nash 1950")
    'Definition 4 of the paper; Nash 1950'
    """
    return re.sub(r"(Definition \d+)", r"\1 of the paper", escape(citation))


def _cite() -> str:
    """The paper, and the package with its version."""
    return (
        "<p>The paper: J. Caiata, C. Blair and K. Larson, <em>Procedural Fairness in Multi-Agent Bandits</em>, "
        "2026 (arXiv:2601.10600).</p>\n"
        f"<p>This reproduction: Isegoria {escape(__version__)}, <em>equal voice in repeated group decisions</em>; "
        "<code>CITATION.cff</code> in its sources has both. Sources of the policies: the table above.</p>\n"
    )


def _what_was_run(out: Path, ids: list[str]) -> str:
    if not ids:
        return "<p>No study has been completed in this folder yet.</p>\n"
    records = {id: record_of(out / id) for id in ids}
    commands = page.table(
        ["study", "seed", "command"],
        [
            (id, str(record["settings"]["seed"]), f"<code>{escape(record['command'])}</code>")
            for id, record in records.items()
        ],
        text=(2,),
    )
    last = records[ids[-1]]
    versions = ", ".join(f"{name} {value}" for name, value in last["versions"].items())
    machine, sources = last["machine"], last["sources"]
    return (
        f"{commands}<p>With {escape(versions)}; commit {escape(sources['commit'][:12])}, sources of SHA-256 "
        f"{escape(sources['sha256'][:16])}…; on {escape(machine['processor'])} ({machine['cores']} cores), "
        f"{escape(machine['system'])}. All chance comes from the seeds above, so the same commands on the same sources "
        "give the same tables, whatever the number of workers, shards or interruptions; only times differ "
        "(<code>contest-cost</code>).</p>\n"
    )
