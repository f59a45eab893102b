"""The stages of a run in their order: each starts when all tasks of the one before are complete.

captures    list the whole pages of every archive         (not with an index, which lists them)
newest      which captures are older than another
clean       judge each page by itself; signatures of what stays
release-*   the released datasets as an index
buckets, clusters   candidates for repetition
candidates, decide  compare them exactly
pool        write what stays, by task
collect     one file in order, and the funnel
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from datatrove.pipeline.dedup.minhash import MinhashBuildIndex, MinhashDedupBuckets, MinhashDedupCluster

from draw_dataset.pipelines.captures import FindSuperseded, ListCaptures
from draw_dataset.pipelines.cleaning import JudgeAlone, RecordWriter
from draw_dataset.pipelines.duplicates import (
    BUCKETS,
    CONFIG,
    ApplyDecisions,
    DecideCandidates,
    ListCandidates,
    ReleaseTexts,
    TextSignatures,
)
from draw_dataset.pipelines.grading import GradeFiles, GradingPlan, MergeTallies
from draw_dataset.pipelines.pages import WarcPages
from draw_dataset.pipelines.pool import CollectPool, ParquetPool
from draw_dataset.pipelines.ranges import RangePages
from draw_dataset.release import load_problems

_MOST_PARTS = 32
"""Parts that keys and clusters are spread over: enough to keep each small, few enough not to drown in files."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage.

    Attributes:
        name: its name.
        tasks: how many tasks run its steps.
        steps: its steps.
        always: whether its tasks run again if they are complete, because what they do is not in their files alone.
    """

    name: str
    tasks: int
    steps: list[Any]
    always: bool = False


@dataclass(frozen=True, slots=True)
class CleaningPlan:
    """What is cleaned, and how.

    Attributes:
        out: the folder of the run, as fsspec has it.
        urls: the WARC files; nothing with an index.
        tasks: how many tasks read pages.
        site: the site whose pages are taken.
        max_size: the bound of a page in bytes.
        ranges: the file of byte ranges that `draw_dataset.pipelines.ranges` has made of an index; empty without.
        base: where the files of the index are.
        release: the folder with the files of the release; None compares with nothing.
        restore: the numbers of questions that no filter may drop.
        parquet: whether to write Parquet as well.
    """

    out: str
    urls: list[str]
    tasks: int
    site: str
    max_size: int
    ranges: str = ""
    base: str = ""
    release: str | None = None
    restore: frozenset[int] = field(default_factory=frozenset)
    parquet: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return what was asked for as plain data, to know the run again."""
        return {**asdict(self), "restore": sorted(self.restore)}


def cleaning_stages(plan: CleaningPlan) -> list[Stage]:
    """Return the stages of a cleaning."""
    out, tasks = plan.out.rstrip("/"), plan.tasks
    parts = min(tasks, _MOST_PARTS)
    state = f"{out}/state"
    reader: Any
    stages = []
    if plan.ranges:
        reader = RangePages(plan.ranges, plan.base, plan.site, plan.max_size)
    else:
        reader = WarcPages(plan.urls, plan.site, plan.max_size, f"{state}/superseded")
        every = WarcPages(plan.urls, plan.site, plan.max_size)
        stages = [
            Stage("captures", tasks, [every, ListCaptures(f"{state}/captures", parts)]),
            Stage("newest", parts, [FindSuperseded(f"{state}/captures", f"{state}/superseded")]),
        ]
    judge = JudgeAlone(RecordWriter(f"{out}/dropped", "${rank}.alone.jsonl"), _known(plan.release), plan.restore)
    kept, signatures = f"{state}/kept", f"{state}/signatures"
    stages.append(
        Stage("clean", tasks, [reader, judge, RecordWriter(kept, "${rank}.jsonl"), TextSignatures(signatures)])
    )
    index = None
    if plan.release:
        index = f"{state}/release-index"
        texts = [ReleaseTexts(plan.release), TextSignatures(f"{state}/release-signatures")]
        build = MinhashBuildIndex(f"{state}/release-signatures", index, "release", CONFIG)
        stages += [Stage("release-signatures", 1, texts), Stage("release-index", BUCKETS, [build])]
    pairs, clusters = f"{state}/pairs", f"{state}/clusters"
    buckets = MinhashDedupBuckets(signatures, pairs, index, CONFIG, only_dedup_in_index=False, lines_to_buffer=1000)
    cluster = MinhashDedupCluster(pairs, clusters, CONFIG, save_cluster_id=True, lines_to_buffer=1000)
    candidates, decisions = f"{state}/candidates", f"{state}/decisions"
    writers: list[Any] = [RecordWriter(f"{out}/problems", "${rank}.jsonl")]
    if plan.parquet:
        writers.append(ParquetPool(f"{out}/parquet"))
    apply = ApplyDecisions(kept, decisions, RecordWriter(f"{out}/dropped", "${rank}.repeated.jsonl"))
    notes = [] if plan.release else ["not compared with Draw-1k and Alg-514: that needs the release (--release)"]
    return [
        *stages,
        Stage("buckets", BUCKETS, [buckets]),
        Stage("clusters", 1, [cluster]),
        Stage("candidates", tasks, [ListCandidates(kept, clusters, candidates, parts)]),
        Stage("decide", parts, [DecideCandidates(candidates, decisions, plan.release, plan.restore)]),
        Stage("pool", tasks, [apply, *writers]),
        Stage("collect", 1, [CollectPool(out, notes)]),
    ]


def _known(release: str | None) -> Sequence[int]:
    """Return the numbers that Draw-1k has; they are those of the site."""
    if not release:
        return ()
    return [p.id for problems in load_problems("draw1k", release).values() for p in problems if isinstance(p.id, int)]


def grading_stages(plan: GradingPlan) -> list[Stage]:
    """Return the stages of a grading."""
    # What is done about rows without a prediction may change after all is graded.
    return [Stage("grade", plan.tasks, [GradeFiles(plan)]), Stage("merge", 1, [MergeTallies(plan)], always=True)]
