"""Study files: parse TOML into a `Design`; `DESIGN_KEYS` describes every key in one line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError, unknown_name_error
from isegoria.studies.experiment.design import Design, make_design
from isegoria.studies.registry import STUDIES

DESIGN_KEYS: dict[str, dict[str, str]] = {
    "study": {
        "name": "what it is called in its record (default: the name of the file)",
        "rules": 'rules to compare, by name, with settings behind a colon: `["procedural", "nash:tie_break=vertex"]`',
        "learners": 'learners to compare, in the same way: `["elimination:explore=0.1", "thompson"]`; one of the two',
        "seeds": "how many, counted from 0, or a list of them (default: 20)",
        "settings": "settings to cross with all that take them: `{ gamma = [0.5, 0.9] }`",
        "measures": "what to measure (default: everything)",
    },
    "groups": {
        "model": 'a preference model with its parameter, `"mallows:0.5"`, or a list; each seed draws its own group',
        "agents": "how many agents, or a list",
        "arms": "how many arms, or a list",
        "favourites": "how many favourites everybody has, or a list (default: 1)",
        "file": "a table of ratings, or a list of them, instead of a model; relative to the study's file",
    },
    "environment": {
        "noise": 'how rewards scatter, `"beta"`, `"bernoulli"`, …, or a list (default: bernoulli)',
        "sd": "their standard deviation, for noises that take one, or a list",
        "rounds": "how many rounds (default: 1000)",
        "records": "at how many of them, evenly spaced, things are measured (default: 1, the last)",
        "drift": "the round, or rounds, from which on everybody's ratings move one arm on",
        "delay": "after how many rounds rewards arrive, or a list (default: 0)",
    },
}
"""The keys of a study file, by table."""
REPRODUCE_TABLE = "reproduce"
"""The only table of a file that names a study of the paper."""


def read_reproduction(path: str | Path) -> dict[str, Any] | None:
    """Return the study of the paper that a TOML file names, with its options; None for a file that is a design."""
    data = _read_toml(Path(path))
    if REPRODUCE_TABLE not in data:
        return None
    chosen = data[REPRODUCE_TABLE]
    if list(data) != [REPRODUCE_TABLE] or not isinstance(chosen, dict) or chosen.get("study") not in STUDIES:
        raise InputError(
            f"{Path(path).name} has [{REPRODUCE_TABLE}], which stands alone and names a study: write study = "
            f'"synthetic", or another of {", ".join(STUDIES)}.'
        )
    for key in chosen:
        if key not in ("study", *STUDIES[chosen["study"]].takes):
            raise unknown_name_error(f"key of [{REPRODUCE_TABLE}]", key, ("study", *STUDIES[chosen["study"]].takes))
    return chosen


def read_design(path: str | Path) -> Design:
    """Read and validate the `Design` in a TOML file; paths in it are relative to the file's folder."""
    path = Path(path)
    return parse_design(_read_toml(path), path)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} is not TOML: {error}. A study begins with a line [study].") from error


def parse_design(data: dict[str, Any], path: Path) -> Design:
    """Build the `Design` from the parsed contents of a TOML file; raise an error for an unknown table or key."""
    for table, content in data.items():
        if table not in DESIGN_KEYS:
            raise unknown_name_error("table", table, DESIGN_KEYS)
        if not isinstance(content, dict):
            raise InputError(f"{path.name} has {table} = …; write a table [{table}] with its keys below.")
        for key in content:
            if key not in DESIGN_KEYS[table]:
                raise unknown_name_error(f"key of [{table}]", key, DESIGN_KEYS[table])
    about = dict(data.get("study", {}))
    return make_design(
        rules=about.get("rules"),
        learners=about.get("learners"),
        groups=data.get("groups"),
        environments=data.get("environment"),
        seeds=about.get("seeds", 20),
        settings=about.get("settings"),
        measures=about.get("measures"),
        name=about.get("name", path.stem),
        folder=path.parent,
    )
