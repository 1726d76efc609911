"""Pages of long ago: a group keeps the bytes of their lines, and reads who held what from them when it is asked."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

WINDOW = 64
"""Rounds whose pages are kept as they were read: the last ones are looked at again and again."""
LARGE = 16 * 1024
"""Bytes of a line above which a page of long ago is kept as its line alone: it would take four times as much."""


class ColdPage(dict[str, Any]):
    """A page without its `types`, which are read again from its line whenever they are asked for.

    >>> page = ColdPage({"round": 1, "types": []}, b'{"round":1,"types":[{"set":[0]}]}')
    >>> page["round"], page["types"], "types" in page
    (1, [{'set': [0]}], True)
    """

    def __init__(self, said: dict[str, Any], line: bytes) -> None:
        super().__init__({key: value for key, value in said.items() if key != "types"})
        self._line = line

    def __missing__(self, key: str) -> Any:
        if key != "types":
            raise KeyError(key)
        return _types(self._line)

    def __contains__(self, key: object) -> bool:
        return key == "types" or super().__contains__(key)


@lru_cache(maxsize=8)
def _types(line: bytes) -> Any:
    return json.loads(line)["types"]  # it was checked when it came
