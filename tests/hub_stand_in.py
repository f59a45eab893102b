"""A stand-in for the Hub on the loopback interface: the five calls that a push of small files makes.

It takes every file as a "regular" one, whose content is part of the commit. The real Hub asks for Parquet files by way
of its large-file storage, a protocol of huggingface_hub's own that no code of ours takes part in.
"""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hf_of_the_stand_in"


class StandIn(ThreadingHTTPServer):
    """Keeps repositories: name -> private, files, commit messages. `fail` gives a status to a call by its last word."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repos: dict[str, dict[str, Any]] = {}
        self.calls: list[str] = []
        self.fail: dict[str, int] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()

    def add(self, name: str, private: bool = False) -> None:
        self.repos.setdefault(name, {"private": private, "files": {}, "messages": []})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StandIn

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def answer(self, body: bytes) -> None:
        words = self.path.partition("?")[0].strip("/").split("/")
        known = {"repos": "create", "validate-yaml": "validate-yaml"}
        call = known.get(words[1]) or next((word for word in words if word in ("preupload", "commit")), "info")
        self.server.calls.append(call)
        if call in self.server.fail:
            self.reply(self.server.fail[call], {"error": "as the test wants it"})
        elif self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.reply(401, {"error": "Invalid username or password."})
        elif call == "create":
            wanted = json.loads(body)
            name = f"{wanted.get('organization') or 'someone'}/{wanted['name']}"
            taken = name in self.server.repos
            self.server.add(name, wanted.get("visibility") == "private" or bool(wanted.get("private")))
            self.reply(409 if taken else 200, {"url": f"{self.server.url}/datasets/{name}", "name": name})
        elif call == "validate-yaml":
            self.reply(200, {"errors": [], "warnings": []})
        else:
            self.in_repo(call, f"{words[2]}/{words[3]}", body)

    def in_repo(self, call: str, name: str, body: bytes) -> None:
        repo = self.server.repos[name]
        if call == "info":
            self.reply(200, {"id": name, "private": repo["private"], "sha": "0" * 40, "siblings": [], "tags": []})
        elif call == "preupload":
            files = json.loads(body)["files"]
            modes = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in files]
            self.reply(200, {"files": modes})
        else:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "header":
                    repo["messages"].append(line["value"]["summary"])
                else:
                    repo["files"][line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            oid = "1" * 40
            url = f"{self.server.url}/datasets/{name}/commit/{oid}"
            self.reply(200, {"success": True, "commitUrl": url, "commitOid": oid})

    def reply(self, status: int, data: dict[str, Any]) -> None:
        text = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args: Any) -> None:
        """Keep stderr for the command."""
