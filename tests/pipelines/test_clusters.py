"""Ray, Slurm and Spark as docs/scale.md sets them up, each with processes on loopback that stand for two nodes."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("datatrove", reason="draw pipeline needs the extra scale")

from pipelines.test_examples import example, predictions

from draw_dataset.scoring.score import score

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pipelines")]

HERE = Path(sys.executable).parent
PATIENCE = 180  # seconds for a node to start on a busy machine


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def started(command: list[str], log: Path, ready: Callable[[], bool], **environment: str) -> Iterator[None]:
    """Run a program until the end of the block, from when it is ready."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **environment}, start_new_session=True
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while not ready():
            assert process.poll() in (None, 0), log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.3)
        yield
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def says(log: Path, words: str) -> Callable[[], bool]:
    return lambda: log.exists() and words in log.read_text(errors="replace")


def draw(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "draw_dataset.cli", *arguments], env={**os.environ, **environment}, check=False,
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip


@pytest.fixture
def answers(tmp_path: Path) -> tuple[list[str], dict[str, Any]]:
    """Four files of predictions as arguments, and the score of a plain loop."""
    given, rows = predictions(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "answers").mkdir()
    for number in range(4):
        (tmp_path / "answers" / f"{number}.jsonl").write_text("".join(lines[number::4]))
    arguments = ["pipeline", "grade", "--predictions", str(tmp_path / "answers"), "--references", "sample/test"]
    return [*arguments, "--out", str(tmp_path / "out"), "--quiet"], score(given, rows, data="sample/test").to_dict()


def same_score(out: Path, plain: dict[str, Any]) -> None:
    found = json.loads((out / "score.json").read_text())
    assert {name: found[name] for name in plain} == plain


