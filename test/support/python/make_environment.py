"""Makes a virtual environment in FOLDER, unless it is there: make_environment.py FOLDER REQUIREMENTS [NAME=REQUIREMENTS ...].

NAME is a folder inside of it that gets packages for PYTHONPATH, without their dependencies.

Several callers may want it at the same time: one makes it, the others wait. A lock of the kernel ends with its process, so that one that
was killed half way is made anew by the next.
"""

import fcntl
import pathlib
import shutil
import subprocess
import sys
import venv


def make(folder: pathlib.Path, requirements: str, targets: list[str]) -> None:
    complete = folder / "complete"
    if complete.exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    install = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--requirement", requirements], check=True)
    for name, listed in (target.split("=", 1) for target in targets):
        subprocess.run([*install, "--no-deps", "--target", folder / name, "--requirement", listed], check=True)
    complete.touch()


def main(folder: pathlib.Path, requirements: str, targets: list[str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(folder, requirements, targets)


main(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
