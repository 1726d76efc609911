"""The flags that would let a table be read: proposed in messages, and never taken without being asked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from isegoria.io.ratings import Ratings
from isegoria.io.sheet import Sheet

_NAMES = re.compile(
    r"agent|(full |first |last |your )?name|e-?mail( address)?|user(name)?|member|voter|respondent", re.I
)
_COUNTERS = re.compile(r"id|#|no\.?|nr\.?|number|response id|row", re.I)
_TIME = re.compile(r".*\b(time|timestamp|date|submitted|completed)\b.*", re.I)
_MOMENT = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}\b.*|\d{1,2}:\d{2}\b.*")
_LABELLED = re.compile(r"(\d+)(?!st\b|nd\b|rd\b|th\b)\s*[-–—:=.)(]*\s*[^\W\d_]\D*|\D*\((\d+)\)")
_LONG = {
    "agent": r"(user|agent|voter|member|participant|respondent|person|rater|reviewer)[ _-]?(id|name)?s?",
    "arm": r"(item|arm|option|alternative|product|movie|film|project|candidate|choice|question)[ _-]?(id|name)?s?",
    "value": r"(rating|value|score|stars?|points?|grade|utility)s?",
}
MOST_WORDS = 11
_SCALES = (
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("not at all", "slightly", "moderately", "very", "extremely"),
    ("hate it", "dislike it", "neutral", "like it", "love it"),
    ("no", "maybe", "yes"),
    ("low", "medium", "high"),
)


def long_flags(sheet: Sheet) -> str:
    """`--columns user=agent,…` where the headings are those of one line for each agent and arm; else nothing.

    >>> long_flags(Sheet("t.csv", [["userId", "movieId", "rating", "time"], ["1", "7", "4", "9"]], list))
    '--columns userId=agent,movieId=arm,rating=value'
    """
    found = {
        role: [name for name in sheet.header if re.fullmatch(pattern, name, re.I)] for role, pattern in _LONG.items()
    }
    if any(len(names) != 1 for names in found.values()):
        return ""
    return f"--columns {quoted(','.join(f'{names[0]}={role}' for role, names in found.items()))}"


def ways_out(sheet: Sheet, ratings: Ratings) -> str:
    """The end of a sentence: `; or say --agent … --ignore …`, or nothing if no flags would help."""
    if long_flags(sheet):
        return f"; or, if it has one line for each agent and arm, say {long_flags(sheet)}"
    texts = [k for k in range(len(sheet.header)) if not all(map(ratings.understands, sheet.column(k)))]
    proposed = flags(sheet, ratings, texts) if texts else ""
    return f"; or say {proposed}" if proposed else ""


def flags(sheet: Sheet, ratings: Ratings, texts: Sequence[int], words: bool = True) -> str:
    """`--agent`, `--ignore` and `--answers` under which the columns `texts`, which hold text, would be understood.

    Without `words`, none of these columns is an arm.
    """
    worded = [k for k in texts if words and _answers(sheet, k, ratings)]
    others = [k for k in texts if k not in worded]
    agent = _best_agent(sheet, others)
    counters = [k for k in range(len(sheet.header)) if k not in texts and _counts(sheet, k)]
    parts = [] if agent is None else [f"--agent {quoted(sheet.header[agent])}"]
    parts += [f"--ignore {quoted(sheet.header[k])}" for k in sorted({*others, *counters} - {agent})]
    if worded:
        parts.append(answers_flag(sheet, worded, ratings))
    return " ".join(parts)


def text_advice(sheet: Sheet, column: int, arms: Sequence[int], agent: int | None, ratings: Ratings) -> str:
    """The end of a sentence about a cell of text in a column of the `arms`: the flags that would help, if any."""
    if long_flags(sheet):
        return f" If there is one line for each agent and arm, say {long_flags(sheet)} (columns= in Python)."
    texts = [k for k in arms if not all(map(ratings.understands, sheet.column(k)))]
    worded = [k for k in texts if _answers(sheet, k, ratings)]
    if column in worded and ratings.options.answers and "=…" in answers_flag(sheet, [column], ratings):
        words = _answers(sheet, column, ratings)
        return f" Give it a value too: add {quoted(_valued(words))} to --answers (answers= in Python)."
    if column in worded and len(worded) == len(texts):
        return f" If the answers are words, say {answers_flag(sheet, worded, ratings)} (answers= in Python)."
    if len(texts) == len(arms) and not worded:
        return ""  # to ignore them all would leave nothing
    if any(map(_is_text, sheet.column(column))) and not any(map(_is_figure, sheet.column(column))):
        if agent is not None and _is_time(sheet, agent):
            proposed = flags(sheet, ratings, [agent, *texts])
        else:
            proposed = _ignores(sheet, texts, worded, ratings)
        return f" If that column is no arm, say {proposed} (agent=, ignore= and answers= in Python)."
    return ""


def _ignores(sheet: Sheet, texts: list[int], worded: list[int], ratings: Ratings) -> str:
    parts = [f"--ignore {quoted(sheet.header[k])}" for k in texts if k not in worded]
    return " ".join([*parts, *[answers_flag(sheet, worded, ratings)] * bool(worded)])


def answers_flag(sheet: Sheet, columns: Sequence[int], ratings: Ratings) -> str:
    """`--answers "Bad=1,Good=2"` for the words in these columns: a known scale in its order, else with gaps to fill."""
    words = {word.casefold(): word for k in columns for word in _answers(sheet, k, ratings)}
    for scale in _SCALES:
        if set(words) <= set(scale):
            known = ",".join(f"{words.get(word, word.capitalize())}={place + 1}" for place, word in enumerate(scale))
            return f"--answers {quoted(known)}"
    return f"--answers {quoted(_valued(words.values()))}"


def _valued(words: Iterable[str]) -> str:
    """`5 - great=5,meh=…`: each word with the number in its label, or a gap to fill."""
    pairs = []
    for word in words:
        label = _LABELLED.fullmatch(word)
        name = f'"{word}"' if "," in word else word
        pairs.append(f"{name}={(label[1] or label[2]) if label else '…'}")
    return ",".join(pairs)


def quoted(heading: str) -> str:
    """A heading as a shell takes it.

    >>> quoted("Email Address"), quoted("Comments")
    ("'Email Address'", 'Comments')
    """
    return shlex.quote(heading) if "'" not in heading else '"' + heading.replace('"', '\\"') + '"'


def _answers(sheet: Sheet, k: int, ratings: Ratings) -> list[str]:
    """The words of a column, if they are few and come back there or in others, as answers do; else none."""
    words = [text for text in sheet.column(k) if not ratings.understands(text)]
    distinct = list(dict.fromkeys(words))
    known = any({word.casefold() for word in distinct} <= set(scale) for scale in _SCALES)
    labelled = all(map(_LABELLED.fullmatch, distinct))
    elsewhere = {text for other in range(len(sheet.header)) if other != k for text in sheet.column(other)}
    back = 2 * len(distinct) <= len(words) or 2 * len(elsewhere.intersection(distinct)) >= max(1, len(distinct))
    few = len(distinct) <= MOST_WORDS and (labelled or back)
    return distinct if known or (few and not _NAMES.fullmatch(sheet.header[k])) else []


def _best_agent(sheet: Sheet, texts: Sequence[int]) -> int | None:
    """The column of text that most likely names the agents: full and without repeats, and headed so if one is."""
    full = [k for k in texts if all(sheet.column(k)) and len(set(sheet.column(k))) == len(sheet.rows)]
    headed = [k for k in full if _NAMES.fullmatch(sheet.header[k])]
    untimed = [k for k in full if not _is_time(sheet, k)]
    return next(iter(headed or untimed), None)


def _is_time(sheet: Sheet, k: int) -> bool:
    """Does the column say when: by its heading, or by every cell?"""
    return bool(_TIME.fullmatch(sheet.header[k])) or all(map(_MOMENT.fullmatch, sheet.column(k)))


def _counts(sheet: Sheet, k: int) -> bool:
    """Does the column only number the rows?"""
    return bool(_COUNTERS.fullmatch(sheet.header[k])) and all(text.isdigit() for text in sheet.column(k))


def _is_text(text: str) -> bool:
    return bool(text) and not _is_figure(text)


def _is_figure(text: str) -> bool:
    return bool(re.fullmatch(r"[+-]?[\d.,]+\s*%?", text))
