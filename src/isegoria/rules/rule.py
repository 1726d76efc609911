"""What a rule is: a policy for every instance, with what it claims of itself; and the options it takes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from isegoria.errors import InputError, unknown
from isegoria.lazy import computed_once
from isegoria.wording import kind_of

if TYPE_CHECKING:
    from isegoria.instance import Instance
    from isegoria.instance.policies import PolicyLike
    from isegoria.rules.names import Honest, Reads
    from isegoria.rules.solution import Solution

READS = ("favourites", "order", "ratings")
"""What a rule may depend on, from little to much: favourite sets, each agent's order of the arms, the means."""

HONEST = ("", "shares", "utilities")
"""In what nobody can gain by a false report: not claimed, in decision shares, in utilities."""

EVEN = "even"
"""The choice among equals of a rule that maximises nothing: each the same."""


class Option(NamedTuple):
    """A keyword of `solve` that a rule takes: its `name`, the `kind` of its value, its `default`, one line of `help`.

    `check(value)` returns the value as the rule wants it, or raises an `InputError`; a `kind` of list is for numbers,
    written with commas on the command line, and is left to the rule.
    """

    name: str
    kind: type = object
    default: Any = None
    check: Callable[[Any], Any] | None = None
    help: str = ""

    def checked(self, value: Any) -> Any:
        """`value` as the rule wants it."""
        if self.kind is int and (isinstance(value, bool) or not hasattr(value, "__index__")):
            raise InputError(f"{self.name} is {value!r}, {kind_of(value)}; give a whole number.")
        if self.kind is float:
            try:
                value = float(value)
            except (TypeError, ValueError):
                raise InputError(f"{self.name} is {value!r}; give a number.") from None
        return self.check(value) if self.check else value


class Rule:
    """A rule of one's own: a subclass that writes `policy`, or that function given as `policy=`.

    - `id` is its name in tables and on the command line, `label` its short form (the id, if there is none), `aliases`
      further names; all are found in upper or lower case.
    - `summary` says in one line what it is, `citation` where it comes from.
    - `reads` is what it may depend on: "favourites" (the favourite sets alone), "order" (each agent's ranking of the
      arms, ties included) or "ratings" (the means). It decides which false reports there are.
    - `fair` claims a procedural score of 1 on every instance; `honest` claims that no single agent ever gains by a
      false report, in "shares" or in "utilities". `isegoria.testing.check_rule` looks for exceptions to both.
    - `options` are the keywords of `solve` that it takes, each an `Option`; `tie_break` is how it settles ties.

    `solve` and `compare(rules=[…])` take it like one of ours; an entry point in the group `isegoria.rules` makes the
    command line know it too.

    >>> import numpy as np, isegoria as iso
    >>> class Plurality(iso.Rule):
    ...     '''The arm that is the favourite of most, alone.'''
    ...     id, label, reads = "plurality", "PL", "favourites"
    ...     def policy(self, instance):
    ...         supporters = instance.weights @ instance.favourites
    ...         best = supporters == supporters.max()
    ...         return best / best.sum()
    >>> iso.solve(iso.Instance([[1, 0], [1, 0], [0, 1]]), Plurality()).policy.tolist()
    [1.0, 0.0]
    """

    id: str = ""
    label: str = ""
    summary: str = ""
    citation: str = ""
    aliases: tuple[str, ...] = ()
    reads: Reads = "ratings"
    fair: bool = False
    honest: Honest = ""
    options: tuple[Option, ...] = ()
    tie_break: str = EVEN

    def __init__(
        self,
        id: str | None = None,
        label: str | None = None,
        summary: str | None = None,
        citation: str | None = None,
        *,
        policy: Callable[..., PolicyLike | Solution] | None = None,
        **claims: Any,
    ) -> None:
        given = {"id": id, "label": label, "summary": summary, "citation": citation, "policy": policy}
        self._take({name: value for name, value in given.items() if value is not None} | claims)

    def _take(self, given: dict[str, Any]) -> None:
        """Set what was given, check it, and fill in what can be told from the rest."""
        for name in given:
            if not hasattr(type(self), name) or name.startswith("_"):
                raise unknown(f"keyword of {type(self).__name__}", name, _KEYWORDS)
        self.__dict__.update(given)
        if not isinstance(self.id, str) or not self.id:
            raise InputError(
                f"{type(self).__name__} has no id; give it one, such as id='{type(self).__name__.lower()}'."
            )
        for name, known in (("reads", READS), ("honest", HONEST)):
            if getattr(self, name) not in known:
                raise unknown(f"{name} of the rule '{self.id}'", getattr(self, name), known)
        self.label = self.label or self.id
        self.summary = self.summary or (type(self).__doc__ or "").strip().partition("\n")[0]
        self.aliases = tuple(self.aliases)
        self.options = tuple(Option(each) if isinstance(each, str) else each for each in self.options)

    def policy(self, instance: Instance, *args: Any, **options: Any) -> PolicyLike | Solution:
        """The policy for `instance`: (K,) probabilities, or a `Solution` that says how it is proved."""
        raise NotImplementedError(f"the rule '{self.id}' has no policy(instance)")

    def option(self, name: str) -> Option | None:
        """The option of that name, or None if it takes none such."""
        return next((each for each in self.options if each.name == name), None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r}, {self.label!r}, {self.summary!r})"


_KEYWORDS = (
    "id",
    "label",
    "summary",
    "citation",
    "aliases",
    "reads",
    "fair",
    "honest",
    "options",
    "tie_break",
    "policy",
)


class ModuleRule(Rule):
    """A row of the table: the work is in the module of the same name as its `id`, loaded when first used."""

    @computed_once
    def policy(self) -> Callable[..., Solution]:
        """`policy(instance, **options)` returns a `Solution` with its proof."""
        return import_module(f"isegoria.rules.{self.id.replace('-', '_')}").policy
