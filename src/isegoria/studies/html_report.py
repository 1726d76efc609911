"""`report.html`: one self-contained page on all studies that a folder contains."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from isegoria import __version__
from isegoria.io.storage import atomic_write
from isegoria.rules import list_objectives
from isegoria.studies import html_parts
from isegoria.studies.provenance import read_provenance, require_provenance
from isegoria.studies.registry import STUDIES

REPORT_FILE = "report.html"
FIRST_SECTION = "claims"
"""The study whose section comes before all others; it reports which sentences of the paper hold."""
REPORT_TITLE = "Equal voice: the paper, computed again"
REPORT_LEAD = (
    "A group chooses one of several arms, again and again. A <em>policy</em> is the lottery it uses. This page holds "
    "the tables and figures of the paper on procedural fairness in multi-agent bandits, computed again by the package "
    "Isegoria, with the paper's numbers beside ours."
)
SCORE_DESCRIPTIONS = (
    (
        "PF score",
        "procedural",
        "how much of the lottery can be traced back to equal voices: each agent has 1/N of it "
        "to give to its favourite arms; 1 means that all of it can, and nobody is passed over",
    ),
    ("IM score", "equality", "how equal the agents' expected rewards are, against the most equal policy there is"),
    ("UT score", "utilitarian", "how large the group's total expected reward is, against the largest there is"),
)


def write_report(out: Path) -> Path:
    """Write the page from the studies that are complete in `out`, and return its path."""
    out = Path(out)
    done = {id: study for id, study in STUDIES.items() if read_provenance(out / id)}
    told = [(id, study.heading, study.section(out / id)) for id, study in done.items()]
    about = [
        ("guide", "How to read this", _render_guide()),
        ("run", "What was run", _render_provenance(out, list(done))),
    ]
    first = [section for section in told if section[0] == FIRST_SECTION]
    sections = [
        *first,
        *about,
        *(section for section in told if section[0] != FIRST_SECTION),
        ("cite", "How to cite", _render_citation()),
    ]
    return atomic_write.write_text(out / REPORT_FILE, html_parts.render_page(REPORT_TITLE, REPORT_LEAD, sections))


def _render_guide() -> str:
    scores = html_parts.render_table(
        ["score", "what it says"], [(name, words) for name, _, words in SCORE_DESCRIPTIONS], text=(1,)
    )
    policies = html_parts.render_table(
        ["policy", "what it asks for", "source"],
        [
            (html_parts.render_policy(row.label), escape(row.summary), _format_source(row.citation))
            for row in list_objectives().values()
        ],
        text=(1, 2),
    )
    return f"<p>Every policy is judged by three scores, each at most 1.</p>\n{scores}\n{policies}"


def _format_source(citation: str) -> str:
    """Return a citation in which definitions of the paper are marked as such.

    >>> _format_source("Definition 4; Nash 1950")
    'Definition 4 of the paper; Nash 1950'
    """
    return re.sub(r"(Definition \d+)", r"\1 of the paper", escape(citation))


def _render_citation() -> str:
    """Return how to cite the paper and the package with its version."""
    return (
        "<p>The paper: J. Caiata, C. Blair and K. Larson, <em>Procedural Fairness in Multi-Agent Bandits</em>, "
        "2026 (arXiv:2601.10600).</p>\n"
        f"<p>This reproduction: Isegoria {escape(__version__)}, <em>equal voice in repeated group decisions</em>; "
        "<code>CITATION.cff</code> in its sources has both. Sources of the policies: the table above.</p>\n"
    )


def _render_provenance(out: Path, ids: list[str]) -> str:
    if not ids:
        return "<p>No study has been completed in this folder yet.</p>\n"
    records = {id: require_provenance(out / id) for id in ids}
    commands = html_parts.render_table(
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
