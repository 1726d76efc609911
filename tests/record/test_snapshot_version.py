"""A stored snapshot is read by its version, so the version must follow the shape of the state."""

import json
from dataclasses import fields, is_dataclass
from hashlib import sha256

from isegoria.record.state.group import Group
from isegoria.record.state.snapshot import EXCLUDED_ATTRIBUTES, SNAPSHOT_CLASSES, SNAPSHOT_VERSION

SHAPES = {"4": "bbc88063fed30e4e"}


def _list_fields(kind):
    return [field.name for field in fields(kind)] if is_dataclass(kind) else list(getattr(kind, "_fields", ()))


def test_snapshot_version_follows_the_state():
    shape = {kind.__name__: _list_fields(kind) for kind in SNAPSHOT_CLASSES.values()}
    shape["Group"] = sorted(set(vars(Group())) - set(EXCLUDED_ATTRIBUTES))
    digest = sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()[:16]
    assert SHAPES[SNAPSHOT_VERSION] == digest, "the state has another shape: raise SNAPSHOT_VERSION, add its digest"
