"""A study, the section that tells of it, and its figure."""

from isegoria.figures import theme
from isegoria.figures.registry import FigureEntry, write_figure
from isegoria.studies.provenance import write_provenance
from isegoria.studies.registry import StudyEntry, StudyFinding

WEATHER = StudyEntry("weather", "example_plugin.weather_study", "example_plugin.weather_study", "The weather")


def produce(folder, options) -> bool:
    with write_provenance(folder, "weather", options.command) as settings:
        write_figure("clouds", folder, {"day": [1, 2, 3], "clouds": [3, 1, 2]}, pictures=options.pictures)
        settings["seed"] = options.seed
    return True


@theme.apply_theme
def clouds(columns):
    fig, ax = theme.make_figure()
    ax.plot(columns["day"], columns["clouds"])
    return fig


def section(folder) -> str:
    return "<p>Clouds came and went.</p>"


def findings(folder) -> list[StudyFinding]:
    return [StudyFinding("weather", "", "", "clouds", 6.0)]


CLOUDS = FigureEntry("clouds", clouds, "Clouds by day", "How many clouds there were.")
