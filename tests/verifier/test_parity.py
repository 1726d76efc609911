"""Two verifiers from one text: Python, Node and Chromium say the same on good and on mutated records."""

import parity
import pytest
from engines import by_node, by_python
from maker import canonical
from shelf import calm
from test_records import ODD


def test_they_agree_on_good_and_mutated_records(page):
    cases = parity.good(36) + parity.mutated(64)
    assert not parity.differences(cases, page)


def test_they_agree_on_odd_input():
    cases = [{"record": data} for data, _ in ODD.values()]
    made = calm(12, "dice", rounds=1)
    data, receipt = made.bytes(), made.receipt(0)
    for options in [
        {"head": "abc"},
        {"beacon_key": "00"},
        {"receipt": b""},
        {"receipt": b"[" * 9999 + b"\n"},
        {"receipt": canonical(receipt)},
        {"receipt": canonical({**receipt, "member": 2**53 - 1}) + b"\n"},
        {"names": b"{}\n"},
        {"names": canonical({**made.names(), "members": []}) + b"\n"},
    ]:
        cases.append({"record": data, **options})
    python, node = by_python(cases), by_node(cases)
    assert python == node


@pytest.mark.parametrize("source", ["rehearsal", "dice", "group", "league"])
def test_the_writers_records_are_accepted_by_both(source):
    """The samples of the package's own writer: neither verifier shares a line of code with it."""
    from record.records import good_record

    samples = [good_record(n, source) for n in range(3)]
    cases = []
    for one in samples:
        asked = {"record": one.data, "beacon_key": one.beacon_key, "now": one.keeper.now, "names": one.names}
        cases.append(asked | {"trust": ["members"], "head": [one.keeper.group.record.hex()]})
        cases += [asked | {"receipt": text} for text in list(one.receipts.values())[:2]]
    python, node = by_python(cases), by_node(cases)
    assert python == node
    assert {one["exit_code"] for one in python} <= {0, 3}
