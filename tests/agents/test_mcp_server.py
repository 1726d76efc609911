"""The server of the Model Context Protocol, asked by the client of the package `mcp`."""

import asyncio
import json
import sys

import pytest

import isegoria as iso
from isegoria.cli import main

pytestmark = pytest.mark.peers

RATINGS = {"Ann": {"tea": 1, "milk": 0}, "Ben": {"milk": 1}}


def call_tools(calls, over_stdio=False):
    """Return (tools, [(is_error, text)]) of a session with these calls of tools."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def run():
        if over_stdio:
            where = stdio_client(StdioServerParameters(command=sys.executable, args=["-m", "isegoria", "mcp"]))
        else:
            from isegoria.agents.mcp_server import build_server

            where = build_server()
        async with Client(where) as client:
            tools = (await client.list_tools()).tools
            results = [await client.call_tool(name, arguments) for name, arguments in calls]
        return tools, [(result.is_error, result.content[0].text) for result in results]

    return asyncio.run(run())


@pytest.mark.slow
def test_server_answers_over_standard_streams():
    tools, [(failed, text)] = call_tools([("solve", {"ratings": RATINGS})], over_stdio=True)
    assert [tool.name for tool in tools] == ["solve", "audit", "draw", "next_turn", "verify"]
    assert not failed
    assert json.loads(text)["policy"] == {"tea": 0.5, "milk": 0.5}


def test_every_argument_of_a_tool_is_described():
    tools, _ = call_tools([])
    assert all(tool.description for tool in tools)
    for tool in tools:
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)


def test_turns_continue_by_their_state():
    first = {"options": ["a", "b"], "rankings": {"x": ["a"], "y": ["b"]}, "seed": "1"}
    _, [(_, text)] = call_tools([("next_turn", first)])
    one = json.loads(text)
    again = {"options": ["a", "b"], "rankings": first["rankings"], "state": one["state"]}
    _, [(_, text)] = call_tools([("next_turn", again)])
    assert {one["option"], json.loads(text)["option"]} == {"a", "b"}
    assert json.loads(text)["credit"] == {"x": 0, "y": 0}


def test_tools_agree_with_the_library(tmp_path):
    record = tmp_path / "lunch.record"
    record.write_text("no record", encoding="utf-8")
    _, results = call_tools(
        [
            ("audit", {"ratings": RATINGS, "policy": {"tea": 1}}),
            ("draw", {"ratings": RATINGS, "seed": "x", "rounds": 2}),
            ("verify", {"record": str(record)}),
        ]
    )
    audit, drawn, verdict = (json.loads(text) for failed, text in results if not failed)
    group = iso.Instance([[1, 0], [0, 1]], agents=["Ann", "Ben"], arms=["tea", "milk"])
    assert audit["sentences"] == str(iso.audit(group, {"tea": 1})).splitlines()
    assert not audit["fair"]
    assert [(each["option"], each["voice"]) for each in drawn["draws"]] == iso.draw(iso.voices(group), "x", 2).names
    assert verdict["verdict"] == iso.verify(record).verdict == "unreadable"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("solve", {"ratings": {"Ann": {"tea": 3}}}, "agent 'Ann' rates 'tea' 3.0; expected a number from 0 to 1"),
        ("solve", {"ratings": RATINGS, "rule": "nahs"}, "rule 'nahs' is not known; did you mean 'nash'"),
        ("solve", {"ratings": {}}, "options is empty"),
        ("solve", {"ratings": "tea"}, "argument ratings of solve does not fit its schema"),
        ("audit", {"ratings": RATINGS, "policy": {"tea": 0.2}}, "the policy sums to 0.2"),
        ("draw", {"ratings": RATINGS, "seed": "x", "rounds": 21}, "21"),
        ("next_turn", {"options": ["a"], "rankings": {"x": ["a"]}, "state": {}}, "no state of an engine"),
    ],
)
def test_refusal_is_one_sentence(tool, arguments, message):
    _, [(failed, text)] = call_tools([(tool, arguments)])
    assert failed
    assert message in text
    assert "\n" not in text


def test_missing_package_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "isegoria.agents.mcp_server", raising=False)
    with pytest.raises(SystemExit, match="2"):
        main(["mcp"])
    assert "pip install 'isegoria[mcp]'" in capsys.readouterr().err
