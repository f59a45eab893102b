"""Cleaning archives and grading answers on many processes or machines, on datatrove.

datatrove brings executors (local, Slurm, Ray), restart after a kill, statistics, writers and near-duplicates on disk.
Here are the steps that are ours: `pages` reads question pages of WARC files, `ranges` takes them from Common Crawl by
byte ranges, `captures` finds the newest capture of each page, `cleaning` judges pages, `duplicates` finds what is
repeated, `pool` writes the pool in order, `grading` counts predictions. `stages` puts them in their order, `running`
gives them to an executor, `local` is that of this machine, and `status` reads what an executor has left behind.

Needs the extra ``scale``. Nothing is imported here: whoever uses another part of the package does not wait for it.
"""

__all__ = [
    "captures",
    "cleaning",
    "duplicates",
    "folders",
    "grading",
    "local",
    "pages",
    "pool",
    "ranges",
    "running",
    "stages",
    "status",
]
