"""Propose the flags that would make a table readable; they appear in messages and are never applied unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from isegoria.io.option_suggestions import PLACEHOLDER_MARK, AdvisedMessage, OptionSuggestion, quote_for_shell
from isegoria.io.sheets.rating_parser import RatingParser
from isegoria.io.sheets.sheet import Sheet

_NAME_HEADINGS = re.compile(
    r"agent|(full |first |last |your )?name|e-?mail( address)?|user(name)?|member|voter|respondent", re.I
)
_COUNTER_HEADINGS = re.compile(r"id|#|no\.?|nr\.?|number|response id|row", re.I)
_TIME_HEADINGS = re.compile(r".*\b(time|timestamp|date|submitted|completed)\b.*", re.I)
_TIMESTAMP_PATTERN = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}\b.*|\d{1,2}:\d{2}\b.*")
_LABEL_PATTERN = re.compile(r"(\d+)(?!st\b|nd\b|rd\b|th\b)\s*[-–—:=.)(]*\s*[^\W\d_]\D*|\D*\((\d+)\)")
_LONG_HEADINGS = {
    "agent": r"(user|agent|voter|member|participant|respondent|person|rater|reviewer)[ _-]?(id|name)?s?",
    "arm": r"(item|arm|option|alternative|product|movie|film|project|candidate|choice|question)[ _-]?(id|name)?s?",
    "value": r"(rating|value|score|stars?|points?|grade|utility)s?",
}
MAX_ANSWER_WORDS = 11
_ANSWER_SCALES = (
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


def suggest_long_flags(sheet: Sheet) -> OptionSuggestion | None:
    """Return `columns` if the headings are those of a long table; else None.

    >>> suggestion = suggest_long_flags(Sheet("t.csv", [["userId", "movieId", "rating", "time"], ["1", "7", "4", "9"]],
    ... list))
    >>> suggestion.to_flags()
    '--columns userId=agent,movieId=arm,rating=value'
    """
    found = {
        role: [name for name in sheet.header if re.fullmatch(pattern, name, re.I)]
        for role, pattern in _LONG_HEADINGS.items()
    }
    if any(len(names) != 1 for names in found.values()):
        return None
    return OptionSuggestion.of(columns=",".join(f"{names[0]}={role}" for role, names in found.items()))


def advise_alternatives(sentence: str, sheet: Sheet, ratings: RatingParser) -> str:
    """Return a sentence with advice on other options; the sentence alone if none would help."""
    suggestion = suggest_long_flags(sheet)
    if suggestion is not None:
        advice = f"; or, if it has one line for each agent and arm, say {suggestion.to_flags()}."
        return AdvisedMessage(sentence, advice, [suggestion])
    texts = [k for k in range(len(sheet.header)) if not all(map(ratings.understands, sheet.column(k)))]
    suggestion = suggest_flags(sheet, ratings, texts) if texts else None
    if suggestion is None or not suggestion.options:
        return f"{sentence}."
    return AdvisedMessage(sentence, f"; or say {suggestion.to_flags()}.", [suggestion])


def suggest_flags(sheet: Sheet, ratings: RatingParser, texts: Sequence[int], words: bool = True) -> OptionSuggestion:
    """Return the `agent`, `ignore` and `answers` under which the text columns `texts` would be understood.

    Without `words`, none of these columns is an arm.
    """
    worded = [k for k in texts if words and _find_answer_words(sheet, k, ratings)]
    others = [k for k in texts if k not in worded]
    agent = _guess_agent_column(sheet, others)
    counters = [k for k in range(len(sheet.header)) if k not in texts and _is_row_counter(sheet, k)]
    parts = [] if agent is None else [("agent", sheet.header[agent])]
    parts += [("ignore", sheet.header[k]) for k in sorted({*others, *counters} - {agent})]
    return OptionSuggestion((*parts, *_suggest_answers(sheet, worded, ratings)))


def advise_for_text(
    sentence: str, sheet: Sheet, column: int, arms: Sequence[int], agent: int | None, ratings: RatingParser
) -> str:
    """Return a message about a text cell in a column of the `arms` with advice on options, if any would help."""
    suggestion = suggest_long_flags(sheet)
    if suggestion is not None:
        advice = f" If there is one line for each agent and arm, say {suggestion.to_flags()} (columns= in Python)."
        return AdvisedMessage(sentence, advice, [suggestion])
    texts = [k for k in arms if not all(map(ratings.understands, sheet.column(k)))]
    worded = [k for k in texts if _find_answer_words(sheet, k, ratings)]
    answers = OptionSuggestion(_suggest_answers(sheet, worded, ratings))
    if column in worded and ratings.options.answers:
        own = OptionSuggestion(_suggest_answers(sheet, [column], ratings))
        if not own.is_complete:
            words = quote_for_shell(_format_word_values(_find_answer_words(sheet, column, ratings)))
            advice = f" Give it a value too: add {words} to --answers (answers= in Python)."
            return AdvisedMessage(sentence, advice)
    if column in worded and len(worded) == len(texts):
        advice = f" If the answers are words, say {answers.to_flags()} (answers= in Python)."
        return AdvisedMessage(sentence, advice, [answers])
    if len(texts) == len(arms) and not worded:
        return sentence  # ignoring them all would leave nothing
    if any(map(_is_text, sheet.column(column))) and not any(map(_is_numeric, sheet.column(column))):
        if agent is not None and _is_time(sheet, agent):
            suggestion = suggest_flags(sheet, ratings, [agent, *texts])
        else:
            ignored = [("ignore", sheet.header[k]) for k in texts if k not in worded]
            suggestion = OptionSuggestion((*ignored, *answers.options))
        advice = f" If that column is no arm, say {suggestion.to_flags()} (agent=, ignore= and answers= in Python)."
        return AdvisedMessage(sentence, advice, [suggestion])
    return sentence


def _suggest_answers(sheet: Sheet, columns: Sequence[int], ratings: RatingParser) -> tuple[tuple[str, str], ...]:
    """Return `answers`, such as `Bad=1,Good=2`, for the words in these columns; nothing for no columns.

    A known scale is given in its order; for other words that contain no number, the values are left open.
    """
    if not columns:
        return ()
    words = {word.casefold(): word for k in columns for word in _find_answer_words(sheet, k, ratings)}
    for scale in _ANSWER_SCALES:
        if set(words) <= set(scale):
            known = ",".join(f"{words.get(word, word.capitalize())}={place + 1}" for place, word in enumerate(scale))
            return (("answers", known),)
    return (("answers", _format_word_values(words.values())),)


def _format_word_values(words: Iterable[str]) -> str:
    """Format each word with the number in its label, or a gap to fill in: `5 - great=5,meh=…`."""
    pairs = []
    for word in words:
        label = _LABEL_PATTERN.fullmatch(word)
        name = f'"{word}"' if "," in word else word
        pairs.append(f"{name}={(label[1] or label[2]) if label else PLACEHOLDER_MARK}")
    return ",".join(pairs)


def _find_answer_words(sheet: Sheet, k: int, ratings: RatingParser) -> list[str]:
    """Return the distinct words of a column if they are few and recur, as answers do; else an empty list."""
    words = [text for text in sheet.column(k) if not ratings.understands(text)]
    distinct = list(dict.fromkeys(words))
    known = any({word.casefold() for word in distinct} <= set(scale) for scale in _ANSWER_SCALES)
    labelled = all(map(_LABEL_PATTERN.fullmatch, distinct))
    elsewhere = {text for other in range(len(sheet.header)) if other != k for text in sheet.column(other)}
    back = 2 * len(distinct) <= len(words) or 2 * len(elsewhere.intersection(distinct)) >= max(1, len(distinct))
    few = len(distinct) <= MAX_ANSWER_WORDS and (labelled or back)
    return distinct if known or (few and not _NAME_HEADINGS.fullmatch(sheet.header[k])) else []


def _guess_agent_column(sheet: Sheet, texts: Sequence[int]) -> int | None:
    """Return the text column that most likely names the agents: full, without repeats, best by its heading."""
    full = [k for k in texts if all(sheet.column(k)) and len(set(sheet.column(k))) == len(sheet.rows)]
    headed = [k for k in full if _NAME_HEADINGS.fullmatch(sheet.header[k])]
    untimed = [k for k in full if not _is_time(sheet, k)]
    return next(iter(headed or untimed), None)


def _is_time(sheet: Sheet, k: int) -> bool:
    """Check whether the column holds times, by its heading or by every cell."""
    return bool(_TIME_HEADINGS.fullmatch(sheet.header[k])) or all(map(_TIMESTAMP_PATTERN.fullmatch, sheet.column(k)))


def _is_row_counter(sheet: Sheet, k: int) -> bool:
    """Check whether the column only numbers the rows."""
    return bool(_COUNTER_HEADINGS.fullmatch(sheet.header[k])) and all(text.isdigit() for text in sheet.column(k))


def _is_text(text: str) -> bool:
    return bool(text) and not _is_numeric(text)


def _is_numeric(text: str) -> bool:
    return bool(re.fullmatch(r"[+-]?[\d.,]+\s*%?", text))
