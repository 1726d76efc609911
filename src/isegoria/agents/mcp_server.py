"""A server of the Model Context Protocol: solve, audit, draw, next_turn and verify as tools (extra `mcp`)."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, ValidationError

import isegoria
from isegoria.agents.ballot_table import build_instance
from isegoria.agents.engine import DecisionEngine
from isegoria.analysis.audit import audit as audit_policy
from isegoria.analysis.scores import score
from isegoria.errors import IsegoriaError, IsegoriaWarning
from isegoria.profiles import Instance
from isegoria.record.drawing import draw as draw_voices
from isegoria.record.exact_voices import voices
from isegoria.record.turns.modes import Mode
from isegoria.rules import RULES
from isegoria.rules import solve as solve_rule
from isegoria.verifier.verification import verify as verify_record

INSTRUCTIONS = """Fair group decisions. Everyone has an equal voice: a rule turns ratings into a lottery over options, \
and next_turn repeats decisions so that each agent is heard in turn."""

Ratings = Annotated[
    dict[str, dict[str, float]],
    Field(description='Each agent\'s ratings of the options from 0 to 1, such as {"Ann": {"tea": 1, "milk": 0.2}}.'),
]
Weights = Annotated[dict[str, int] | None, Field(description="How many voices an agent has; 1 if it is not named.")]
RuleName = Annotated[str, Field(description="A rule, such as procedural, conditional-utilitarian, nash or leximin.")]
Policy = Annotated[
    dict[str, float] | None, Field(description='The policy to audit, such as {"tea": 0.5, "milk": 0.5}.')
]
Votes = Annotated[dict[str, list[str]] | None, Field(description="For each agent a list of options.")]
State = Annotated[
    dict[str, Any] | None, Field(description="The state that the turn before returned; leave it out to begin.")
]


class DecisionServer(MCPServer):
    """A server whose refusals are one sentence, also for arguments of a wrong type."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; raise `ToolError` with the first argument that does not fit its schema."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            first = error.__cause__.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise ToolError(f"argument {place} of {name} does not fit its schema: {first['msg']}.") from None


def build_server() -> DecisionServer:
    """Return the server with its five tools."""
    server = DecisionServer("isegoria", instructions=INSTRUCTIONS, version=isegoria.__version__)
    for tool in (solve, audit, draw, next_turn, verify):
        server.add_tool(_explain_errors(tool), structured_output=False)
    return server


def solve(ratings: Ratings, rule: RuleName = "procedural", weights: Weights = None) -> dict[str, Any]:
    """Compute the lottery over options that a rule gives these ratings, with its proof and three fairness scores."""
    group = _build_group(ratings, weights)
    solution = solve_rule(group, RULES[rule])
    scores = score(group, solution.policy)
    return {
        "rule": solution.rule,
        "policy": solution.to_mapping(group.arms),
        "proof": solution.proof,
        "gap": solution.to_dict()["gap"],
        "scores": {name: getattr(scores, name) for name in ("procedural", "equality", "utilitarian")},
    }


def audit(
    ratings: Ratings, policy: Policy = None, rule: RuleName = "procedural", weights: Weights = None
) -> dict[str, Any]:
    """Check whether a policy (or else that of a rule) gives everyone an equal voice, and say who is neglected."""
    group = _build_group(ratings, weights)
    result = audit_policy(group, RULES[rule] if policy is None else policy)
    return {"fair": bool(result.is_fair), "procedural": result.scores.procedural, "sentences": str(result).splitlines()}


def draw(
    ratings: Ratings,
    seed: Annotated[str, Field(description="All randomness: the same seed draws the same options again.")],
    rounds: Annotated[
        int, Field(description="How many options to draw, 1 to 20; together they are spread fairly.")
    ] = 1,
    rule: RuleName = "procedural",
    weights: Weights = None,
) -> dict[str, Any]:
    """Draw from the fair lottery of a group, and say whose voice each draw was."""
    group = _build_group(ratings, weights)
    held = voices(group, solve_rule(group, RULES[rule]).policy)
    drawn = draw_voices(held, seed, rounds)
    odds = dict(zip(held.arms, map(float, held.policy), strict=True))
    return {"odds": odds, "draws": [{"option": option, "voice": agent} for option, agent in drawn.names]}


def next_turn(
    options: Annotated[list[str], Field(description="What can be decided now.")],
    rankings: Votes = None,
    approvals: Votes = None,
    ratings: Annotated[dict[str, dict[str, float]] | None, Field(description="As in solve.")] = None,
    state: State = None,
    mode: Annotated[Mode, Field(description="At the beginning: deterministic or lottery.")] = "deterministic",
    weights: Weights = None,
    seed: Annotated[str | None, Field(description="At the beginning: all randomness; random by default.")] = None,
) -> dict[str, Any]:
    """Make the next of many decisions: agents who were not heard lately come first. Pass the state on each time."""
    engine = DecisionEngine(mode, weights, seed=seed) if state is None else DecisionEngine.from_json(json.dumps(state))
    decision = engine.decide(options, rankings, approvals=approvals, ratings=ratings)
    return decision.to_dict() | {"state": json.loads(engine.to_json())}


def verify(
    record: Annotated[str, Field(description="The path of a record of draws on the server's machine.")],
    trust: Annotated[
        list[str] | None, Field(description="Keys, members' numbers, or members, whose signatures you trust.")
    ] = None,
) -> dict[str, Any]:
    """Verify a record of draws independently of its maker."""
    verdict = verify_record(record, trust=trust or ())
    return {name: getattr(verdict, name) for name in ("verdict", "sentence", "proved", "unproved", "notes")}


def _build_group(ratings: dict[str, dict[str, float]], weights: dict[str, int] | None) -> Instance:
    """Return the instance of the ratings; every option that somebody rates is an arm."""
    options = list(dict.fromkeys(option for ballot in ratings.values() for option in ballot))
    return build_instance(options, None, None, ratings, (0.0, 1.0), weights or {})


def _explain_errors(tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Return the tool with our errors as the one sentence that a client shows."""

    @functools.wraps(tool)
    def run(*args: Any, **keywords: Any) -> dict[str, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IsegoriaWarning)
            try:
                return tool(*args, **keywords)
            except IsegoriaError as error:
                raise ToolError(str(error)) from None

    return run
