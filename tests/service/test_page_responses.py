"""The plain pages: every step can be taken without a script, and names are shown as text whatever they hold."""

import ast
import re
from pathlib import Path, PurePosixPath

from api_clients import SampleGroup

import isegoria.service
from isegoria.service.pages.forms import FORMS_BY_NAME
from isegoria.service.web import STATIC_FOLDER, TEMPLATES_FOLDER

SERVICE = Path(isegoria.service.__file__).parent


def sign_in(client, visitor) -> None:
    answer = visitor.post("session", {"token": visitor.token})
    assert answer.status_code == 200, answer.text
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Strict" in answer.headers["set-cookie"]


def fields(page: str, action: str) -> dict:
    form = re.search(rf'<form[^>]*action="[^"]*/do/{action}".*?</form>', page, re.DOTALL)[0]
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form))


def submit(client, group: str, step: str, page: str, **given):
    return client.post(f"/g/{group}/do/{step}", data=fields(page, step) | given, follow_redirects=False)


def test_a_group_is_made_and_decides_by_forms_alone(quick):
    home = quick.get("/").text
    key = re.search(r'name="key" value="([^"]+)"', home)[1]
    form = {"key": key, "title": "Lunch", "arms": "Thai\nPizza", "members": "Ann, Bob", "me": "Ann"}
    made = quick.post("/new", data=form)
    assert made.status_code == 200
    group = made.url.path.split("/")[2]
    assert not re.findall(r' id="card-', made.text), "a private link is made on request only"
    assert made.text.count("<svg") - made.text.count('<svg viewBox="0 0 24 24"') == 1
    submit(quick, group, "reissue", made.text, number="1", sure="yes")
    links = re.findall(r'href="http://localhost/g/([^#"]+)#k=([^"]+)" id="card-', quick.get(f"/g/{group}/links").text)
    assert len(links) == 1
    page = quick.get(f"/g/{group}").text
    assert "Ann, your answer" in page
    assert submit(quick, group, "rate", page, arm0="5").status_code == 303
    assert re.search(r'name="arm0" value="5(.0)?" data-arm="Thai" checked', quick.get(f"/g/{group}").text)
    desk = quick.get(f"/g/{group}/organise").text
    assert submit(quick, group, "freeze", desk, sure="yes").status_code == 303
    assert '<p class="drawn"><bdi>Thai</bdi></p>' in quick.get(f"/g/{group}").text
    desk = quick.get(f"/g/{group}/organise").text
    joined = submit(quick, group, "join", desk, name="<b>Eve</b>")
    assert joined.status_code == 303
    assert "&lt;b&gt;Eve" in quick.get(joined.headers["location"]).text
    assert "<b>Eve" not in quick.get(f"/g/{group}/organise").text


def test_every_page_can_be_seen_by_everyone_who_may(quick):
    for learner in (None, "guided"):
        lunch = SampleGroup(quick, learner=learner, block=1)
        for _ in range(4):
            lunch.decide()
        for visitor in (lunch.nobody, lunch["Ann"], lunch.organiser):
            quick.cookies.clear()
            if visitor.token:
                sign_in(quick, visitor)
            assert quick.get(f"/g/{lunch.group}").status_code == 200
            expected = 200 if visitor is lunch.organiser else 401 if visitor is lunch.nobody else 403
            assert quick.get(f"/g/{lunch.group}/organise").status_code == expected


def test_a_form_without_its_mark_is_refused(quick):
    lunch = SampleGroup(quick)
    sign_in(quick, lunch["Ann"])
    page = quick.get(f"/g/{lunch.group}").text
    given = fields(page, "rate") | {"arm0": "5"}
    assert quick.post(f"/g/{lunch.group}/do/rate", data=given | {"csrf": "0" * 32}).status_code == 403
    headers = {"origin": "http://elsewhere.example"}
    assert quick.post(f"/g/{lunch.group}/do/rate", data=given, headers=headers).status_code == 403
    assert lunch["Ann"].get().json()["you"]["ratings"] == {}


def test_the_verifiers_page_is_served_as_it_stands(quick):
    lunch = SampleGroup(quick)
    leads = f"/verify/?record=/api/groups/{lunch.group}/record"
    assert leads not in quick.get(f"/g/{lunch.group}").text, "there is nothing to check yet"
    lunch.decide()
    assert leads in quick.get(f"/g/{lunch.group}").text
    page = quick.get("/verify/")
    assert page.status_code == 200
    for script in re.findall(r'(?:src|href)="([^"#]+\.(?:js|css))"', page.text):
        assert quick.get(f"/verify/{script}").status_code == 200
        assert quick.get(f"/verify/{script}").headers["cache-control"] == "no-cache"


