"""The page shows three frameworks: its code runs against small stand-ins of their interfaces."""

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from isegoria.agents import DecisionEngine

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "agents.md").read_text(encoding="utf-8")


@pytest.fixture
def run_example(monkeypatch):
    """Return a function that runs the code below a heading, with modules that stand in for a framework."""

    def run(heading, modules, **names):
        for path, content in modules.items():
            parts = path.split(".")
            for depth in range(1, len(parts) + 1):
                name = ".".join(parts[:depth])
                monkeypatch.setitem(sys.modules, name, sys.modules.get(name) or ModuleType(name))
            for key, value in content.items():
                monkeypatch.setattr(sys.modules[path], key, value, raising=False)
        code = re.search(rf"## {heading}.*?```python\n(.*?)```", PAGE, re.DOTALL)[1]
        assert len([line for line in code.splitlines() if line.strip()]) <= 15
        exec(compile(code, heading, "exec"), names)
        return names

    return run


def test_autogen_speakers_take_turns(run_example):
    class SelectorGroupChat:
        def __init__(self, participants, model_client, *, selector_func=None):
            self.participants, self.select = participants, selector_func

    participants = [SimpleNamespace(name=name) for name in ("writer", "critic", "editor")]
    modules = {"autogen_agentchat.teams": {"SelectorGroupChat": SelectorGroupChat}}
    team = run_example("AutoGen", modules, participants=participants, model_client=None)["team"]
    order = [team.select([]) for _ in range(6)]
    assert set(order[:3]) == set(order[3:]) == {"writer", "critic", "editor"}


def test_langgraph_node_keeps_the_state(run_example):
    class StateGraph:
        def __init__(self, schema):
            self.nodes, self.edges = {}, {}

        def add_node(self, name, function):
            self.nodes[name] = function
            return self

        def add_edge(self, start, end):
            self.edges[start] = end
            return self

        def compile(self):
            return self

        def invoke(self, state):
            at = self.edges["START"]
            while at != "END":
                state, at = {**state, **self.nodes[at](state)}, self.edges[at]
            return state

    graph_module = {"StateGraph": StateGraph, "START": "START", "END": "END"}
    graph = run_example("LangGraph", {"langgraph.graph": graph_module})["graph"]
    state = {"options": ["a", "b"], "rankings": {"x": ["a"], "y": ["b"]}, "engine": DecisionEngine(seed="1").to_json()}
    first = graph.invoke(state)
    assert {first["decision"], graph.invoke(first)["decision"]} == {"a", "b"}


def test_crewai_flow_decides(run_example):
    def mark(after):
        def decorate(function):
            function.after = after
            return function

        return decorate

    class Flow:
        def kickoff(self):
            steps = [step for step in vars(type(self)).values() if hasattr(step, "after")]
            (first,) = [step for step in steps if step.after is None]
            (second,) = [step for step in steps if step.after is first]
            return second(self, first(self))

    modules = {"crewai.flow.flow": {"Flow": Flow, "listen": mark, "start": lambda: mark(None)}}
    panel = {"x": lambda options: options[:1], "y": lambda options: options[1:]}
    flow = run_example("crewAI", modules, panel=panel, options=["a", "b"])["PanelFlow"]()
    assert {flow.kickoff(), flow.kickoff()} == {"a", "b"}
