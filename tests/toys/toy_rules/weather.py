"""A study, the section that tells of it, and its figure."""

from isegoria.figures import theme
from isegoria.figures.registry import Figure, write_figure
from isegoria.studies.record import recorded
from isegoria.studies.registry import Finding, StudyRow

WEATHER = StudyRow("weather", "toy_rules.weather", "toy_rules.weather", "The weather")
CLOUDS = Figure("clouds", "toy_rules.weather:clouds", "Clouds by day", "How many clouds there were.")


def produce(folder, options) -> bool:
    with recorded(folder, "weather", options.command) as settings:
        write_figure("clouds", folder, {"day": [1, 2, 3], "clouds": [3, 1, 2]}, pictures=options.pictures)
        settings["seed"] = options.seed
    return True


@theme.styled
def clouds(columns):
    fig, ax = theme.figure()
    ax.plot(columns["day"], columns["clouds"])
    return fig


def section(folder) -> str:
    return "<p>Clouds came and went.</p>"


def findings(folder) -> list[Finding]:
    return [Finding("weather", "", "", "clouds", 6.0)]
