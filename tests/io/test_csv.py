"""CSV as people write it: both forms, and every slip named with its line and the way out."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.io import read


@pytest.fixture
def reading(tmp_path):
    def call(text: str | bytes, **options):
        path = tmp_path / "ratings.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return read(path, **options)

    return call


@pytest.mark.parametrize(
    "text",
    [
        "agent,tea,coffee\nAnn,1,0.2\nBob,0,1\n",
        "\ufeffagent,tea,coffee\r\nAnn,1,0.2\r\nBob,0,1",
        'agent, tea, coffee\n\n"Ann", 1, 0.2\n,,\nBob,0,1e0\n\n',
        "name,tea,coffee\nAnn,1,0.2\nBob,0,1\n",
        "Agents,tea,coffee\nAnn,1,0.2\nBob,0,1\n",
        "tea,agent,coffee\n1,Ann,0.2\n0,Bob,1\n",
        "tea,weight,coffee,agent\n1,1,0.2,Ann\n0,1.0,1,Bob\n",
        "agent,arm,value\nAnn,tea,1\nAnn,coffee,.2\nBob,coffee,1\nBob,tea,0\n",
        "agent,arm,value,weight\nAnn,tea,1,1\nAnn,coffee,.2,1\nBob,coffee,1,1\nBob,tea,0,1\n",
    ],
)
def test_one_instance_in_many_hands(reading, text):
    instance = reading(text)
    assert (instance.agents, instance.arms) == (("Ann", "Bob"), ("tea", "coffee"))
    assert instance.means.tolist() == [[1, 0.2], [0, 1]]
    assert instance.weights.tolist() == [1, 1]


def test_weights(reading):
    assert reading("agent,tea,weight\nAnn,1,3\nBob,1,2.0\n").weights.tolist() == [3, 2]
    assert reading("agent,arm,value,weight\nAnn,tea,1,9007199254740991\n").weights.tolist() == [9007199254740991]


def test_names_keep_commas_quotes_and_lines(reading):
    instance = reading('agent,"black, no sugar","a ""b"""\n"O\'Hara, Ann\n(Miss)",1,0\n')
    assert instance.arms == ("black, no sugar", 'a "b"')
    assert instance.agents == ("O'Hara, Ann\n(Miss)",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty; expected a header"),
        ("  \n\n", "is empty"),
        ("agent,tea\n", "a header and no agents"),
        ("agent\nAnn\n", "line 1 names no arms"),
        ("agent,tea,\nAnn,1,0\n", "line 1: column 3 has no name"),
        ("agent,tea,coffee,tea\nAnn,1,0,1\n", "line 1: columns 2 and 4 are both named 'tea'"),
        ("agent,tea\nAnn,1\n\nBob,1\nAnn,0\n", "line 5: the agent 'Ann' is on line 2 already"),
        ("agent,tea\n,1\n", "line 2: the column 'agent' is empty"),
        ("agent,tea,coffee\nAnn\n", "line 2 has 1 column where the header has 3"),
        ("agent,tea,coffee\nAnn,1\n", "line 2 has 2 columns where the header has 3"),
        ("agent,tea,coffee\nAnn,0,5,0,2\n", "line 2 has 5 columns .* decimals with a point"),
        ('agent,tea,coffee\n"A\nB",1,0\nAnn,x,1\n', r"line 4, column 'tea' \(agent 'Ann'\) is 'x'; expected a number"),
        ("agent,tea\nAnn,\n", "line 2, .* is empty; expected a number"),
        ("agent,tea\nAnn,nan\n", "line 2, .* is 'nan', which is no rating"),
        ("agent,tea\nAnn,N/A\n", "is 'N/A', which is no rating"),
        ("agent,tea\nAnn,inf\n", "line 2, .* is inf; expected a number from 0 to 1; write a finite number there"),
        ("agent,tea\nAnn,1e999\n", "line 2, .* is inf; expected a number from 0 to 1; write a finite number there"),
        ("agent,tea,coffee\nAnn,4,inf\n", "is 4; .* say --scale 0,4 "),
        ("agent,tea\nAnn,-0.1\n", "line 2, .* is -0.1; expected a number from 0 to 1; .* say --scale -0.1,1 "),
        ("agent,tea\nAnn,1.0000000000000002\n", "is 1.0000000000000002; .* off by rounding alone: write 1 there"),
        ("agent,tea\nAnn,0_5\n", "line 2, column 'tea' .* is '0_5'; .* the digits 0 to 9 and a point alone"),
        ("agent,tea\nAnn,\u0661\n", "line 2, column 'tea' .* is '\u0661'; .* the digits 0 to 9"),
        ("agent,tea,weight\nAnn,1,1\nBob,1,1_0\n", "line 3, column 'weight' is '1_0'; a weight is a whole number"),
        ("agent,tea,weight\nAnn,1,\u0661\n", "line 2, column 'weight' is '\u0661'"),
        ("agent,tea\nAnn,1.0000000001\n", "line 2, .* is 1.0000000001"),
        ("tea,coffee\n1,0\n0,1\n", "first column 'tea' holds numbers only"),
        ("Ann,0.5,0.7\nBob,1,0\n", "line 1 holds numbers where the names of the arms should be"),
        ("agent,tea,Weight\nAnn,1,2\n", "line 1: column 'Weight' looks like the reserved 'weight'"),
        ("agent,tea,weights\nAnn,1,2\n", "column 'weights' .* rename it to 'weight' if it holds weights"),
        ("tea, AGENT \n1,Ann\n", "column 'AGENT' looks like the reserved 'agent'"),
        ("name,Agent,tea\nAnn,x,1\n", "column 'Agent' .* rename it to 'agent' if it holds the agents' names"),
        ("agent,tea,weight,weight\nAnn,1,1,2\n", "columns 3 and 4 are both named 'weight'"),
        ("Agent,Arm,Value\nAnn,tea,1\n", "line 1 is Agent,Arm,Value, which looks like agent,arm,value; write it"),
        ("arm,agent,value,weights\ntea,A,1,1\n", "which looks like agent,arm,value,weight; .* in that order"),
        ("agent,tea,weight\nAnn,1,0\n", "line 2, column 'weight' is '0'; a weight is a whole number"),
        ("agent,tea,weight\nAnn,1,1.5\n", "line 2, column 'weight' is '1.5'"),
        ("agent,tea,weight\nAnn,1,nan\n", "line 2, column 'weight' is 'nan'"),
        ("agent,tea,weight\nAnn,1,\n", "line 2, column 'weight' is ''"),
        ("agent,tea,weight\nAnn,1,1e30\n", "line 2, column 'weight' is '1e30'"),
        ('agent,tea\n"Ann,1\n', "line 2: not CSV: .* close every quote"),
        ("agent,arm,value\nAnn,tea,1\nBob,coffee,1\n", r"no line for agent 'Ann' and arm 'coffee' \(and 1 more pair\)"),
        ("agent,arm,value\nAnn,tea,1\nAnn,tea,1\n", "line 3: agent 'Ann' and arm 'tea' are on line 2 already"),
        ("agent,arm,value\nAnn,tea,two\n", r"line 2, column 'value' \(agent 'Ann', arm 'tea'\) is 'two'"),
        ("agent,arm,value,weight\nA,x,1,2\nA,y,1,3\n", "line 3: agent 'A' has the weight 3 here and 2 above"),
        ("agent,th\xe9\nAnn,1\n".encode("latin1"), "line 1: byte 0xe9 is not UTF-8 text; .* iconv"),
        ("agent,tea\nAnn,1\n".encode("utf-16"), "text in UTF-16; .* iconv -f utf-16 -t utf-8"),
        (b"\xfe\xff" + "agent,tea\nAnn,1\n".encode("utf-16-be"), "text in UTF-16; .* iconv -f utf-16 -t utf-8"),
        ("agent,thé\nAnn,1\n".encode("utf-16-le"), "text in UTF-16LE; .* iconv -f utf-16le -t utf-8"),
        ("agent,thé\nAnn,1\n".encode("utf-16-be"), "text in UTF-16BE; .* iconv -f utf-16be -t utf-8"),
        ("agent,tea\nAnn,1\n".encode("utf-32"), "text in UTF-32; .* iconv -f utf-32 -t utf-8"),
        ("agent,tea\nAnn,1\n".encode("utf-32-be"), "text in UTF-32BE; .* iconv -f utf-32be -t utf-8"),
        (b"PK\x03\x04....", "a spreadsheet or zip file"),
        (b"\x1f\x8b\x08", "gunzip"),
    ],
)
def test_a_slip_is_named_with_its_line_and_a_way_out(reading, text, said):
    with pytest.raises(iso.FileError, match=f"(?s)ratings.csv.*{said}|{said}") as caught:
        reading(text)
    assert "ratings.csv" in str(caught.value)


def test_many_rows_and_the_last_one_wrong(reading):
    rows = np.random.default_rng(1).random((20_000, 4)).tolist()
    lines = [f"a{i},{','.join(map(repr, row))}" for i, row in enumerate(rows)]
    text = "\n".join(["agent,a,b,c,d", *lines])
    assert reading(text).means.tolist() == rows
    with pytest.raises(iso.FileError, match="line 20002, column 'a'"):
        reading(text + "\nlast,?,1,1,1")
