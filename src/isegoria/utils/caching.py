"""Lazy computation: attributes and functions of an object whose result is cached on that object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["cached_per_object", "lazy_property"]
T = TypeVar("T")
_MISSING_VALUE: Any = object()


if TYPE_CHECKING:
    from builtins import property as lazy_property  # a protocol with a property accepts it
else:

    class lazy_property:
        """Property that calls `make(self)` at first use and caches the result in the object's `__dict__`.

        Behaves as `functools.cached_property` does from Python 3.12 on; the lock that 3.11 takes costs more than it
        protects.

        >>> class Circle:
        ...     radius = 2.0
        ...     area = lazy_property(lambda self: 3.14 * self.radius**2)
        >>> circle = Circle()
        >>> circle.area, "area" in vars(circle)
        (12.56, True)
        """

        def __init__(self, make: Callable[[Any], Any]):
            self.make = make
            self.__doc__ = make.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: object | None, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.make(instance)
            return value


def cached_per_object(make: Callable[[Any], T]) -> Callable[[Any], T]:
    """Decorate a function of one object so that its result is cached on that object.

    For values that a higher layer derives from an immutable object of a lower one.

    >>> class Circle:
    ...     radius = 2.0
    >>> @cached_per_object
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
        value = owner.__dict__.get(key, _MISSING_VALUE)  # an exception would cost as much as solving a small group
        if value is _MISSING_VALUE:
            value = owner.__dict__[key] = make(owner)
        return value

    return kept
