"""How long people wait for the annotation page when many of them use it at once, on this machine.

    python scripts/load_annotation.py                              50 people, each acting every 3 s, for a minute
    python scripts/load_annotation.py --people 2 --seconds 5       a short look
    python scripts/load_annotation.py --json                       one JSON object on standard output

A store of made-up problems is served by ``draw annotate serve`` in a process of its own, on loopback. Each person logs
in, opens the page, and then does what a page sends: choose an origin for each open value, submit, and now and then
undo, skip or look back. The time of an act is that from the request to the whole answer. Everything ends by itself.
Nothing is asserted: the figures depend on the machine and on what else runs there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.store import Store

LONGEST_WAIT = 30.0  # seconds after which an act counts as an error

_ROOT = re.compile(r'<div id="draw"[^>]*>')
_ATTRIBUTE = re.compile(r'data-([a-z]+)="([^"]*)"')
_LITERAL = re.compile(r'<button [^>]*class="dp-literal is-open"[^>]*>')


@dataclass(slots=True)
class Waits:
    """What was measured."""

    seconds: list[float] = field(default_factory=list)  # how long each act took
    errors: list[str] = field(default_factory=list)  # what went wrong, in words

    def as_data(self) -> dict[str, Any]:
        """Return the figures."""
        ordered = sorted(self.seconds)

        def share(part: float) -> float | None:
            return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 4) if ordered else None

        return {
            "acts": len(ordered),
            "errors": len(self.errors),
            "median": share(0.5),
            "p95": share(0.95),
            "longest": share(1.0),
            "first_errors": self.errors[:3],
        }


def fill(path: Path, count: int, people: int) -> None:
    """Make a store of problems with two or three questions each."""
    problems = [
        StoredProblem(
            i,
            f"Ann has {i % 7 + 3} bags of {i % 5 + 11} pears and {i % 7 + 3} boxes . Bob has {i % 5 + 11} more bags "
            f"than Ann , who paid $ {i + 20} .",
            (f"x = {i % 7 + 3}*{i % 5 + 11}", f"y = x + {i % 5 + 11} + {i + 20}"),
        )
        for i in range(1, count + 1)
    ]
    with Store.open(path, create=True) as store:
        store.add_problems(problems)
        store.configure(annotators_per_problem=people)


class Person:
    """Somebody who works on the page without a browser."""

    def __init__(self, client: Any, name: str, pause: float, waits: Waits) -> None:
        self._client = client
        self._name = name
        self._pause = pause
        self._waits = waits
        self._random = random.Random(name)
        self._component = 0
        self._html = ""
        self._chose = False

    async def work(self, until: float) -> None:
        """Log in, then act until the time is over."""
        # People do not all come in the same moment.
        await asyncio.sleep(self._random.uniform(0, self._pause))
        await self._client.post("/enter", data={"name": self._name})
        page = await self._client.get("/")
        self._component = _component(page.text)
        await self._act({"do": "open"})
        while time.monotonic() < until:
            await asyncio.sleep(self._random.uniform(0.5, 1.5) * self._pause)
            await self._act(self._next())

    def _next(self) -> dict[str, Any]:
        root = _attributes(_ROOT, self._html)
        if not root.get("problem"):
            return {"do": "open"}
        envelope = {"problem": root["problem"], "seen": int(root["seen"]), "seconds": self._pause, "width": 560}
        found = _LITERAL.search(self._html)
        chance = self._random.random()
        if chance < 0.03:
            return {**envelope, "do": "previous"}
        if root.get("fixed") == "true":
            return {**envelope, "do": "next"}
        if chance < 0.06:
            return {**envelope, "do": "skip"}
        if chance < 0.12 and self._chose:
            return {**envelope, "do": "undo"}
        if found is None:
            return {**envelope, "do": "submit"}
        literal = dict(_ATTRIBUTE.findall(found.group()))
        number = self._random.choice(literal["origins"].split())
        return {**envelope, "do": "choose", "literal": int(literal["literal"]), "number": int(number)}

    async def _act(self, message: dict[str, Any]) -> None:
        body = {"data": message, "fn_name": "answer", "component_id": self._component, "session_hash": self._name}
        started = time.perf_counter()
        try:
            answer = await self._client.post("/gradio_api/component_server/", json=body)
            text = answer.json()["html"] if answer.status_code == 200 else ""
        except (OSError, ValueError, *_failures()) as error:
            self._waits.errors.append(f"{message['do']}: {type(error).__name__}: {error}")
            return
        if not text or "is-bad" in text:
            self._waits.errors.append(f"{message['do']}: {answer.status_code}: {_told(text) or answer.text[:200]}")
            return
        self._waits.seconds.append(time.perf_counter() - started)
        self._html = text
        self._chose = message["do"] == "choose"


def _failures() -> tuple[type[Exception], ...]:
    import httpx

    return (httpx.HTTPError,)


def _component(page: str) -> int:
    """Return the number that Gradio gave the component of a page."""
    config = json.loads(page.split("window.gradio_config = ", 1)[1].split(";</script>", 1)[0])
    return next(int(part["id"]) for part in config["components"] if part["type"] == "html")


def _attributes(pattern: re.Pattern[str], html: str) -> dict[str, str]:
    found = pattern.search(html)
    return dict(_ATTRIBUTE.findall(found.group())) if found else {}


def _told(html: str) -> str:
    found = re.search(r'id="dp-status"[^>]*>([^<]*)<', html)
    return found.group(1) if found else ""


async def measure(url: str, people: int, seconds: float, pause: float) -> Waits:
    """Let people work on a page for a while, and return how long they waited."""
    import httpx

    waits = Waits()
    until = time.monotonic() + seconds
    clients = [httpx.AsyncClient(base_url=url, timeout=LONGEST_WAIT, trust_env=False) for _ in range(people)]
    try:
        crowd = [Person(client, f"Person {i}", pause, waits) for i, client in enumerate(clients, 1)]
        await asyncio.gather(*(person.work(until) for person in crowd))
    finally:
        for client in clients:
            await client.aclose()
    return waits


def main(argv: Sequence[str] | None = None) -> int:
    """Serve a store, let people work on it, and print how long they waited; return 1 if there were errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50, help="how many people (default 50)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long (default 60)")
    parser.add_argument("--every", type=float, default=3.0, help="seconds between a person's acts (default 3)")
    parser.add_argument("--problems", type=int, default=1000, help="problems of the store (default 1000)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "work.db")
        fill(store, arguments.problems, arguments.people)
        command = [sys.executable, "-m", "draw_dataset.cli", "annotate", "serve", "--port", "0", "--json", "--store"]
        server = subprocess.Popen([*command, str(store)], stdout=subprocess.PIPE, text=True)
        try:
            line = server.stdout.readline() if server.stdout is not None else ""
            if not line:
                raise SystemExit("expected the server to say where it is, but it has ended")
            waits = asyncio.run(measure(json.loads(line)["url"], arguments.people, arguments.seconds, arguments.every))
        finally:
            server.terminate()
            server.wait()
    data = {
        "people": arguments.people,
        "every": arguments.every,
        "problems": arguments.problems,
        **waits.as_data(),
        "load": round(os.getloadavg()[0], 1),
        "aim": "median under 0.1 s, p95 under 0.5 s",
    }
    if arguments.json:
        print(json.dumps(data))
    else:
        print(", ".join(f"{name} {value}" for name, value in data.items() if name != "first_errors" or value))
    return 1 if waits.errors else 0


if __name__ == "__main__":
    sys.exit(main())
