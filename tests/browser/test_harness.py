"""The harness itself: it must notice what it promises to notice."""

import hashlib

import pytest

from browser import downloads
from browser.fixtures import collect_page_errors, find_overflowing_elements


def test_a_page_opens_and_scripts_run(page):
    page.set_content("<title>t</title><main><h1>Equal voice</h1></main>")
    assert page.evaluate("1 + 1") == 2
    assert page.inner_text("h1") == "Equal voice"


def test_a_fault_on_a_page_is_noticed(browser):
    context = browser.new_context()
    page = context.new_page()
    faults = collect_page_errors(page)
    page.set_content("<script>console.error('broken'); throw new Error('thrown')</script>")
    page.set_content("<img src='http://elsewhere.example/pixel.png' alt=''>")
    page.wait_for_timeout(50)
    context.close()
    assert any("broken" in fault for fault in faults)
    assert any("thrown" in fault for fault in faults)
    assert any("elsewhere.example" in fault for fault in faults)


def test_axe_complains_about_an_area_that_scrolls_out_of_reach(page, axe):
    area = '<main><h1>A table</h1><div style="overflow-x: auto" {}><p>wide</p></div></main>'
    shell = '<html lang="en"><title>A page</title>{}</html>'
    page.set_content(shell.format(area.format("")))
    assert any(complaint.startswith("out of reach") for complaint in axe(page))
    page.set_content(shell.format(area.format('tabindex="0" role="region" aria-label="A wide table"')))
    assert axe(page) == []


def test_axe_complains_about_a_picture_without_words(page, axe):
    page.set_content("<html lang=en><title>t</title><main><h1>t</h1><img src='data:,'></main>")
    assert any(complaint.startswith("image-alt") for complaint in axe(page))
    page.set_content("<html lang=en><title>t</title><main><h1>t</h1><p>fine</p></main>")
    assert axe(page) == []


def test_what_is_too_wide_for_a_phone_is_found(page):
    page.set_viewport_size({"width": 320, "height": 640})
    page.set_content("<div style='width: 500px'>wide</div><p>narrow</p>")
    assert len(find_overflowing_elements(page)) == 1


def test_a_host_name_that_is_not_secure_can_be_had(browser):
    """Plain http under a name: no crypto.subtle, as in a group's own network."""
    context = browser.new_context()
    context.route("**", lambda route: route.fulfill(body="<title>t</title>", content_type="text/html"))
    page = context.new_page()
    page.goto("http://lunch.group.test/")
    secure = page.evaluate("isSecureContext")
    context.close()
    assert secure is False


def test_another_archive_than_the_pinned_one_is_refused(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    npm = tmp_path / "bin" / "npm"
    npm.write_text("#!/bin/sh\necho forged > a.tgz\necho a.tgz\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    monkeypatch.setattr(downloads, "BROWSER_FOLDER", tmp_path)
    digest = hashlib.sha256(b"forged\n").hexdigest()
    with pytest.raises(RuntimeError, match=digest):
        downloads.install_package("axe-core")
    assert not list(tmp_path.glob("*.tgz"))


def test_a_browser_on_the_path_is_not_used_unless_it_is_named(tmp_path, monkeypatch):
    other = tmp_path / "chromium"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.delenv("ISEGORIA_CHROMIUM", raising=False)
    assert downloads.install_chromium()[0] != other
    monkeypatch.setenv("ISEGORIA_CHROMIUM", str(other))
    assert downloads.install_chromium()[0] == other


def test_a_browser_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setenv("ISEGORIA_CHROMIUM", "/nowhere/chromium")
    with pytest.raises(FileNotFoundError, match="ISEGORIA_CHROMIUM"):
        downloads.install_chromium()


def test_page_that_loads_again_meanwhile_is_asked_again(page):
    """A live page loads again when something is new; a look at it at that moment is repeated, and not an error."""
    page.context.route("**/*", lambda route: route.fulfill(body="<title>t</title><h1>t</h1>", content_type="text/html"))
    page.goto("http://lunch.group.test/first")
    leave = "if (location.pathname === '/first') setTimeout(() => { location.href = '/second' }, 20)"
    found = page.evaluate(
        f"() => {{ {leave}; return new Promise((done) => setTimeout(() => done(location.pathname), 600)) }}"
    )
    assert found == "/second"


def test_error_of_a_script_is_not_repeated(page):
    page.set_content("<title>t</title>")
    page.evaluate("window.asked = 0")
    with pytest.raises(Exception, match="of null"):
        page.evaluate("() => { window.asked += 1; return document.querySelector('main').innerText }")
    assert page.evaluate("window.asked") == 1
