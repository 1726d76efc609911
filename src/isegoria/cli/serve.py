"""`isegoria serve`: run the service for groups, on this computer or for everyone."""

from __future__ import annotations

import click

from isegoria.cli import options, settings_sources
from isegoria.cli.error_handling import missing_dependency_error
from isegoria.cli.render import print_note
from isegoria.errors import InputError

HELP_EPILOG = """\b
Examples:
  isegoria serve --host 0.0.0.0
  isegoria serve --demo
  isegoria serve --store postgresql:///isegoria --closed --site https://lunch.example --proxy 127.0.0.1"""


@click.command("serve", epilog=HELP_EPILOG, cls=settings_sources.SettingsCommand)
@settings_sources.config
@settings_sources.show
@options.store
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on; 0 takes a free one.",
)
@click.option(
    "--site",
    metavar="ADDRESS",
    help="The public address of this server, such as https://lunch.example; every link uses it.",
)
@click.option("--closed", is_flag=True, help="Making a group needs the start link; isegoria link --start prints one.")
@click.option(
    "--demo",
    is_flag=True,
    help="Show an example group with a year of decisions, in a temporary store.",
)
@click.option(
    "--allow-host", "hosts", multiple=True, metavar="NAME", help="Another host name of this server; may be repeated."
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A reverse proxy whose X-Forwarded headers are trusted; may be repeated.",
)
@click.option(
    "--relay",
    metavar="ADDRESS",
    help="A server that gives the values of a beacon; without it organisers enter them.",
)
@click.option(
    "--retention",
    type=click.IntRange(min=1),
    metavar="DAYS",
    help="Erase groups that nobody has used for this long.  [default: keep them]",
)
@click.option(
    "--webhook-host",
    "webhooks",
    multiple=True,
    metavar="NAME",
    help="A host to which groups may send webhooks; may be repeated.  [default: none]",
)
@click.option(
    "--smtp",
    metavar="ADDRESS",
    help="The server that sends mail: smtp://HOST or smtps://USER:PASSWORD@HOST.  [default: no mail]",
)
@click.option("--mail-from", "sender", metavar="ADDRESS", help="The sender of mail.")
@click.option("--heads", metavar="FILE", help="Add every new head to this file.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The format of log lines.",
)
@click.option("--access-log", is_flag=True, help="Write a line for each request, without tokens.")
@click.option(
    "--metrics",
    metavar="HOST:PORT",
    help="Serve /metrics for Prometheus there, such as 127.0.0.1:9100.  [default: nowhere]",
)
@click.option("--no-timetable", is_flag=True, help="Leave the timetables to other processes on the same store.")
@click.pass_context
def command(
    ctx: click.Context,
    config: str | None,
    show_settings: bool,
    store: str,
    secret_file: str | None,
    host: str,
    port: int,
    site: str | None,
    closed: bool,
    demo: bool,
    hosts: tuple[str, ...],
    proxies: tuple[str, ...],
    relay: str | None,
    retention: int | None,
    webhooks: tuple[str, ...],
    smtp: str | None,
    sender: str | None,
    heads: str | None,
    log_format: str,
    access_log: bool,
    metrics: str | None,
    no_timetable: bool,
) -> None:
    """Serve groups that decide together: private links, ratings, draws that anyone can check."""
    if show_settings:
        click.echo(settings_sources.format_settings(ctx))
        return
    try:
        import uvicorn

        from isegoria.service.server import serve
    except ImportError as error:
        raise missing_dependency_error("the service", error) from None
    del uvicorn
    from isegoria.service.delivery.mail import SmtpServer
    from isegoria.service.http.network_addresses import is_loopback, validate_site_url
    from isegoria.service.settings import Settings

    if demo and closed:
        raise InputError("--demo and --closed exclude each other; a demonstration is open to all.")
    if smtp is not None and site is None and is_loopback(host):
        raise InputError("mail needs an address that others can open; say it with --site, or listen wider with --host.")
    settings = Settings(
        store=store,
        secret_file=secret_file,
        hosts=frozenset(name.lower() for name in hosts),
        site=None if site is None else validate_site_url(site),
        closed=closed,
        proxies=tuple(proxies),
        relay=relay,
        retention=retention,
        webhooks=frozenset(name.lower() for name in webhooks),
        smtp=None if smtp is None else SmtpServer.from_url(smtp, sender),
        heads=heads,
        keeps_time=not no_timetable,
        log_format=log_format,
        access_log=access_log,
        metrics=metrics,
    )
    serve(settings, host, port, demo=demo, say=click.echo, whisper=print_note)
