"""A freeze walks through few rooms: modules of record and service are counted, transactions, and checks of its line."""

import sys
import threading

import pytest
from api_clients import SampleGroup

import isegoria
from isegoria.record.format import lines
from isegoria.service.store.sqlite import SQLiteStore

HERE = isegoria.__file__.removesuffix("__init__.py")
MAX_FREEZE_MODULES = 40
"""Modules of record and service that a freeze runs through where no timetable and no learner decides, and nobody
outside is told of it. Another one needs a reason, and this number with it."""


class ModuleTracer:
    """The modules of record and service in which a function began while it was `on`."""

    def __init__(self):
        self.on, self.modules = False, set()

    def __call__(self, frame, event, argument):
        name = frame.f_code.co_filename
        if self.on and event == "call" and name.startswith(HERE):
            module = name.removeprefix(HERE).replace("\\", "/")
            if module.startswith(("record/", "service/")):
                self.modules.add(module)


@pytest.fixture
def walk():
    """A walk that is followed on this thread, and on every one that starts from now on."""
    found, before = ModuleTracer(), sys.getprofile()
    threading.setprofile(found)
    sys.setprofile(found)
    yield found
    sys.setprofile(before)
    threading.setprofile(None)


def test_a_freeze_crosses_few_modules_in_three_transactions_and_its_line_is_checked_once(walk, quick, monkeypatch):
    begun, checked, encoded = [], [], []

    def noting(owner, name, noted, what):
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given: (noted.append(what(*given)), real(*given))[1])

    lunch = SampleGroup(quick)
    for _ in range(2):  # whatever is read or loaded for the first time is here after this
        lunch["Ann"].rate({"Thai": 5, "Pizza": 2, "Salad": 0})
        lunch.decide()
    lunch["Bob"].rate({"Pizza": 5})
    noting(SQLiteStore, "_begin", begun, lambda store, connection, write: "writes" if write else "reads")
    noting(lines, "_validate_line", checked, lambda group, said: said["line"])
    noting(lines, "dump_canonical", encoded, lambda said: said["line"])
    walk.on = True
    frozen = lunch.organiser.post("freeze")
    walk.on = False
    assert frozen.status_code == 201
    assert begun == ["reads", "writes", "writes"], "who asks; the closing; the page"
    assert checked == encoded == ["freeze"]
    assert {"record/freeze.py", "service/groups/repository.py"} <= walk.modules, "the walk was not followed"
    assert len(walk.modules) <= MAX_FREEZE_MODULES, " ".join(sorted(walk.modules))