def test_timetable_settings_and_closed_options_by_forms_alone(quick):
    lunch = SampleGroup(quick)
    sign_in(quick, lunch.organiser)
    desk = quick.get(f"/g/{lunch.group}/organise").text
    weekly = {"recurrence": "weekly", "time": "12:00", "zone": "Europe/Berlin", "lead": "30"}
    assert submit(quick, lunch.group, "timetable", desk, **weekly).status_code == 303
    desk = quick.get(f"/g/{lunch.group}/organise").text
    assert lunch.organiser.get().json()["timetable"] is not None
    assert submit(quick, lunch.group, "timetable", desk, recurrence="", time="", zone="", lead="").status_code == 303
    assert lunch.organiser.get().json()["timetable"] is None
    desk = quick.get(f"/g/{lunch.group}/organise").text
    assert submit(quick, lunch.group, "settings", desk, note="Bring cash.", retention="", webhook="").status_code == 303
    assert "Bring cash." in quick.get(f"/g/{lunch.group}").text
    desk = quick.get(f"/g/{lunch.group}/organise").text
    assert submit(quick, lunch.group, "mask", desk, arm="Thai").status_code == 303
    desk = quick.get(f"/g/{lunch.group}/organise").text
    assert submit(quick, lunch.group, "freeze", desk, sure="yes").status_code == 303


def test_what_is_no_number_in_a_form_is_said(quick):
    lunch = SampleGroup(quick, ballot="stars")
    sign_in(quick, lunch.organiser)
    desk = quick.get(f"/g/{lunch.group}/organise").text
    answer = submit(quick, lunch.group, "settings", desk, note="", retention="soon", webhook="")
    assert answer.status_code == 400
    assert "expected a whole number" in answer.text
    quick.cookies.clear()
    sign_in(quick, lunch["Ann"])
    answer = submit(quick, lunch.group, "rate", quick.get(f"/g/{lunch.group}").text, arm0="five")
    assert answer.status_code == 400
    assert "Your answer on &#39;Thai&#39; is &#39;five&#39;; expected a number." in answer.text


def test_every_template_is_rendered_by_somebody():
    """By a function that names it, or by a template that extends it or takes from it; and what is named is there."""
    code = [ast.parse(path.read_text(encoding="utf-8")) for path in SERVICE.rglob("*.py")]
    texts = {node.value for tree in code for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    named = {text for text in texts if isinstance(text, str) and re.fullmatch(r"\w+\.html", text)} - {"index.html"}
    for template in TEMPLATES_FOLDER.glob("*.html"):
        named |= set(re.findall(r'{% (?:extends|include|from) "(.+?)"', template.read_text(encoding="utf-8")))
    assert {path.name for path in TEMPLATES_FOLDER.glob("*.html")} == named


def test_every_script_and_style_is_loaded_by_somebody():
    paths = [
        path for folder in (TEMPLATES_FOLDER, STATIC_FOLDER) for path in folder.rglob("*.*") if path.suffix != ".png"
    ]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    loaded = {PurePosixPath(one).name for text in texts for one in re.findall(r'"([\w./-]+\.(?:js|css))["?]', text)}
    loaded |= {f"{one}.js" for text in texts for one in re.findall(r'load_after_paint\.js\?(\w+)"', text)}
    files = {path.name for kind in ("*.js", "*.css") for path in STATIC_FOLDER.rglob(kind)}
    files -= {"page.css", "offline_worker.js"}  # of the page that `isegoria page` writes; at an address of its own
    assert len(files) > 20
    assert files <= loaded, files - loaded


def test_every_form_says_what_was_wrong_beside_itself():
    templates = {"": "today", "/organise": "organise", "/devices": "devices", "/links": "links"}
    for form, _ in FORMS_BY_NAME.values():
        said = "".join(
            (TEMPLATES_FOLDER / f"{name}.html").read_text("utf-8") for name in (templates[form.page], "propose")
        )
        placed = {name for call in re.findall(r"wrong\(([^)]*)\)", said) for name in re.findall(r'"([\w-]+)"', call)}
        assert form.name in placed, form.name


def test_a_refused_form_keeps_what_was_typed_and_opens_its_row(quick):
    lunch = SampleGroup(quick)
    sign_in(quick, lunch.organiser)
    desk = quick.get(f"/g/{lunch.group}/organise").text
    answer = submit(quick, lunch.group, "timetable", desk, recurrence="daily", time="26:00", zone="UTC", lead="5")
    assert answer.status_code == 400
    row = answer.text.partition('id="row-time"')[2].partition("</details>")[0]
    assert row.startswith(" open")
    assert 'id="wrong"' in row
    assert 'value="26:00"' in row
    assert "That did not work" not in answer.text


def test_a_browser_is_told_in_its_language_that_a_page_is_missing(quick):
    answer = quick.get("/nope", headers={"accept": "text/html", "accept-language": "de"})
    assert (answer.status_code, "Diese Seite gibt es nicht" in answer.text) == (404, True)
    assert quick.get("/nope", headers={"accept": "*/*"}).json()["error"].startswith("there is no such page")
