"""Run every family of benchmarks, or those named: `python -m benchmarks [--page FILE] [family …]`.

The exit code is 1 if a row is not met. With --page the rows are also written to FILE, as a page of the documentation.
A family is one module beside this one and one line below. It has `rows()`, which yields `harness.Row`s, or a `main()`
that prints what does not fit a ratio.
"""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np  # noqa: F401  (so that its BLAS can be asked)
from threadpoolctl import threadpool_info

from benchmarks.harness import COLUMN_WIDTHS, TABLE_HEADER, BenchmarkRow, print_row

BENCHMARK_FAMILIES = {
    "nash_products": "procedural and nash against cvxpy with Clarabel",
    "million_agents": "a million and ten million agents against single NumPy passes",
    "large_profiles": "tables by passes against plain scans, in memory against NumPy passes, a CSV against np.loadtxt",
    "executors": "Dask against the built-in pool, on sweeps and passes, with and without a killed worker",
    "scores": "the procedural score against scipy's linprog (HiGHS)",
    "other_objectives": "inequality, egalitarian and gini against cvxpy",
    "direct_solvers": "objectives against HiGHS, PIQP, quadprog and Clarabel by their own interfaces",
    "tied_optima": "choices among optima, plain families, leximin, long flows, the fair: against HiGHS, PIQP, SciPy",
    "rules": "rules, axioms and lies in solves of a small table, egalitarian's choice against centre",
    "sweep": "the paper's 7,776 instances against the same sweep by cvxpy, on 100 of them",
    "core_size": "up to how many types the core answers within three seconds",
    "learning": "Algorithm 1 against bulk draws and a plain loop, ask and tell against cvxpy, two cores against one",
    "many_arms": "hundreds to thousands of arms against cvxpy and HiGHS, sparse and dense",
    "duplicate_arms": "arms that are alike against cvxpy, and corners within the fair against the centre",
    "sparse_growth": "time and memory of sparse tables against the entries in them",
    "long_ratings": "reading long tables of ratings against pandas, pyarrow and scipy.sparse by hand, and memory",
    "preflib": "reading rankings against preflibtools, and against one line after the other",
    "turns": "a round of turns with memory against solving its table",
    "records": "checking a year of draws and floods in the seconds they may take, a freeze of 10,000 against its JSON",
    "service": "a kept connection and a crowd on the service against a bare Starlette route, and 500 event streams",
    "pages": "the pages in a real browser against what a person waits for without noticing",
    "command_line": "cold starts against importing NumPy",
    "distinct_rows": "cost grows with the number of distinct rows, and linearly in it",
}


PAGE_PREFACE = """\
# Benchmarks

This page shows how fast Isegoria is beside other software, for readers who choose between them. `make bench PAGE=FILE`
wrote it, for the families below; `make bench` alone prints all of them on your machine. Both sides of a row are timed
in turn on the same machine, and the best time of each counts. *Ratio* is theirs / ours where the bar is ≥, and ours /
theirs where it is ≤. A row that misses its bar says NO.

| | |
|---|---|
| date | {date} |
| machine | {machine} |
| Python | {python} |
| packages | {versions} |
"""
PAGE_PACKAGES = ("numpy", "scipy", "cvxpy-base", "clarabel", "highspy", "preflibtools")


def main(names: list[str]) -> int:
    """0 if every row is met, 1 if one is not or a family failed, 2 for an unknown family."""
    page = Path(names[1]) if names[:1] == ["--page"] else None
    names = names[2:] if page else names
    unknown = [name for name in names if name not in BENCHMARK_FAMILIES]
    if unknown:
        print(f"no family {unknown[0]!r}; known: {', '.join(BENCHMARK_FAMILIES)}", file=sys.stderr)
        return 2
    threads = [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
    print(f"BLAS threads: {', '.join(map(str, threads)) or 'unknown'} (the machine's own setting)")
    missed, failed, tables = 0, [], {}
    for name in names or BENCHMARK_FAMILIES:
        print(f"\n{name}: {BENCHMARK_FAMILIES[name]}")
        start = perf_counter()
        try:
            tables[name] = _run_family(name)
            missed += sum(not row.met for row in tables[name])
        except Exception as error:  # a family that fails is reported, and the others run
            failed.append(name)
            print(f"{name} FAILED: {type(error).__name__}: {error}")
            traceback.print_exc()
        print(f"({name} took {perf_counter() - start:.0f} s)", flush=True)
    if page:
        page.write_text(_render_page(tables), encoding="utf-8")
    print(f"\n{missed} rows are not met" if missed else "\nevery row is met")
    if failed:
        print(f"families that failed: {', '.join(failed)}")
    return int(missed > 0 or bool(failed))


def _render_page(tables: dict[str, list[BenchmarkRow]]) -> str:
    """The tables as Markdown, with date, machine and versions."""
    packages = ", ".join(f"{name} {version(name)}" for name in PAGE_PACKAGES)
    machine = f"{platform.system()} on {platform.machine()} with {os.cpu_count()} cores"
    python = platform.python_version()
    date = time.strftime("%Y-%m-%d")
    lines = [PAGE_PREFACE.format(date=date, machine=machine, python=python, versions=packages)]
    for name, rows in tables.items():
        if rows:
            cells = [TABLE_HEADER, ["---"] * len(TABLE_HEADER), *(row.cells() for row in rows)]
            title, summary = name.replace("_", " "), BENCHMARK_FAMILIES[name]
            lines += [f"## {title[0].upper()}{title[1:]}", "", f"{summary[0].upper()}{summary[1:]}.", ""]
            lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _run_family(name: str) -> list[BenchmarkRow]:
    """Print one family, and the rows that are not met again; the rows, with the second try of those."""
    family = import_module(f"benchmarks.{name}")
    if not hasattr(family, "rows"):
        family.main()
        return []
    print_row(TABLE_HEADER)
    print_row(tuple("-" * width for width in COLUMN_WIDTHS))
    rows = {}
    for row in family.rows():
        print_row(row.cells())
        rows[row.work] = row
    missed = [row.work for row in rows.values() if not row.met]
    if missed:
        print(f"{len(missed)} rows are not met; they are measured once more")
        for row in family.rows():
            if row.work in missed:
                print_row(row.cells())
                rows[row.work] = row
                missed.remove(row.work)
            if not missed:
                break
    return list(rows.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
