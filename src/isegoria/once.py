"""A property that is computed when first asked for, and then kept."""

from __future__ import annotations

from collections.abc import Callable


class computed_once:
    """The attribute that `make(self)` returns, made at first use and then kept in the object's `__dict__`.

    As `functools.cached_property` is from Python 3.12 on; the lock that 3.11 takes costs more than what it guards.

    >>> class Circle:
    ...     radius = 2.0
    ...     area = computed_once(lambda self: 3.14 * self.radius**2)
    >>> circle = Circle()
    >>> circle.area, "area" in vars(circle)
    (12.56, True)
    """

    def __init__(self, make: Callable):
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance, owner: type | None = None):
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.make(instance)
        return value
