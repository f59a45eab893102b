"""Which annotation of a problem counts in the end, and how far a whole store has come.

An adjudicator's decision overrules all others. Without one, a problem is settled if it needs no person and nobody has
worked on it, or if the submitted works are the same: equivalent derivations, the same groups of equivalent numbers, the
same text. A flag is a vote against all of them. What else counts depends on a **policy**:

* ``adjudicated``: only what all agree on, or what an adjudicator decided;
* ``majority``: also what more than half of those who submitted or flagged it agree on;
* ``annotator``: the work of one person, whatever others say, adjudicators included.

A problem that is not settled has a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Literal

from draw_dataset.annotation.outcome.comparison import compare
from draw_dataset.annotation.store.agenda import Progress
from draw_dataset.annotation.store.decision import normal_name
from draw_dataset.annotation.store.records import ProblemEntry
from draw_dataset.annotation.store.store import Store
from draw_dataset.annotation.store.work import Work, fresh_work
from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import AnnotationError, ChoiceError, StoreError

Policy = Literal["adjudicated", "majority", "annotator"]
POLICIES: tuple[Policy, ...] = ("adjudicated", "majority", "annotator")


@dataclass(frozen=True, slots=True)
class Settled:
    """The final annotation of a problem.

    Attributes:
        entry: the problem.
        work: the work that counts; None if there is none.
        how: ``automatic``, ``annotator``, ``agreed``, ``majority`` or ``adjudicated``; if `work` is None, why:
            ``refused``, ``flagged``, ``not submitted``, ``too few annotators`` or ``disagreement``.
        annotators: whose work it is: all who agree, or the adjudicator.
    """

    entry: ProblemEntry
    work: Work | None
    how: str
    annotators: tuple[str, ...] = ()


def settle(store: Store, policy: Policy = "adjudicated", annotator: str | None = None, least: int = 1) -> list[Settled]:
    """Return what counts for each problem, in the order of their import.

    Args:
        store: the store.
        policy: one of `POLICIES`.
        annotator: whose work counts, for the policy ``annotator``.
        least: how many annotators must have submitted a problem that is not adjudicated.

    Raises:
        ChoiceError: there is no such policy.
        AnnotationError: the policy needs an annotator, or takes none, or the name is unknown.
    """
    if policy not in POLICIES:
        raise ChoiceError(f"expected a policy ({', '.join(POLICIES)}), but got {policy!r}")
    if (policy == "annotator") != (annotator is not None):
        raise AnnotationError("expected the name of an annotator with the policy 'annotator', and only with it")
    names = store.annotators()
    annotator = None if annotator is None else normal_name(annotator)
    if annotator is not None and annotator not in names:
        raise AnnotationError(f"Unknown annotator {annotator!r}: the store has {', '.join(names) or 'none yet'}")
    works = {id_: list(group) for id_, group in groupby(store.works(), key=lambda work: work.problem_id)}
    adjudicated: Mapping[ProblemId, Work] = {} if policy == "annotator" else store.adjudications()
    found = []
    for entry in store.problems():
        own = [w for w in works.get(entry.stored.id, []) if annotator is None or w.annotator == annotator]
        settled = _settle(entry, own, adjudicated.get(entry.stored.id), policy, least)
        if settled.how == "automatic" and settled.work is not None and not settled.work.is_complete:
            raise StoreError(
                f"{store.path}: problem {entry.stored.id}: the store says that nothing is left to decide, but "
                f"{settled.work.lacking()}; import it again"
            )
        found.append(settled)
    return found


def _settle(
    entry: ProblemEntry, works: Sequence[Work], adjudicated: Work | None, policy: Policy, least: int
) -> Settled:
    if adjudicated is not None:
        if adjudicated.flagged is not None:
            return Settled(entry, None, "flagged", (adjudicated.annotator,))
        return Settled(entry, adjudicated, "adjudicated", (adjudicated.annotator,))
    submitted = [work for work in works if work.submitted]
    flagged = [work for work in works if work.flagged is not None]
    if not submitted:
        if flagged:
            return Settled(entry, None, "flagged", tuple(work.annotator for work in flagged))
        if entry.status == "automatic" and all(work.status == "untouched" for work in works):
            return Settled(entry, fresh_work(entry.stored, ""), "automatic")
        return Settled(entry, None, "refused" if entry.status == "refused" else "not submitted")
    if policy == "annotator":
        return Settled(entry, submitted[0], "annotator", (submitted[0].annotator,))
    if len(submitted) < least:
        return Settled(entry, None, "too few annotators")
    largest = max(alike(submitted), key=len)
    names = tuple(work.annotator for work in largest)
    votes = len(submitted) + len(flagged)
    if len(largest) == votes:
        return Settled(entry, largest[0], "agreed" if votes > 1 else "annotator", names)
    if policy == "majority" and 2 * len(largest) > votes:
        return Settled(entry, largest[0], "majority", names)
    return Settled(entry, None, "disagreement")


def alike(works: Sequence[Work]) -> list[list[Work]]:
    """Return the submitted works of a problem, grouped by equal annotation."""
    groups: list[list[Work]] = []
    for work in works:
        for group in groups:
            if not compare(group[0], work).differing:
                group.append(work)
                break
        else:
            groups.append([work])
    return groups


def open_disagreements(store: Store) -> list[list[Work]]:
    """Return the submitted and flagged works of each problem that needs an adjudicator: they differ, none decided."""
    adjudicated = store.adjudications()
    found = []
    for id_, group in groupby(store.works(), key=lambda work: work.problem_id):
        works = [work for work in group if work.submitted or work.flagged is not None]
        submitted = [work for work in works if work.submitted]
        differ = len(submitted) < len(works) or len(alike(submitted)) > 1
        if submitted and differ and id_ not in adjudicated:
            found.append(works)
    return found


@dataclass(frozen=True, slots=True)
class Overview:
    """How far the annotation has come.

    Attributes:
        problems: how many problems are ``automatic``, ``open`` and ``refused``.
        annotators_per_problem: how many annotators each problem should have.
        settled: how many problems are settled, by how.
        unsettled: how many are not, by why.
        annotators: how far each annotator has come.
        refused: the message of each problem that cannot be annotated as it is, by id.
        flagged: who flagged each flagged problem and why, by id.
        disagreements: the ids of the problems that need an adjudicator.
    """

    problems: Mapping[str, int]
    annotators_per_problem: int
    settled: Mapping[str, int]
    unsettled: Mapping[str, int]
    annotators: Mapping[str, Progress]
    refused: Mapping[ProblemId, str]
    flagged: Mapping[ProblemId, Mapping[str, str]]
    disagreements: tuple[ProblemId, ...]

    def as_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def survey(store: Store) -> Overview:
    """Return how far the annotation of a store has come."""
    entries, works = store.problems(), store.works()
    statuses = Counter(entry.status for entry in entries)
    outcomes = settle(store)
    adjudicators = {work.annotator for work in store.works(role="adjudicator")} - {work.annotator for work in works}
    flagged: dict[ProblemId, dict[str, str]] = {}
    for work in works:
        if work.flagged is not None:
            flagged.setdefault(work.problem_id, {})[work.annotator] = work.flagged
    return Overview(
        problems={status: statuses[status] for status in ("automatic", "open", "refused")},
        annotators_per_problem=store.annotators_per_problem,
        settled=dict(Counter(outcome.how for outcome in outcomes if outcome.work is not None)),
        unsettled=dict(Counter(outcome.how for outcome in outcomes if outcome.work is None)),
        annotators={name: store.progress(name) for name in store.annotators() if name not in adjudicators},
        refused={entry.stored.id: entry.message or "" for entry in entries if entry.status == "refused"},
        flagged=flagged,
        disagreements=tuple(works[0].problem_id for works in open_disagreements(store)),
    )
