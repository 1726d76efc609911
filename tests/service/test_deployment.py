"""The files for nginx, systemd and containers in the manual: a real nginx, and options that the command knows."""

import datetime
import importlib
import json
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from browser.app_server import AppServer
from isegoria.cli.serve import command
from isegoria.service.app import create_app
from isegoria.service.server import bind_socket
from isegoria.service.settings import Settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "run-the-service.md").read_text(encoding="utf-8")
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
HOST = "lunch.example"


def read_block(kind: str) -> str:
    return re.search(rf"^```{kind}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1]


def list_deployed_commands() -> list[list[str]]:
    """Return the words after `isegoria serve` in the systemd unit and in both container examples."""
    unit = re.search(r"^ExecStart=\S+ serve (.*)$", read_block("ini"), re.MULTILINE)[1]
    image = re.search(r"^podman run (?:.*\n)+?  serve (.*)$", PAGE, re.MULTILINE)[1]
    base = json.loads(re.search(r"^CMD (.*)$", read_block("dockerfile"), re.MULTILINE)[1])
    return [shlex.split(unit), shlex.split(image), base[2:]]


@pytest.mark.parametrize("words", list_deployed_commands(), ids=["systemd", "image", "dockerfile"])
def test_deployed_command_is_closed(words):
    given = command.make_context("serve", [word.replace("%S", "/var/lib") for word in words]).params
    assert given["closed"]
    assert given["site"] == f"https://{HOST}"


def test_image_is_closed_by_default(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "wheels")
    started = importlib.import_module("container_image").CONFIG["Cmd"]
    assert command.make_context("serve", started[1:]).params["closed"]


def test_systemd_accepts_the_unit(tmp_path):
    verifier = shutil.which("systemd-analyze")
    if verifier is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "isegoria.service"
    unit.write_text(read_block("ini").replace("/opt/isegoria/bin/isegoria", "/bin/true"))
    done = subprocess.run([verifier, "verify", unit], capture_output=True, text=True)
    assert "isegoria.service:" not in done.stdout + done.stderr


def write_certificate(folder: Path) -> None:
    """Write a key and a certificate that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
    signed = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
    pem = serialization.Encoding.PEM
    (folder / "site.pem").write_bytes(signed.sign(key, hashes.SHA256()).public_bytes(pem))
    kind, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "site.key").write_bytes(key.private_bytes(pem, kind, plain))


def find_free_port() -> int:
    with bind_socket("127.0.0.1", 0) as listening:
        return listening.getsockname()[1]


def is_listening(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def proxied(tmp_path):
    """A service behind nginx with the manual's file; yields a function that asks a path and returns the response."""
    if NGINX is None:
        pytest.skip("nginx is not installed; on Debian: apt install nginx-light")
    write_certificate(tmp_path)
    store = f"sqlite:///{tmp_path / 'groups.db'}"
    settings = Settings(store=store, site=f"https://{HOST}", hosts=frozenset({HOST}), proxies=("127.0.0.1",))
    service, port = AppServer(create_app(settings)), find_free_port()
    block = read_block("nginx").replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    block = block.replace("http://127.0.0.1:8000", service.site)
    block = re.sub(r"/etc/ssl/lunch\.example\.(pem|key)", rf"{tmp_path}/site.\1", block)
    paths = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    owner = "user root;\n" if os.geteuid() == 0 else ""
    (tmp_path / "nginx.conf").write_text(
        f"{owner}daemon off;\npid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{paths}{block}}}\n"
    )
    command = [NGINX, "-e", str(tmp_path / "error.log"), "-c", str(tmp_path / "nginx.conf")]
    tried = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert tried.returncode == 0, tried.stderr
    process = subprocess.Popen(command)
    context = ssl.create_default_context(cafile=tmp_path / "site.pem")
    context.check_hostname = False  # it is asked by its number, and named by the header

    def ask(path: str, host: str = HOST, body: dict | None = None):
        headers = {"Host": host, "Content-Type": "application/json", "Idempotency-Key": "key-1"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", data, headers)
        try:
            return urllib.request.urlopen(request, context=context)
        except urllib.error.HTTPError as error:
            return error

    try:
        while process.poll() is None and not is_listening(port):
            time.sleep(0.02)
        yield ask
    finally:
        process.terminate()
        process.wait(30)
        service.close()


def test_nginx_serves_the_pages(proxied):
    with proxied("/") as page:
        assert page.status == 200
        assert page.headers["strict-transport-security"]
    group = {"title": "Lunch", "arms": ["Thai", "Pizza"], "members": ["Ann", "Bob"], "scale": [0, 5]}
    with proxied("/api/groups", body=group) as made:
        assert made.status == 201
        assert made.headers["location"] is None or made.headers["location"].startswith(("/", f"https://{HOST}"))
    with proxied("/", host="elsewhere.example") as refused:
        assert refused.status == 400
