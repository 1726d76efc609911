# ruff: noqa: E501  (the corpus is a table, one file a line)
"""A corpus of the tables that people have: each gives the right table, with a note, or one sentence with flags."""

import io
import json
import shlex
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main
from isegoria.io.option_suggestions import get_brief, get_suggestions
from isegoria.io.sheets.read_options import parse_pairs

TEA = [[1, 0.25], [0, 0.5]]  # Ann and Bob on tea and coffee
LIKERT = "Timestamp,Email Address,Rate [tea],Rate [coffee]\n1/2/2026 9:00:01,a@x.org,{0},{1}\n1/2/2026 9:00:02,b@x.org,{2},{3}\n"


def book(*sheets, ods: bool = False) -> bytes:
    """A workbook with sheets (name, rows)."""
    buffer = io.BytesIO()
    if ods:
        from odf.opendocument import OpenDocumentSpreadsheet
        from odf.table import Table, TableCell, TableRow
        from odf.text import P

        document = OpenDocumentSpreadsheet()
        for name, rows in sheets:
            table = Table(name=name)
            for row in rows:
                line = TableRow()
                for cell in row:
                    number = isinstance(cell, int | float)
                    held = TableCell(valuetype="float", value=str(cell)) if number else TableCell(valuetype="string")
                    held.addElement(P(text=str(cell)))
                    line.addElement(held)
                table.addElement(line)
            document.spreadsheet.addElement(table)
        document.save(buffer)
    else:
        from openpyxl import Workbook

        workbook = Workbook()
        workbook.remove(workbook.active)
        for name, rows in sheets:
            sheet = workbook.create_sheet(name)
            for row in rows:
                sheet.append(row)
        workbook.save(buffer)
    return buffer.getvalue()


