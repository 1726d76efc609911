"""A pass reads each unit once and answers every open question; passes go on until every objective has its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isegoria.tables.executors import Executor, Serial
from isegoria.tables.questions import Asking, Question, unit_answers
from isegoria.tables.sources import TableSource, Unit


def drive(
    source: TableSource,
    asking: dict[str, Asking[Any]],
    executor: Executor | None = None,
    report: Callable[..., Any] | None = None,
) -> tuple[dict[str, Any], int]:
    """({name: result}, passes): what each of the generators returns, all of them served by the same passes.

    `report(passes, done, of)` counts the units of the pass that is under way.
    """
    executor = executor or Serial()
    open_questions: dict[str, Question] = {}
    found: dict[str, Any] = {}
    for name, generator in asking.items():
        _advance(name, generator, None, open_questions, found)
    passes = 0
    while open_questions:
        passes += 1
        distinct = {question.key: question for question in open_questions.values()}
        answers = dict(zip(distinct, answered(source, list(distinct.values()), executor, passes, report), strict=True))
        for name, question in list(open_questions.items()):
            _advance(name, asking[name], answers[question.key], open_questions, found)
    return found, passes


def _advance(
    name: str, generator: Asking[Any], answers: list[Any] | None, open_questions: dict[str, Any], found: dict[str, Any]
) -> None:
    """Let a generator go on to its next question, or to its end."""
    try:
        open_questions[name] = next(generator) if answers is None else generator.send(answers)
    except StopIteration as done:
        open_questions.pop(name, None)
        found[name] = done.value


def answered(
    source: TableSource,
    questions: list[Question],
    executor: Executor,
    passes: int = 1,
    report: Callable[..., Any] | None = None,
) -> list[list[Any]]:
    """For each question, the answers of all units in their order: one pass."""
    source.check()
    groups = _groups(source.units, executor.tasks)
    done = [0]

    def count(index: int) -> None:
        done[0] += len(groups[index])
        if report:
            report(passes, done[0], len(source.units))

    tasks = [(source, group, questions) for group in groups]
    replies = [reply for group in executor.run(answer_units, tasks, count) for reply in group]
    return [[reply[k] for reply in replies] for k in range(len(questions))]


def answer_units(source: TableSource, units: list[Unit], questions: list[Question]) -> list[list[Any]]:
    """For each unit, the answers to all questions; what a worker does."""
    return [unit_answers(source, unit, source.columns(unit), questions) for unit in units]


def _groups(units: list[Unit], tasks: int) -> list[list[Unit]]:
    """The units in at most `tasks` runs of about equal length: a task should be worth the way to a worker."""
    size = -(-len(units) // max(1, min(tasks, len(units))))
    return [units[start : start + size] for start in range(0, len(units), size)]
