"""Run passes: each one reads every chunk once and answers all open questions, until every generator has returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isegoria.out_of_core.chunk_sources import ChunkSource, RowChunk
from isegoria.out_of_core.executors import Executor, SerialExecutor
from isegoria.out_of_core.map_tasks import MapTask, Search, map_chunk


def run_searches(
    source: ChunkSource,
    asking: dict[str, Search[Any]],
    executor: Executor | None = None,
    report: Callable[..., Any] | None = None,
) -> tuple[dict[str, Any], int]:
    """Run all generators on the same passes; return ({name: result}, number of passes).

    `report(passes, done, of)` is called as the chunks of the current pass are done.
    """
    executor = executor or SerialExecutor()
    open_questions: dict[str, MapTask] = {}
    found: dict[str, Any] = {}
    for name, generator in asking.items():
        _advance(name, generator, None, open_questions, found)
    passes = 0
    while open_questions:
        passes += 1
        distinct = {question.key: question for question in open_questions.values()}
        answers = dict(zip(distinct, run_pass(source, list(distinct.values()), executor, passes, report), strict=True))
        for name, question in list(open_questions.items()):
            _advance(name, asking[name], answers[question.key], open_questions, found)
    return found, passes


def _advance(
    name: str, generator: Search[Any], answers: list[Any] | None, open_questions: dict[str, Any], found: dict[str, Any]
) -> None:
    """Advance a generator to its next question, or to its end."""
    try:
        open_questions[name] = next(generator) if answers is None else generator.send(answers)
    except StopIteration as done:
        open_questions.pop(name, None)
        found[name] = done.value


def run_pass(
    source: ChunkSource,
    questions: list[MapTask],
    executor: Executor,
    passes: int = 1,
    report: Callable[..., Any] | None = None,
) -> list[list[Any]]:
    """Run one pass; return, for each question, the answers of all chunks in their order."""
    source.check()
    groups = _batch_chunks(source.units, executor.tasks)
    done = [0]

    def count(index: int) -> None:
        done[0] += len(groups[index])
        if report:
            report(passes, done[0], len(source.units))

    tasks = [(source, group, questions) for group in groups]
    replies = [reply for group in executor.run(map_chunks, tasks, count) for reply in group]
    return [[reply[k] for reply in replies] for k in range(len(questions))]


def map_chunks(source: ChunkSource, units: list[RowChunk], questions: list[MapTask]) -> list[list[Any]]:
    """Return, for each chunk, the answers to all questions; this is the task of a worker."""
    return [map_chunk(source, unit, source.columns(unit), questions) for unit in units]


def _batch_chunks(units: list[RowChunk], tasks: int) -> list[list[RowChunk]]:
    """Split the chunks into at most `tasks` runs of about equal length: a task should be worth sending to a worker."""
    size = -(-len(units) // max(1, min(tasks, len(units))))
    return [units[start : start + size] for start in range(0, len(units), size)]
