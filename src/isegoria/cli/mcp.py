"""`isegoria mcp`: a Model Context Protocol server over standard input and output."""

from __future__ import annotations

import click

from isegoria.cli.error_handling import missing_dependency_error

HELP_EPILOG = """\b
Example, and the same in the settings of a client:
  isegoria mcp  # waits for a client on its standard input
  {"mcpServers": {"isegoria": {"command": "isegoria", "args": ["mcp"]}}}"""


@click.command("mcp", epilog=HELP_EPILOG)
def command() -> int:
    """Serve the tools solve, audit, draw, next_turn and verify to language models (Model Context Protocol).

    It speaks over standard input and output, and keeps nothing: next_turn returns its state.
    """
    try:
        from isegoria.agents.mcp_server import build_server
    except ImportError as error:
        raise missing_dependency_error("isegoria mcp", error, "mcp") from error
    build_server().run("stdio")
    return 0
