"""A digest of an object together with the code that defines it, so that results of changed code are not reused."""

from __future__ import annotations

import functools
import hashlib
import site
import sys
import sysconfig
import types
from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np

LIBRARY_FOLDERS = tuple({*site.getsitepackages(), *(sysconfig.get_path(name) for name in ("stdlib", "purelib"))})
SKIPPED_MEMBERS = {
    "__dict__",
    "__weakref__",
    "__module__",
    "__doc__",
    "__firstlineno__",
    "__static_attributes__",
    "__abstractmethods__",
    "__annotations_cache__",
    "_abc_impl",
}
"""Members of a class that do not change what it computes."""


def digest_code(value: object) -> str:
    """Return a digest of a value and of the code behind it.

    Functions count with their bytecode, defaults, closures and the globals that they use; classes with their members
    and the bases in the user's code; other objects with their class and state. Code of this package, of the standard
    library and of installed packages counts by its name and the version of its package.

    >>> script = {"__name__": "my_script"}
    >>> exec("def make(step): return lambda x: x + step", script)
    >>> make = script["make"]
    >>> digest_code(make(1)) == digest_code(make(1)), digest_code(make(1)) == digest_code(make(2))
    (True, False)
    """
    digest = hashlib.sha256()
    for part in _CodeWalk().walk(value):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def is_library_code(value: Any) -> bool:
    """Return whether a class, function or module belongs to this package, the standard library or an installed one."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or ""
    root = name.partition(".")[0]
    if root in ("isegoria", "builtins") or (root in sys.stdlib_module_names and root != "__main__"):
        return True
    place = getattr(sys.modules.get(name), "__file__", None)
    return place is not None and place.startswith(LIBRARY_FOLDERS)


class _CodeWalk:
    """Yields byte strings that identify a value; an object met again is named by its place in the walk."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._alive: list[object] = []  # keeps temporary objects, so that no id is used twice

    def walk(self, value: Any) -> Iterator[bytes]:
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            yield f"{type(value).__name__} {value!r}".encode()
            return
        if id(value) in self._seen:
            yield f"again {self._seen[id(value)]}".encode()
            return
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        yield from self._walk_new(value)

    def _walk_new(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, np.ndarray) and value.dtype != object:
            yield f"array {value.dtype} {value.shape}".encode()
            yield np.ascontiguousarray(value).tobytes()
        elif isinstance(value, types.CodeType):
            yield value.co_code
            yield from self._walk_all(value.co_names, value.co_varnames, value.co_freevars, value.co_consts)
        elif isinstance(value, types.ModuleType | type | types.FunctionType | types.BuiltinFunctionType):
            yield from self._walk_definition(value)
        elif isinstance(value, types.MethodType):
            yield from self._walk_all(value.__func__, value.__self__)
        elif isinstance(value, functools.partial):
            yield from self._walk_all(value.func, value.args, value.keywords)
        elif isinstance(value, Mapping):
            yield b"mapping"
            yield from self._walk_all(*(part for item in value.items() for part in item))
        elif isinstance(value, Set):
            yield b"set"
            yield from self._walk_all(*sorted(value, key=repr))
        elif isinstance(value, list | tuple):
            yield type(value).__name__.encode()
            yield from self._walk_all(*value)
        else:
            yield from self._walk_state(value)

    def _walk_all(self, *values: Any) -> Iterator[bytes]:
        yield str(len(values)).encode()
        for value in values:
            yield from self.walk(value)

    def _walk_definition(self, value: Any) -> Iterator[bytes]:
        yield getattr(value, "__qualname__", value.__name__).encode()
        if is_library_code(value) or isinstance(value, types.ModuleType | types.BuiltinFunctionType):
            name = value.__name__ if isinstance(value, types.ModuleType) else str(value.__module__)
            root = sys.modules.get(name.partition(".")[0])
            yield f"{name} {getattr(root, '__version__', '')}".encode()
        elif isinstance(value, type):
            yield from self._walk_all(*value.__bases__)
            members = {name: member for name, member in vars(value).items() if name not in SKIPPED_MEMBERS}
            for name in sorted(members):
                yield name.encode()
                yield from self.walk(members[name])
        else:
            cells = [_cell_contents(cell) for cell in value.__closure__ or ()]
            yield from self._walk_all(value.__code__, value.__defaults__, value.__kwdefaults__ or {}, *cells)
            for name in sorted(_global_names(value.__code__)):
                if name in value.__globals__:
                    yield name.encode()
                    yield from self.walk(value.__globals__[name])

    def _walk_state(self, value: Any) -> Iterator[bytes]:
        yield from self.walk(type(value))
        if isinstance(value, property | classmethod | staticmethod | functools.cached_property):
            names = ("fget", "fset", "fdel", "__func__", "func")
            yield from self._walk_all(*(getattr(value, name, None) for name in names))
            return
        try:
            reduced = value.__reduce_ex__(2)
        except TypeError:  # a lock, a socket, a generator: only its class can be compared
            return
        yield from self.walk(reduced if isinstance(reduced, str) else list(reduced[:3]))


def _cell_contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the cell of a name that is not assigned yet
        return None


def _global_names(code: types.CodeType) -> set[str]:
    """Return the names that a function and the functions inside it read."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*map(_global_names, inner))
