"""`python -m isegoria.studies.turns`: the study of turns at its whole size, its tables and the page in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from isegoria.studies.registry import Options
from isegoria.studies.report import write_report
from isegoria.studies.turns import SIZES, produce


@click.command()
@click.option("--out", type=click.Path(file_okay=False), default="out", show_default=True, help="The folder.")
@click.option("--size", type=click.Choice(list(SIZES)), default="whole", show_default=True, help="How many histories.")
@click.option("--seed", type=int, default=42, show_default=True, help="The seed of all histories.")
@click.option("--workers", type=int, default=2, show_default=True, help="Processes; they change no number.")
def main(out: str, size: str, seed: int, workers: int) -> None:
    """Compare turns with memory with their rivals, and measure what a lie gains."""
    options = Options(
        seed=seed, workers=workers, command=f"python -m isegoria.studies.turns --size {size} --seed {seed}"
    )
    produce(Path(out) / "turns", options, SIZES[size])
    write_report(Path(out))


if __name__ == "__main__":
    main()
