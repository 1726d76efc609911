"""`python -m isegoria.studies.perpetual_voting`: run the study of turns at the chosen size; write tables and page."""

from __future__ import annotations

from pathlib import Path

import click

from isegoria.studies.html_report import write_report
from isegoria.studies.perpetual_voting import STUDY_SIZES, produce
from isegoria.studies.registry import StudyOptions


@click.command()
@click.option("--out", type=click.Path(file_okay=False), default="out", show_default=True, help="The folder.")
@click.option(
    "--size", type=click.Choice(list(STUDY_SIZES)), default="whole", show_default=True, help="How many histories."
)
@click.option("--seed", type=int, default=42, show_default=True, help="The seed of all histories.")
@click.option("--workers", type=int, default=2, show_default=True, help="Processes; they change no number.")
def main(out: str, size: str, seed: int, workers: int) -> None:
    """Compare turns with memory with their rivals, and measure what a lie gains."""
    options = StudyOptions(
        seed=seed, workers=workers, command=f"python -m isegoria.studies.perpetual_voting --size {size} --seed {seed}"
    )
    produce(Path(out) / "turns", options, STUDY_SIZES[size])
    write_report(Path(out))


if __name__ == "__main__":
    main()