GRID = [["agent", "tea", "coffee"], ["Ann", 1, 0.25], ["Bob", 0, 0.5]]
READ = {  # name: (suffix, content, options, a part of the note)
    "semicolons": ("csv", "agent;tea;coffee\nAnn;1;0.25\nBob;0;0.5\n", {}, "separated by semicolons"),
    "semicolons and decimal commas": ("csv", "agent;tea;coffee\nAnn;1;0,25\nBob;0;0,5\n", {}, "decimals have commas"),
    "commas in quoted decimals": ("csv", 'agent,tea,coffee\nAnn,1,"0,25"\nBob,0,"0,5"\n', {}, "decimals have commas"),
    "tabs in a csv": ("csv", "agent\ttea\tcoffee\nAnn\t1\t0.25\nBob\t0\t0.5\n", {}, "separated by tabs"),
    "tabs in a tsv": ("tsv", "agent\ttea\tcoffee\nAnn\t1\t0,25\nBob\t0\t0,5\n", {}, "decimals have commas"),
    "a plain tsv": ("tsv", "agent\ttea\tcoffee\nAnn\t1\t.25\nBob\t0\t.5\n", {}, None),
    "bars": ("csv", "agent|tea|coffee\nAnn|1|.25\nBob|0|.5\n", {}, "separated by bars"),
    "a declared separator": ("csv", "sep=;\r\nagent;tea;coffee\r\nAnn;1;0,25\r\nBob;0;0,5\r\n", {}, "semicolons"),
    "a comma inside a name, semicolons between": (
        "csv",
        "agent;tea;coffee\nAnn, Miss;1;0,25\nBob, Mr;0;0,5\n",
        {},
        "separated by semicolons",
    ),
    "a semicolon inside a quoted heading": ("csv", 'agent,"tea;black",coffee\nAnn,1,.25\nBob,0,.5\n', {}, None),
    "percentages": ("csv", "agent,tea,coffee\nAnn,100%,25%\nBob,0%,50 %\n", {}, "25% is a quarter"),
    "percentages on another scale": (
        "csv",
        "agent,tea,coffee\nAnn,100%,2\nBob,0%,3\n",
        {"scale": (1, 5)},
        "from 1 to 5",
    ),
    "percentages with commas": ("csv", "agent;tea;coffee\nAnn;100%;25,0%\nBob;0,0%;50%\n", {}, "decimals have commas"),
    "stars": ("csv", "agent,tea,coffee\nAnn,5,2\nBob,1,3\n", {"scale": (1, 5)}, None),
    "gaps, lowest": (
        "csv",
        "agent,tea,coffee\nAnn,5,2\nBob,,3\n",
        {"scale": (1, 5), "missing": "lowest"},
        "1 gap counts as 1",
    ),
    "gaps, a value": (
        "csv",
        "agent,tea,coffee\nAnn,5,2\nBob,1,n/a\n",
        {"scale": (1, 5), "missing": 3},
        "1 gap counts as 3",
    ),
    "gaps, dropped": (
        "csv",
        "agent,tea,coffee\nAnn,5,2\nCy,-,3\nBob,1,3\n",
        {"scale": (1, 5), "missing": "drop"},
        "left out 1 agent of 3",
    ),
    "gaps, dropped with weights": (
        "csv",
        "agent,tea,coffee,weight\nAnn,5,2,1\nCy,,3,7\nBob,1,3,1\n",
        {"scale": (1, 5), "missing": "drop"},
        "left out 1",
    ),
    "a blank column and blank lines": ("csv", "agent,tea,coffee,,\n,,,,\nAnn,1,.25,,\nBob,0,.5,,\n", {}, None),
    "words": (
        "csv",
        "agent,tea,coffee\nAnn,great,poor\nBob,bad,SO-SO\n",
        {"answers": "bad=0,poor=.25,so-so=.5,great=1"},
        None,
    ),
    "words on a scale of their own": (
        "csv",
        "agent,tea,coffee\nAnn,great,poor\nBob,bad,so-so\n",
        {"answers": {"bad": 1, "poor": 2, "so-so": 3, "great": 5}},
        "the scale runs from 1 to 5",
    ),
    "a word with a comma": (
        "csv",
        'agent,tea,coffee\nAnn,1,"no, not really"\nBob,0,.5\n',
        {"answers": '"No, not really"=.25'},
        None,
    ),
    "names elsewhere": (
        "csv",
        "id,name,tea,coffee\n7,Ann,1,.25\n9,Bob,0,.5\n",
        {"agent": "name", "ignore": "id"},
        None,
    ),
    "a comment left out": ("csv", "who,note,tea,coffee\nAnn,hi,1,.25\nBob,,0,.5\n", {"ignore": ["Note"]}, None),
    "roles of a wide table": (
        "csv",
        "n,who,tea,coffee\n1,Ann,1,.25\n1,Bob,0,.5\n",
        {"columns": "who=agent,n=weight"},
        None,
    ),
    "a form": ("csv", LIKERT.format(5, 2, 1, 3), {"scale": (1, 5)}, "'Email Address' names the agents"),
    "a form with words": (
        "csv",
        LIKERT.format("Yes", "Rather not", "No", "Maybe"),
        {"answers": "No=0,Rather not=.25,Maybe=.5,Yes=1"},
        "brackets",
    ),
    "a form with a comment": (
        "csv",
        LIKERT.format(5, 2, 1, 3).replace("]\n", "],Comments\n").replace("2\n", "2,nice\n").replace("3\n", "3,\n"),
        {"scale": (1, 5), "ignore": "comments"},
        "'Timestamp' is left out",
    ),
    "a long table": ("csv", "agent,arm,value\nAnn,tea,1\nAnn,coffee,25%\nBob,tea,0\nBob,coffee,.5\n", {}, "25% is"),
    "ratings of users": (
        "csv",
        "user;item;rating;timestamp\nAnn;tea;5;8\nAnn;coffee;2;9\nBob;tea;1;9\nBob;coffee;3;9\n",
        {"columns": {"user": "agent", "item": "arm", "rating": "value"}, "scale": (1, 5)},
        "'timestamp' is left out",
    ),
    "ratings with gaps": (
        "csv",
        "user,item,rating\nAnn,tea,5\nAnn,coffee,2\nBob,coffee,3\n",
        {"columns": "user=agent,item=arm,rating=value", "scale": (1, 5), "missing": "lowest"},
        "1 gap counts as 1",
    ),
    "ratings with gaps, dropped": (
        "csv",
        "user,item,rating\nAnn,tea,5\nAnn,coffee,2\nCy,tea,4\nBob,coffee,3\nBob,tea,1\n",
        {"columns": "user=agent,item=arm,rating=value", "scale": (1, 5), "missing": "drop"},
        "left out 1 agent of 3",
    ),
    "a workbook": ("xlsx", book(("Sheet1", GRID)), {}, None),
    "a workbook with an empty sheet": ("xlsx", book(("Notes", []), ("Votes", GRID)), {}, "the sheet is 'Votes'"),
    "a sheet of two": ("xlsx", book(("Old", [["x"]]), ("New", GRID)), {"sheet": "New"}, None),
    "a workbook that begins lower": ("xlsx", book(("S", [[], [], *GRID])), {}, None),
    "an open document": ("ods", book(("Sheet1", GRID), ods=True), {}, None),
    "a form in a workbook": (
        "xlsx",
        book(
            (
                "Form",
                [["Timestamp", "Name", "Q [tea]", "Q [coffee]"], ["2026", "Ann", 1, 0.25], ["2026", "Bob", 0, 0.5]],
            )
        ),
        {},
        "'Name' names the agents",
    ),
}


