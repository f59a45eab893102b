"""Import and export on the page: only for those who lead, only from the page itself, bounded, all or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from annotation.test_page_login import TOKEN, Answer, ask, enter, protected

from draw_dataset.annotate.decisions import normal_name
from draw_dataset.annotate.page.access import AccessControl, lead_token_for
from draw_dataset.annotate.page.desk import MAX_PROBLEMS, MAX_UPLOAD, Desk
from draw_dataset.annotate.store import Store
from draw_dataset.errors import ChoiceError

LEAD = "a token of the lead"
SURE = {"id": 1, "question": "Ann has 3 and 5 shells .", "equations": ["x = 3 + 5"], "origin": "<b>"}
OPEN = {"id": 2, "question": "A rope of 7 m is cut in 2 pieces , the first 2 m longer .", "equations": ["x = y + 2"]}
EVIL = '"><script>alert(1)</script>.jsonl'


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "work.db", create=True) as opened:
        yield opened


@pytest.fixture
def local(empty: Store) -> AccessControl:
    return AccessControl(protected, normal_name, None, only_loopback=True, desk=Desk(empty, None))


@pytest.fixture
def public(empty: Store) -> AccessControl:
    return AccessControl(protected, normal_name, TOKEN, only_loopback=False, desk=Desk(empty, LEAD))


def send(
    control: AccessControl,
    path: str,
    cookie: str,
    content: bytes | None = None,
    name: str = "problems.jsonl",
    **more: str,
) -> Answer:
    """Send a form as a browser does."""
    fields = more.pop("fields", "{}")
    pieces = [
        f'--x\r\ncontent-disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in json.loads(fields).items()
    ]
    body = "".join(pieces).encode()
    if content is not None:
        quoted = name.replace('"', "%22")
        body += (
            f'--x\r\ncontent-disposition: form-data; name="file"; filename="{quoted}"\r\n\r\n'.encode()
            + content
            + b"\r\n"
        )
    headers = {"content_type": "multipart/form-data; boundary=x", "cookie": cookie, **more}
    return ask(control, "POST", path, body + b"--x--\r\n", **headers)


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_on_this_machine_a_name_is_enough_to_import_and_export(local: AccessControl, empty: Store) -> None:
    cookie = enter(local, name="Ann").cookie
    page = ask(local, "GET", "/data", cookie=cookie)
    assert (page.status, 'type="file"' in page.text, 'name="token"' in page.text) == (200, True, False)
    assert "default-src 'none'" in page.headers["content-security-policy"]
    answer = send(local, "/data/import", cookie, lines(SURE, OPEN))
    assert (answer.status, "2 added" in answer.text) == (200, True)
    assert [entry.stored.id for entry in empty.problems()] == [1, 2]
    found = send(local, "/data/export", cookie, fields='{"policy": "majority"}')
    assert found.headers["content-disposition"] == 'attachment; filename="rows-majority.jsonl"'
    [row] = map(json.loads, found.text.splitlines())
    assert (row["id"], row["annotated"], row["origin"]) == (1, "automatic", "<b>")


def test_an_import_is_whole_or_nothing_and_says_where(local: AccessControl, empty: Store) -> None:
    cookie = enter(local, name="Ann").cookie
    answer = send(local, "/data/import", cookie, lines(SURE, {"id": 3}), name="../a/" + EVIL)
    assert (answer.status, empty.problems()) == (422, [])
    assert "line 2: expected id, question and equations" in answer.text
    assert "<script>" not in answer.text
    assert "../" not in answer.text
    for content in (b"", b"\n", b"{", b"\xff\xfe", lines(SURE, {**SURE, "question": "Another ."})):
        assert send(local, "/data/import", cookie, content).status == 422
    assert send(local, "/data/import", cookie).status == 422  # no file
    assert empty.problems() == []


def test_a_changed_problem_needs_a_tick(local: AccessControl, empty: Store) -> None:
    cookie = enter(local, name="Ann").cookie
    changed = lines({**SURE, "question": "Ann has 3 or 5 shells ."})
    assert send(local, "/data/import", cookie, lines(SURE)).status == 200
    assert send(local, "/data/import", cookie, changed).status == 422
    assert "1 updated" in send(local, "/data/import", cookie, changed, fields='{"update": "yes"}').text
    assert empty.problem(1).stored.revision == 2


def test_elsewhere_the_token_of_the_lead_is_needed(public: AccessControl, empty: Store) -> None:
    cookie = enter(public, name="Ann", token=TOKEN).cookie
    assert 'name="token"' in ask(public, "GET", "/data", cookie=cookie).text
    assert send(public, "/data/import", cookie, lines(SURE), fields=json.dumps({"token": LEAD})).status == 200
    assert send(public, "/data/import", cookie, lines(OPEN)).status == 403
    assert send(public, "/data/import", cookie, lines(OPEN), fields=json.dumps({"token": LEAD})).status == 429
    assert [entry.stored.id for entry in empty.problems()] == [1]


def test_logging_in_does_not_forget_wrong_tokens_of_the_lead(public: AccessControl) -> None:
    cookie = enter(public, name="Ann", token=TOKEN).cookie
    for given in (TOKEN, "\u00e4"):
        assert send(public, "/data/export", cookie, fields=json.dumps({"token": given})).status in (403, 429)
        assert enter(public, name="Ann", token=TOKEN).status == 303
    answer = send(public, "/data/export", cookie, fields=json.dumps({"token": LEAD, "policy": "majority"}))
    assert (answer.status, answer.headers["retry-after"]) == (429, "1")


@pytest.mark.parametrize("path", ["/data/import", "/data/export"])
def test_forms_of_other_sites_and_of_strangers_are_refused(local: AccessControl, empty: Store, path: str) -> None:
    cookie = enter(local, name="Ann").cookie
    for foreign in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
        assert send(local, path, cookie, lines(SURE), **foreign).status == 403
    assert send(local, path, "", lines(SURE)).status == 401
    assert send(local, path, cookie, lines(SURE), host="evil.example").status == 403
    assert ask(local, "GET", path, cookie=cookie).status == 405
    assert empty.problems() == []


def test_who_is_not_logged_in_comes_to_the_page_by_the_login(local: AccessControl) -> None:
    assert ask(local, "GET", "/data").headers["location"] == "/enter?next=%2Fdata"
    assert enter(local, name="Ann", next="/data").headers["location"] == "/data"


def test_a_file_has_an_end(local: AccessControl, empty: Store) -> None:
    cookie = enter(local, name="Ann").cookie
    parts = (b"x" * (1 << 20) for _ in range(40))
    headers = {"content_type": "multipart/form-data; boundary=x", "cookie": cookie}
    assert ask(local, "POST", "/data/import", parts, **headers).status == 413
    assert next(parts, None) is not None  # the rest was not read
    assert MAX_UPLOAD < 40 << 20
    many = send(local, "/data/import", cookie, b"".join(lines({**SURE, "id": i}) for i in range(MAX_PROBLEMS + 1)))
    assert (many.status, f"at most {MAX_PROBLEMS} problems" in many.text) == (422, True)
    assert empty.problems() == []


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"--x--"),
        ("multipart/form-data; boundary=x", b"nonsense"),
        ("multipart/form-data; boundary=x", b"--x\r\ncontent-disposition: form-data\r\n\r\n1\r\n--x--\r\n"),
        ("application/json", b"{}"),
        ("text/plain", b""),
    ],
)
def test_a_form_that_cannot_be_read_is_refused(local: AccessControl, kind: str, body: bytes) -> None:
    cookie = enter(local, name="Ann").cookie
    assert ask(local, "POST", "/data/import", body, content_type=kind, cookie=cookie).status in (400, 422)


def test_an_export_is_by_a_policy_that_is_offered(local: AccessControl) -> None:
    cookie = enter(local, name="Ann").cookie
    for policy in ("", "annotator", EVIL):
        answer = send(local, "/data/export", cookie, fields=json.dumps({"policy": policy}))
        assert (answer.status, "<script>" in answer.text) == (422, False)


def test_without_a_desk_there_is_no_such_page() -> None:
    control = AccessControl(protected, normal_name, None, only_loopback=True)
    assert ask(control, "GET", "/data", cookie=enter(control, name="Ann").cookie).status == 404


def test_the_token_of_the_lead_is_another_one() -> None:
    for given in ("short", TOKEN):
        with pytest.raises(ChoiceError, match=r"lead token"):
            lead_token_for(TOKEN, given)
    assert lead_token_for(TOKEN, None) not in (None, TOKEN)


@pytest.mark.parametrize(("name", "mark"), [("p.csv", ","), ("P.TSV", "\t")])
def test_a_table_is_imported_as_on_the_command_line(local: AccessControl, empty: Store, name: str, mark: str) -> None:
    cookie = enter(local, name="Ann").cookie
    rows = [("id", "question", "equations"), ("1", "Add 3 and 4 .", "x = 3 + y; y = 4"), ("b", "Add 5 .", "x = 5")]
    content = "".join(mark.join(row) + "\r\n" for row in rows).encode()
    assert "2 added" in send(local, "/data/import", cookie, content, name).text
    assert [(e.stored.id, e.stored.equations) for e in empty.problems()] == [
        (1, ("x = 3 + y", "y = 4")),
        ("b", ("x = 5",)),
    ]
    broken = content + mark.join(["2", "Add 6 .", "x = 6", "more"]).encode()
    answer = send(local, "/data/import", cookie, broken, name)
    assert (answer.status, "line 4" in answer.text) == (422, True)
    assert len(empty.problems()) == 2


def test_the_page_names_constants_that_a_text_does_not_give(local: AccessControl) -> None:
    cookie = enter(local, name="Ann").cookie
    odd = {"id": 9, "question": "It takes from 9:15 to 11:45 for 300 km .", "equations": ["v = 300/2.5"]}
    assert "does not give: 9 (2.5)" in send(local, "/data/import", cookie, lines(odd)).text
