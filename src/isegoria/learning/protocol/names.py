"""The names of a learner's agents or arms: an index for every name, and errors that name the nearest one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.learning.protocol.checks import whole


class Names:
    """Distinct names of one `kind` ("agent" or "arm"), in the order in which they joined.

    >>> arms = Names("arm", 3, ["tea", "coffee", "water"])
    >>> arms.indices(["water", "tea"])
    (0, 2)
    """

    def __init__(self, kind: str, count: int, names: Sequence[str] | None = None):
        self.kind = kind
        count = whole(count, f"the number of {kind}s")
        given = [f"{kind.capitalize()} {i + 1}" for i in range(count)] if names is None else list(names)
        if len(given) != count:
            raise InputError(f"{len(given)} {kind} names were given for {count} {kind}s; give one name for each.")
        self.index: dict[str, int] = {}
        for name in given:
            self.add(name)

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self):
        return iter(self.index)

    def add(self, name: str) -> int:
        """The index of a new `name`; one that is taken already is refused."""
        if not isinstance(name, str) or not name:
            raise InputError(f"{self.kind} name {name!r} is not usable; expected a non-empty string.")
        if name in self.index:
            raise InputError(f"{self.kind} {name!r} is there already; choose another name.")
        self.index[name] = len(self.index)
        return self.index[name]

    def find(self, name: str | int) -> int:
        """The index of a name, or of an index that exists."""
        if isinstance(name, str):
            if name not in self.index:
                raise unknown(self.kind, name, self.index)
            return self.index[name]
        if isinstance(name, bool) or not isinstance(name, int | np.integer) or not 0 <= name < len(self.index):
            raise InputError(
                f"{self.kind} {name!r} does not exist; expected a name, or an index from 0 to {len(self.index) - 1}."
            )
        return int(name)

    def indices(self, chosen: Iterable[str | int]) -> tuple[int, ...]:
        """The sorted indices of the chosen names or indices, or of a boolean mask over all; at least one."""
        items = [chosen] if isinstance(chosen, str) else list(chosen)
        if len(items) == len(self) and all(isinstance(item, bool | np.bool_) for item in items):
            items = [index for index, item in enumerate(items) if item]
        if not items:
            raise InputError(f"no {self.kind} is available; name at least one of {', '.join(self.index)}.")
        return tuple(sorted({self.find(item) for item in items}))