def reading(folder, suffix, content, options):
    """The instance and the notes of what was decided."""
    path = folder / f"table.{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        instance = iso.read(path, **options)
    assert [str(warning.message) for warning in caught] == [f"{path}: {'; '.join(instance.import_notes)}."] * bool(
        caught
    )
    return instance


@pytest.mark.parametrize("name", READ)
def test_a_table_is_read_as_it_is_and_says_so(tmp_path, name):
    suffix, content, options, note = READ[name]
    instance = reading(tmp_path, suffix, content, options)
    assert np.array_equal(instance.means, TEA)
    assert [arm.partition(";")[0] for arm in instance.arms] == ["tea", "coffee"]
    assert [agent[0].lower() for agent in instance.agents] == ["a", "b"]
    assert instance.weights.tolist() == [1, 1]
    assert note in "; ".join(instance.import_notes) if note else not instance.import_notes


REFUSED = {  # name: (suffix, content, options, a part of the sentence)
    "both decimal marks": (
        "csv",
        "agent;tea;coffee\nAnn;1.0;0,25\n",
        {},
        "decimal comma; expected a decimal point: 0.25",
    ),
    "thousands or decimals": ("csv", "agent;tea\nAnn;1,250\n", {"scale": (0, 5000)}, "may stand for thousands"),
    "either separator": ("csv", "agent;a,b\nAnn;1,0\n", {}, "separated by commas or by semicolons"),
    "more than all": ("csv", "agent,tea\nAnn,125%\n", {}, "is '125%'; expected a percentage from 0% to 100%"),
    "a gap": (
        "csv",
        "agent,tea,coffee\nAnn,1,\nBob,0,1\n",
        {},
        "line 2, column 'coffee' .* is empty; .* --missing lowest",
    ),
    "nobody without a gap": ("csv", "agent,tea\nAnn,\n", {"missing": "drop"}, "leaves nobody; say --missing lowest"),
    "an unknown rule": ("csv", "agent,tea\nAnn,1\n", {"missing": "lowset"}, "did you mean 'lowest'"),
    "a gap off the scale": ("csv", "agent,tea\nAnn,\n", {"missing": 7}, "off the scale from 0 to 1"),
    "a column that is not there": ("csv", "agent,tea\nAnn,1\n", {"ignore": "note"}, "column 'note' is not known"),
    "everything left out": ("csv", "a,b\nx,1\n", {"ignore": ["a", "b"]}, "every column is left out"),
    "an unknown role": ("csv", "a,b\nx,1\n", {"columns": "a=user"}, "the roles are agent, arm, value, weight"),
    "half the roles": ("csv", "a,b,c\nx,y,1\n", {"columns": "a=agent,b=arm"}, "no column is the value"),
    "words without values": ("csv", "agent,tea\nAnn,fine\n", {"answers": "fine"}, 'write it as "No=0,Yes=1"'),
    "an option of nothing": ("csv", "agent,tea\nAnn,1\n", {"sheet": "x"}, "sheet is for xlsx, ods"),
    "two sheets": (
        "xlsx",
        book(("A", GRID), ("B", GRID)),
        {},
        "2 sheets with data, 'A', 'B'; say which with --sheet A",
    ),
    "an unknown sheet": ("xlsx", book(("Votes", GRID)), {"sheet": "Votse"}, "did you mean 'Votes'"),
    "no whole workbook": ("xlsx", book(("Votes", GRID))[:900], {}, "is not a whole spreadsheet"),
    "a workbook of nothing": ("xlsx", book(("Votes", [])), {}, "nothing on any sheet"),
    "a cell of a workbook": (
        "xlsx",
        book(("V", [["agent", "tea"], ["Ann", 4]])),
        {},
        "row 2, column 'tea' .* is 4; .* --scale 0,4",
    ),
    "commas in a tsv": ("tsv", "agent,tea\nAnn,1\n", {}, "line 1 has no tab in it; .* --input-format csv"),
    "spaces between the columns": (
        "csv",
        "agent tea\nAnn 1\n",
        {},
        "names no arms; .* commas, semicolons, tabs or bars",
    ),
    "a title": (
        "csv",
        "Our poll\nagent,tea,coffee\nAnn,1,0\n",
        {},
        "line 1 holds 'Our poll' alone, which looks like a title",
    ),
    "a title in a workbook": ("xlsx", book(("V", [["Our poll"], [], *GRID])), {}, "row 1 holds 'Our poll' alone"),
    "no words": ("csv", "agent,tea\nAnn,1\n", {"answers": ""}, "answers is empty; give name=value pairs"),
    "no roles": ("csv", "agent,tea\nAnn,1\n", {"columns": ""}, "columns is empty; give name=value pairs"),
    "no heading": ("csv", "agent,tea\nAnn,1\n", {"agent": ""}, "agent is ''; give the heading"),
    "a heading by its number": ("csv", "agent,tea\nAnn,1\n", {"agent": 1}, "agent is 1; give the heading"),
    "a word that is not among the answers": (
        "csv",
        "agent,tea,coffee\nAnn,meh,good\nBob,good,meh\n",
        {"answers": "good=1,bad=0"},
        "add 'meh=…' to --answers",
    ),
    "words with a comma": (
        "csv",
        'agent,tea,coffee\nAnn,"no, never",ok\nBob,ok,"no, never"\n',
        {},
        "--answers '\"no, never\"=…,ok=…'",
    ),
    "places, of which the first is the best": (
        "csv",
        "agent,tea,coffee\nAnn,1st,2nd\nBob,2nd,1st\n",
        {},
        "--answers '1st=…,2nd=…'",
    ),
    "nothing would be left": ("csv", "agent,tea,coffee\nAnn,$5,$3\n", {}, r"is '\$5'; expected a number\.$"),
    "a line of two": ("csv", "sep=;\nagent;tea\nAnn;x\n", {}, "line 3, column 'tea'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_gets_one_sentence(tmp_path, name):
    suffix, content, options, said = REFUSED[name]
    with pytest.raises(iso.InputError, match=said) as caught:
        reading(tmp_path, suffix, content, options)
    assert "\n" not in str(caught.value)


HELPED = {  # name: (content, options): refused, and read with the flags that the message proposes
    "text in two columns of a form": (
        LIKERT.format(1, 0, 0, 1).replace("Rate [tea]", "Diet,Rate [tea]").replace("org,", "org,vegan,"),
        {},
    ),
    "a form of single questions": (
        "Timestamp,Email Address,Tea,Coffee\n1/2/2026 9:00,a@x.org,1,0\n1/2/2026 9:01,b@x.org,0,1\n",
        {},
    ),
    "another service's form": (
        "ID,Start time,Completion time,Email,Name,tea,coffee\n1,9:00,9:02,anonymous,Ann,1,0\n2,9:01,9:05,anonymous,Bob,0,1\n",
        {},
    ),
    "a comment": ("agent,tea,coffee,comments\nAnn,1,0,I like tea\nBob,0,1,\n", {}),
    "agreement": ("agent,tea,coffee\nAnn,Agree,Neutral\nBob,Strongly disagree,Agree\n", {"scale": (1, 5)}),
    "often": ("agent,tea,coffee\nAnn,often,never\nBob,Always,rarely\n", {}),
    "a form with agreement": (LIKERT.format("Agree", "Neutral", "Neutral", "Disagree"), {}),
    "a form in another language": (
        "Zeitstempel;Name;Wie? [Tee];Wie? [Kaffee]\n1.2.2026 9:00;Ann;1;0\n1.2.2026 9:01;Bob;0;1\n",
        {},
    ),
    "numbers with labels": ("agent,tea,coffee\nAnn,5 - great,1 - bad\nBob,2,5 - great\n", {}),
    "labels with numbers": ("agent,tea,coffee\nAnn,Great (5),Bad (1)\nBob,2,Great (5)\n", {}),
    "one line a rating": ("user,item,rating\nAnn,tea,1\nAnn,coffee,0\nBob,tea,0\nBob,coffee,1\n", {}),
    "one line a rating, by numbers": ("userId,movieId,rating,time\n1,7,.5,9\n1,8,1,9\n2,7,0,9\n2,8,1,9\n", {}),
    "one rating for everyone": ("user,item,rating\nAnn,tea,1\nBob,tea,0\n", {}),
    "a gap": ("agent,tea,coffee\nAnn,1,\nBob,0,1\n", {}),
    "stars": ("agent,tea,coffee\nAnn,5,1\nBob,1,4\n", {}),
    "an age in a form": (
        LIKERT.format(1, 0, 0, 1).replace("Rate [tea]", "Age,Rate [tea]").replace("org,", "org,33,"),
        {},
    ),
}


@pytest.mark.parametrize("name", HELPED)
def test_the_flags_that_a_message_proposes_work(tmp_path, name):
    content, options = HELPED[name]
    with pytest.raises(iso.FileError) as caught:
        reading(tmp_path, "csv", content, options)
    message = caught.value.message
    proposed = get_suggestions(message)[0].to_flags()
    assert proposed in message
    assert "--" not in get_brief(message)
    path = tmp_path / "table.csv"
    scale = ["--scale", "{},{}".format(*options["scale"])] if options else []
    done = CliRunner().invoke(main, ["solve", str(path), *scale, *shlex.split(proposed)])
    assert done.exit_code == 0, f"{caught.value}\n{proposed}\n{done.output}"


def test_yes_and_no_need_no_values(tmp_path):
    instance = reading(tmp_path, "csv", "agent,tea,coffee\nAnn,yes,No\nBob,no,YES\n", {"scale": (1, 5)})
    assert instance.means.tolist() == [[1, 0], [0, 1]]
    assert instance.import_notes == ("yes counts as 5 and no as 1",)
    book_of_marks = book(("S", [["agent", "tea"], ["Ann", True], ["Bob", False]]))
    assert reading(tmp_path, "xlsx", book_of_marks, {}).means.tolist() == [[1], [0]]


def test_a_form_without_names_numbers_its_agents(tmp_path):
    instance = reading(tmp_path, "csv", "Timestamp,Q [tea],Q [coffee]\n9:00,1,0\n9:00,0,1\n", {})
    assert list(instance.agents) == ["Agent 1", "Agent 2"]
    assert "they are numbered" in "; ".join(instance.import_notes)


def test_the_command_says_what_was_decided_once_and_in_json(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("agent;tea;coffee\nAnn;1;0,25\nBob;;0,5\n")
    for command in ("compare", "solve", "audit", "frontier"):
        done = CliRunner().invoke(main, [command, str(path), "--missing", "lowest", "--format", "json"])
        assert done.exit_code == 0, done.output
        assert done.stderr.count("Note:") == 1
        assert "separated by semicolons; decimals have commas; 1 gap counts as 0, the lowest rating." in done.stderr
        assert len(json.loads(done.stdout)["reading"]) == 3


def test_a_dash_takes_the_options_too():
    done = CliRunner().invoke(main, ["solve", "-", "--answers", "No=0,Yes=1"], input="agent,tea\nAnn,yes\n")
    assert done.exit_code == 0, done.output


def test_pairs_with_commas_and_equals_signs():
    assert parse_pairs('a=1, "b, c"=2,d=e=3', "answers", "") == [("a", "1"), ("b, c", "2"), ("d=e", "3")]
