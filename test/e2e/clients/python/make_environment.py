"""Makes a virtual environment in FOLDER with what the .txt files beside this program name, unless it is there: make_environment.py FOLDER.

Several callers may want it at the same time: one makes it, the others wait. A lock of the kernel ends with its process, so that one that
was killed half way is made anew by the next.
"""

import fcntl
import pathlib
import shutil
import subprocess
import sys
import venv

HERE = pathlib.Path(__file__).parent


def make(folder: pathlib.Path) -> None:
    complete = folder / "complete"
    if complete.exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--requirement", HERE / "requirements.txt"], check=True)
    older = ["--no-deps", "--target", folder / "older-client", "--requirement", HERE / "older-client.txt"]
    subprocess.run([*install, *older], check=True)
    complete.touch()


def main(folder: pathlib.Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(folder)


main(pathlib.Path(sys.argv[1]))
