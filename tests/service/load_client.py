"""Many people at once: a plain client of HTTP/1.1 that costs little, and what a crowd of them measures."""

from __future__ import annotations

import asyncio
import json
import time


class RawConnection:
    """One connection that is kept open."""

    def __init__(self, port: int):
        self.port = port
        self.reader = self.writer = None

    async def ask(
        self, method: str, path: str, token: str | None = None, body=None, key: str = ""
    ) -> tuple[int, bytes]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        data = json.dumps(body).encode() if body is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n"
        head += "Content-Type: application/json\r\n" if data else ""
        head += f"Authorization: Bearer {token}\r\n" if token else ""
        head += f"Idempotency-Key: {key}\r\n" if key else ""
        self.writer.write(f"{head}\r\n".encode() + data)
        return await self.answer()

    async def answer(self) -> tuple[int, bytes]:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        length = next(int(line.split(":")[1]) for line in head if line.lower().startswith("content-length:"))
        return int(head[0].split()[1]), await self.reader.readexactly(length)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


async def rate_concurrently(
    port: int, group: str, tokens: list[str], arms: list[str], options: int, reads: int = 1
) -> dict:
    """Each member rates so many options, each rating sent twice, and reads the state in between."""
    times: list[float] = []
    statuses: dict[int, int] = {}

    async def one(wire: RawConnection, *request) -> tuple[int, bytes]:
        began = time.perf_counter()
        status, found = await wire.ask(*request)
        times.append(time.perf_counter() - began)
        statuses[status] = statuses.get(status, 0) + 1
        return status, found

    async def member(number: int, token: str) -> None:
        wire = RawConnection(port)
        for option in range(options):
            body = {"round": None, "slot": None, "values": {arms[option]: (number + option) % 6}}
            request = ("POST", f"/api/groups/{group}/ratings", token, body, f"the-rating-{number}-of-option-{option}")
            first, again = await one(wire, *request), await one(wire, *request)
            assert first[1] == again[1], (first, again)
            for _ in range(reads):
                await one(wire, "GET", f"/api/groups/{group}", token)
        wire.close()

    began = time.perf_counter()
    await asyncio.gather(*(member(number, token) for number, token in enumerate(tokens)))
    took = time.perf_counter() - began
    times.sort()
    return {
        "requests": len(times),
        "seconds": took,
        "rate": len(times) / took,
        "p50": times[len(times) // 2],
        "p99": times[int(len(times) * 0.99)],
        "statuses": statuses,
    }


async def open_streams(port: int, group: str, count: int) -> list[RawConnection]:
    """So many open event streams, each of which has been told something."""

    async def one() -> RawConnection:
        wire = RawConnection(port)
        wire.reader, wire.writer = await asyncio.open_connection("127.0.0.1", port)
        wire.writer.write(f"GET /api/groups/{group}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        await wire.reader.readuntil(b"event: change")
        return wire

    wires: list[RawConnection] = []
    for start in range(0, count, 50):
        wires += await asyncio.gather(*(one() for _ in range(min(50, count - start))))
    return wires


def get_resident_megabytes(pid: int) -> float:
    """The memory of a process, in MB."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))
