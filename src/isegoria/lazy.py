"""What is computed when first asked for, and then kept: a property of an object, or a function of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
_NOTHING: Any = object()


class computed_once(Generic[T]):
    """The attribute that `make(self)` returns, made at first use and then kept in the object's `__dict__`.

    As `functools.cached_property` is from Python 3.12 on; the lock that 3.11 takes costs more than what it guards.

    >>> class Circle:
    ...     radius = 2.0
    ...     area = computed_once(lambda self: 3.14 * self.radius**2)
    >>> circle = Circle()
    >>> circle.area, "area" in vars(circle)
    (12.56, True)
    """

    def __init__(self, make: Callable[[Any], T]):
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> computed_once[T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> computed_once[T] | T:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.make(instance)
        return value


def once_for_each(make: Callable[[Any], T]) -> Callable[[Any], T]:
    """The function `make` of one object, computed once for each object and kept with it, as long as it lives.

    For what a higher floor derives from an object that never changes, and that the object itself cannot know.

    >>> class Circle:
    ...     radius = 2.0
    >>> @once_for_each
    ... def area(circle):
    ...     print("computed")
    ...     return 3.14 * circle.radius**2
    >>> circle = Circle()
    >>> area(circle) == area(circle)
    computed
    True
    """
    key = f"{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def kept(owner: Any) -> T:
        value = owner.__dict__.get(key, _NOTHING)  # an exception would cost as much as what a small group needs
        if value is _NOTHING:
            value = owner.__dict__[key] = make(owner)
        return value

    return kept
