"""Settings of a command from the command line, the environment and a TOML file, in this order."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from isegoria.errors import FileError, InputError, unknown_name_error

ENVIRONMENT_PREFIX = "ISEGORIA_"
SOURCE_NAMES = {
    ParameterSource.COMMANDLINE: "command line",
    ParameterSource.ENVIRONMENT: "environment",
    ParameterSource.DEFAULT_MAP: "file",
    ParameterSource.DEFAULT: "default",
}
NOT_SETTINGS = {"config", "show_settings", "help"}


class SettingsCommand(click.Command):
    """A command whose options may come from `ISEGORIA_*` variables and from the TOML file of its option `--config`."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for option in self.params:
            if isinstance(option, click.Option) and option.name != "show_settings":
                option.envvar = ENVIRONMENT_PREFIX + get_setting_name(option).replace("-", "_").upper()
                option.show_envvar = True


def get_setting_name(option: click.Parameter) -> str:
    """Return the name of an option in a file: its longest form without dashes in front."""
    return max(option.opts, key=len).lstrip("-")


def _load_config(ctx: click.Context, option: click.Parameter, path: str | None) -> str | None:
    """Take the settings of a TOML file as defaults; raise if it cannot be read or names what is no setting."""
    if path is None:
        return None
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from error
    known = {get_setting_name(each): each for each in ctx.command.params if each.name not in NOT_SETTINGS}
    ctx.default_map = {}
    for name, value in values.items():
        if name not in known:
            raise unknown_name_error(f"setting of {path}", name, known)
        if isinstance(value, list) != known[name].multiple or isinstance(value, dict):
            form = f'a list, such as {name} = ["…"]' if known[name].multiple else "one value"
            raise InputError(f"{name} in {path} is {value!r}; give {form}.")
        ctx.default_map[str(known[name].name)] = value
    return path


config = click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    callback=_load_config,
    help="A TOML file with settings, named like these options without dashes in front. The command line and the "
    "environment override it.",
)
show = click.option("--show-settings", is_flag=True, help="Print every setting and where it comes from, and stop.")


def format_settings(ctx: click.Context) -> str:
    """Return a TOML file of the settings that hold, each with a comment on its source; passwords are left out."""
    lines = []
    for option in ctx.command.params:
        if option.name in NOT_SETTINGS or not isinstance(option, click.Option):
            continue
        name, value = get_setting_name(option), ctx.params[str(option.name)]
        source = SOURCE_NAMES.get(ctx.get_parameter_source(str(option.name)) or ParameterSource.DEFAULT, "default")
        shown = f"# {name} is not set" if value is None else f"{name} = {_format_toml(value)}"
        lines.append(f"{shown}  # {source}" if value is not None else shown)
    return "\n".join(lines)


def _format_toml(value: Any) -> str:
    """Return a value as TOML writes it.

    >>> _format_toml(("a", 'b"')), _format_toml(True), _format_toml("smtps://me:secret@host")
    ('["a", "b\\\\""]', 'true', '"smtps://me:…@host"')
    """
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_format_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    text = re.sub(r"//([^/:@]*):[^@]*@", r"//\1:…@", str(value))
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