def test_two_nodes_of_ray(answers: tuple[list[str], dict[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed; make test-scale installs it")
    arguments, plain = answers
    folder = Path("/tmp") / f"ray-{os.getpid()}"  # the paths of its sockets must be short
    head = f"127.0.0.2:{free_port()}"
    both = {"RAY_TMPDIR": str(folder), "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 2}
    size = ["--num-cpus=1", "--memory=1000000000", "--object-store-memory=100000000", "--disable-usage-stats"]
    ray = [str(HERE / "ray"), "start", "--block", *size]
    nodes = {
        "head": ["--head", "--node-ip-address=127.0.0.2", f"--port={head.partition(':')[2]}"],
        "worker": [f"--address={head}", "--node-ip-address=127.0.0.3"],
    }
    folder.mkdir()
    try:
        with ExitStack() as cluster:
            for name, own in nodes.items():
                own = [*own, "--include-dashboard=false"] if name == "head" else own
                log = tmp_path / f"{name}.log"
                cluster.enter_context(started([*ray, *own], log, says(log, "Ray runtime started"), **both))
            more = ["--executor", "ray", "--workers", "2", "--set"]
            refused = draw(*arguments, *more, "mem_per_cpu_gb=2", RAY_ADDRESS=head, **both)
            assert refused.returncode == 2
            assert "expected a node with 1 cores and 2.0 GB for a task" in refused.stderr.splitlines()[-1]
            done = draw(*arguments, *more, "mem_per_cpu_gb=0.5", RAY_ADDRESS=head, **both)
            assert done.returncode == 0, done.stderr
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    same_score(tmp_path / "out", plain)


def test_a_cluster_of_ray_that_is_not_there_is_told_in_one_line(
    answers: tuple[list[str], dict[str, Any]], tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="Ray is not installed; make test-scale installs it")
    arguments, _ = answers
    for address, words in {
        f"127.0.0.1:{free_port()}": "Connection refused",
        f"ray://127.0.0.1:{free_port()}": "Connection refused",
        "auto": "Could not find any running Ray instance",
    }.items():
        done = draw(*arguments, "--executor", "ray", RAY_ADDRESS=address, RAY_TMPDIR="/tmp/no-ray-here")
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert f"cannot connect to the Ray cluster at {address}: " in line
        assert words in line
    # The address that a killed head has left on this machine
    left = tmp_path / "ray" / "ray_current_cluster"
    left.parent.mkdir()
    left.write_text(f"127.0.0.1:{free_port()}")
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    command = [sys.executable, "-m", "draw_dataset.cli", *arguments, "--executor", "ray"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**environment, "RAY_TMPDIR": str(tmp_path)}
    )
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"if it has ended, remove {left}")


SLURM = """
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/spool-%n
StateSaveLocation={folder}/state
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={node1} CPUs=1 RealMemory=2000
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={node2} CPUs=1 RealMemory=2000
PartitionName=cpu Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A controller and two nodes of Slurm, with munge, of Debian's packages slurmctld, slurmd and munge."""
    if os.geteuid() != 0 or not all(shutil.which(name) for name in ("slurmctld", "slurmd", "sbatch", "munged")):
        pytest.skip("Slurm is not installed: apt-get install slurmctld slurmd slurm-client munge; it needs root")
    ports = {name: str(free_port()) for name in ("controller", "node1", "node2")}
    for name in ("state", "spool-node1", "spool-node2"):
        (tmp_path / name).mkdir()
    conf = tmp_path / "slurm.conf"
    conf.write_text(SLURM.format(host=socket.gethostname(), folder=tmp_path, **ports))
    environment = {"SLURM_CONF": str(conf), "PATH": f"{HERE}{os.pathsep}{os.environ['PATH']}"}
    with ExitStack() as cluster:
        if subprocess.run(["munge", "-n"], capture_output=True, check=False).returncode:
            for path in ("/run/munge", "/var/lib/munge", "/var/log/munge"):
                os.makedirs(path, exist_ok=True)
                shutil.chown(path, "munge", "munge")
            command = ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", "--foreground"]
            cluster.enter_context(started(command, tmp_path / "munge.log", Path("/run/munge/munge.socket.2").exists))
        nodes = [["slurmctld", "-D"], ["slurmd", "-D", "-N", "node1"], ["slurmd", "-D", "-N", "node2"]]
        for command in nodes:
            log = tmp_path / f"{command[-1]}.log"
            cluster.enter_context(started(command, log, lambda log=log: log.stat().st_size > 0, **environment))
        yield environment


def test_two_nodes_of_slurm(slurm: dict[str, str], answers: tuple[list[str], dict[str, Any]], tmp_path: Path) -> None:
    arguments, plain = answers
    more = ["--executor", "slurm", "--workers", "2", "--set", "time=0:10:00", "--set", "mem_per_cpu_gb=1", "--set"]
    refused = draw(*arguments, *more, "partition=nothing", **slurm)
    assert refused.returncode == 2
    assert "cannot submit to Slurm" in refused.stderr.splitlines()[-1]
    submitted = draw(*arguments, *more, "partition=cpu", **slurm)
    assert submitted.returncode == 0, submitted.stderr
    assert "Submitted. Show the progress with: draw pipeline status" in submitted.stdout
    deadline = time.monotonic() + PATIENCE
    while draw("pipeline", "status", str(tmp_path / "out")).returncode == 1:
        assert time.monotonic() < deadline
        time.sleep(1)
    same_score(tmp_path / "out", plain)
    logs = (tmp_path / "out" / "logs" / "grade" / "slurm_logs").glob("*.out")
    assert sum("Processing done" in path.read_text() for path in logs) == 4


def test_two_workers_of_spark(tmp_path: Path) -> None:
    pyspark = pytest.importorskip("pyspark", reason="Spark is not installed; make test-scale installs it")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs a Java runtime, and there is none")
    given, rows = predictions(tmp_path / "predictions.jsonl")
    program = tmp_path / "grade.py"
    program.write_text(example("Spark") + "\nprint('SCORE', json.dumps(result.to_dict()))\n")
    spark = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port = free_port()
    both = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "SPARK_WORKER_DIR": str(tmp_path / "work")}
    master = ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
    worker = ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g"]
    logs = [tmp_path / f"{name}.log" for name in ("master", "worker1", "worker2")]
    with ExitStack() as cluster:
        cluster.enter_context(started([spark, *master], logs[0], says(logs[0], "New state: ALIVE"), **both))
        for log in logs[1:]:
            command = [spark, *worker, "--webui-port", "0", f"spark://127.0.0.1:{port}"]
            cluster.enter_context(started(command, log, says(log, "Successfully registered with master"), **both))
        done = subprocess.run(
            [sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600,
            env={**os.environ, **both, "SPARK_MASTER": f"spark://127.0.0.1:{port}"},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.partition("SCORE ")[2])
    assert told == score(given, rows, data="sample/test").to_dict()
    assert all("Asked to launch executor" in log.read_text() for log in logs[1:])


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A bucket of moto's server, which speaks S3, on loopback."""
    pytest.importorskip("moto", reason="moto is not installed; make test-scale installs it")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed; make test-scale installs it")
    url = f"http://127.0.0.1:{free_port()}"
    named = {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
    for name, value in {**named, "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)
    command = [str(HERE / "moto_server"), "-H", "127.0.0.1", "-p", url.rpartition(":")[2]]
    log = tmp_path / "moto.log"
    with started(command, log, says(log, "Running on")):
        filesystem = s3fs.S3FileSystem(skip_instance_cache=True)
        filesystem.mkdir("answers")
        yield "s3://answers"


def test_parquet_from_and_to_an_object_store(
    bucket: str, answers: tuple[list[str], dict[str, Any]], tmp_path: Path
) -> None:
    import fsspec
    import pyarrow as pa
    import pyarrow.parquet as pq

    _, plain = answers
    for path in sorted((tmp_path / "answers").iterdir()):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        with fsspec.open(f"{bucket}/in/{path.stem}.parquet", "wb") as file:
            pq.write_table(pa.Table.from_pylist(rows), file)
    given = ["--predictions", f"{bucket}/in/*.parquet", "--references", "sample/test", "--out", f"{bucket}/out"]
    done = draw("pipeline", "grade", *given, "--verdicts", "--workers", "2", "--quiet")
    assert done.returncode == 0, done.stderr
    with fsspec.open(f"{bucket}/out/score.json") as file:
        found = json.loads(file.read())
    assert {name: found[name] for name in plain} == plain
    filesystem, folder = fsspec.core.url_to_fs(f"{bucket}/out/verdicts")
    verdicts = pq.read_table(folder, filesystem=filesystem).to_pylist()
    assert len(verdicts) == 90
    assert sum(verdict["derivation"] for verdict in verdicts) == round(90 * plain["derivation_accuracy"])
    missing = draw("pipeline", "grade", *given[:-1], "s3://answers/other", AWS_ENDPOINT_URL="http://127.0.0.1:9")
    assert missing.returncode == 2
    (line,) = missing.stderr.splitlines()
    assert "cannot open s3://answers/in/*.parquet: Could not connect" in line
