"""What a group hangs up, puts on a home screen and shows in a chat's preview: titles and decisions, never a secret."""

import json
import re
import struct

from api_clients import SampleGroup
from test_next_occurrence import lunch  # noqa: F401

from isegoria.service.web import STATIC_FOLDER


def test_the_sheet_has_the_plan_and_leads_to_the_check(quick, lunch):  # noqa: F811
    drawn = lunch.decide()["arms"]
    for language, first in (("en", "Monday 2 March"), ("de", "Montag, 2. März")):
        page = quick.get(f"/g/{lunch.group}/board", headers={"accept-language": language}).text
        rows = re.findall(r'<th scope="row">(.*?)</th><td><bdi>(.*?)</bdi></td>', page)
        assert [arm for _, arm in rows] == drawn
        assert rows[0][0] == first
        assert f"http://localhost/verify/?record=/api/groups/{lunch.group}/record" in page
        assert "<svg" in page
    lunch.clock.now += 86400
    rows = re.findall(r'<th scope="row">(.*?)</th>', quick.get(f"/g/{lunch.group}/board").text)
    assert rows == ["Tuesday 3 March", "Wednesday 4 March"], "what is past hangs no more"
    assert "board-letter.css" in quick.get(f"/g/{lunch.group}/board?paper=letter").text


def test_no_public_text_of_a_group_holds_a_secret(quick):
    """What a stranger, a chat's preview or a printer gets: pages, calendar, manifest, sheet and record."""
    group = SampleGroup(quick)
    group.decide()
    secrets = [group.made["organiser"], group.made["join"], *group.made["members"].values()]
    for path in ("", "/group", "/board", "/join", "/manifest.webmanifest"):
        text = quick.get(f"/g/{group.group}{path}").text
        assert not [secret for secret in secrets if secret in text], path
        assert "Ann" not in text, path
        if path in ("", "/join"):
            assert '<meta property="og:title" content="Lunch">' in text
    for path in ("", "calendar.ics", "record"):
        assert not [secret for secret in secrets if secret in group.nobody.get(path).text], path


def test_a_phone_finds_what_it_needs_for_its_home_screen(quick):
    group = SampleGroup(quick)
    answer = quick.get(f"/g/{group.group}/manifest.webmanifest")
    assert answer.headers["content-type"].startswith("application/manifest+json")
    told = json.loads(answer.content)
    assert (told["name"], told["start_url"], told["display"]) == ("Lunch", f"/g/{group.group}", "standalone")
    assert {icon["sizes"] for icon in told["icons"]} == {"192x192", "512x512"}
    for icon in told["icons"]:
        data = quick.get(icon["src"]).content
        assert data == (STATIC_FOLDER / icon["src"].removeprefix("/static/")).read_bytes()
        assert "x".join(map(str, struct.unpack(">II", data[16:24]))) == icon["sizes"]
    page = quick.get(f"/g/{group.group}").text
    for address in re.findall(r'<link rel="(?:icon|apple-touch-icon|manifest)" href="([^"]+)"', page):
        assert quick.get(address).status_code == 200
