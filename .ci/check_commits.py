"""Check commit subjects: `area: verb what`, at most 72 characters, with an imperative verb.

Usage: check_commits.py BASE (all commits after BASE), or check_commits.py --message FILE (a commit-msg hook).
"""

import re
import subprocess
import sys
from pathlib import Path

MAX_SUBJECT_LENGTH = 72
SUBJECT_PATTERN = re.compile(r"[a-z][\w-]*(/[\w-]+)?: ([a-z]+) \S")
NOT_VERBS = {
    "the",
    "a",
    "an",
    "what",
    "who",
    "which",
    "how",
    "where",
    "when",
    "no",
    "every",
    "each",
    "all",
    "one",
    "of",
}


def find_fault(subject: str) -> str | None:
    """Return what is wrong with a commit subject, or None."""
    if len(subject) > MAX_SUBJECT_LENGTH:
        return f"{len(subject)} characters, more than {MAX_SUBJECT_LENGTH}"
    match = SUBJECT_PATTERN.match(subject)
    if match is None:
        return "not of the form 'area: verb what'"
    verb = match[2]
    if verb in NOT_VERBS or verb.endswith(("ed", "ing")):
        return f"'{verb}' is not an imperative verb"
    return None


def read_subjects(base: str) -> list[str]:
    """Return the subjects of the commits after `base`, without merges; none if the clone does not hold `base`."""
    if subprocess.run(["git", "cat-file", "-e", f"{base}^{{commit}}"], capture_output=True).returncode:
        print(f"This clone has no commit {base}; commit subjects were not checked.")
        return []
    command = ["git", "log", "--no-merges", "--format=%s", f"{base}..HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def main(arguments: list[str]) -> int:
    """Print each faulty subject and return the exit code."""
    if arguments[:1] == ["--message"]:
        subjects = Path(arguments[1]).read_text(encoding="utf-8").splitlines()[:1]
    else:
        subjects = read_subjects(arguments[0])
    faults = [(subject, fault) for subject in subjects if (fault := find_fault(subject))]
    for subject, fault in faults:
        print(f"{subject}\n  {fault}", file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
