"""Checks that every file format must pass."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from isegoria.errors import InputError, IsegoriaWarning
from isegoria.profiles import Instance
from isegoria.testing.check_suite import demand, fail, named, run

INSTANCE_KEYWORDS = {"means", "agents", "arms", "weights", "tie_tolerance", "notes"}
"""The keys that `read` may return: the keywords of `Instance`, and `notes`, sentences that say how it interpreted the
file."""

JUNK_FILES = (
    *(b"", b"\x00", b"\xff\xfe\x00", b"\n\n\n", b"{}", b"[1, 2"),
    *(b"agent,agent\n1,1\n", b"PK\x03\x04broken", b"\x93NUMPY"),
)


def check_format(module: ModuleType, samples: Iterable[bytes] = ()) -> list[str]:
    """Run all checks on a format module.

    Parameters
    ----------
    module : module
        The module with `read` and perhaps `write`. Its `EXAMPLE` (bytes, or a list of them) is added to the samples.
    samples : iterable of bytes
        The contents of valid files. Without any, only junk and the module's own output can be checked.

    Returns
    -------
    list of str
        The names of the checks, all of which passed.

    Raises
    ------
    AssertionError
        If a check fails; the message says which requirement is broken.
    """
    own = getattr(module, "EXAMPLE", [])
    return run(FORMAT_CHECKS, module, [*samples, *([own] if isinstance(own, bytes) else own)])


def it_has_read(module: ModuleType, samples: list[bytes]) -> None:
    demand(callable(getattr(module, "read", None)), "it has no read(stream, where, **options)")


def a_good_file_gives_the_keywords_of_an_instance(module: ModuleType, samples: list[bytes]) -> None:
    for sample in samples:
        _build_instance(_read(module, sample))


def junk_is_refused_in_one_sentence(module: ModuleType, samples: list[bytes]) -> None:
    for data in [*JUNK_FILES, *_damage_samples(samples)]:
        try:
            _build_instance(_read(module, data))
        except InputError as refused:
            said = str(refused)
            demand(said and "\n" not in said, f"of {data[:20]!r} it says {said!r}: one sentence, please")
        except Exception as error:
            fail(f"{data[:20]!r} raises {type(error).__name__} ({error}); raise a FileError that says what is wrong")


def what_it_writes_it_reads_again(module: ModuleType, samples: list[bytes]) -> None:
    if not hasattr(module, "write"):
        return
    rng = np.random.default_rng(5)
    for instance in (
        Instance([[1, 0], [0.25, 1 / 3]]),
        Instance(rng.random((4, 3)), ["a, b", 'c"d', "ö", "="], ["tea", "x;y", "1"], [1, 2, 10**6, 3]),
    ):
        data = module.write(instance)
        demand(isinstance(data, bytes), f"write returned {type(data).__name__}, not bytes")
        again = _build_instance(_read(module, data))
        demand(np.array_equal(again.means, instance.means), "the means came back changed")
        for name in ("agents", "arms", "weights"):
            one, two = list(getattr(instance, name)), list(getattr(again, name))
            demand(one == two, f"the {name} came back as {two}, not {one}")


def _read(module: ModuleType, data: bytes) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsegoriaWarning)
        return module.read(io.BytesIO(data), "sample")


def _build_instance(parts: Any) -> Instance:
    demand(isinstance(parts, dict), f"read returned {type(parts).__name__}, not a dict of the keywords of Instance")
    demand("means" in parts and parts.keys() <= INSTANCE_KEYWORDS, f"read returned the keys {sorted(parts)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsegoriaWarning)
        return Instance(**{key: value for key, value in parts.items() if key != "notes"})


def _damage_samples(samples: list[bytes]) -> Iterator[bytes]:
    """Yield valid files that are truncated, or have one byte changed, at several places."""
    for sample in samples:
        for place in range(1, len(sample), max(1, len(sample) // 12)):
            yield sample[:place]
            yield sample[:place] + bytes([sample[place] ^ 0xA5]) + sample[place + 1 :]


FORMAT_CHECKS = named(
    it_has_read,
    a_good_file_gives_the_keywords_of_an_instance,
    junk_is_refused_in_one_sentence,
    what_it_writes_it_reads_again,
)
"""The checks of `check_format` by name; each takes the module and the samples."""
