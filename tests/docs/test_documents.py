"""Every command and every code block that the documents show is run at a tiny size, or says why not."""

from __future__ import annotations

import re
import sys

import pytest
import yaml
from blocks import ROOT, all_blocks, commands_of, inline_commands
from commands import INLINE, answer
from frames import PROJECT, program
from place import BUILD, INSTALL, VENV

BLOCKS = all_blocks()
RANKS = {"README.md": 4}  # that a document's blocks are written for; 2 elsewhere
DRAWINGS = {"", "text", "mermaid"}  # blocks that are no code


def blocks(*languages: str):
    """The blocks in these languages as parameters; those marked as not run are skipped with their reason."""
    found = []
    for block in BLOCKS:
        if block.language in languages:
            marks = [pytest.mark.skip(reason=f"{block.where}: {block.not_run}")] if block.not_run else []
            found.append(pytest.param(block, id=block.where, marks=marks))
    return found


def test_every_block_is_in_a_language_that_is_run():
    known = {"sh", "bash", "cpp", "python", "yaml", "c", "fortran", "cmake", *DRAWINGS}  # the last three: test_linking
    unknown = [block.where for block in BLOCKS if block.language not in known]
    assert not unknown, f"blocks in a language of which this test knows nothing: {unknown}"


def test_every_command_is_known():
    """Also without a build: a new command must be given a tiny form."""
    for block in BLOCKS:
        if block.language in ("sh", "bash") and not block.not_run:
            for command in commands_of(block):
                answer(command, "")


@pytest.mark.parametrize("block", blocks("sh", "bash"))
def test_shell(block, place):
    for command in commands_of(block):
        how = answer(command, f"-DCMAKE_PREFIX_PATH={INSTALL} -DMKL_ROOT={VENV}", str(BUILD / "rivals"))
        if how.run:
            place.run(["bash", "-c", f"set -euo pipefail; {how.run}"], at_root=how.run.startswith("./run"))
        else:
            print(f"{block.where}: {command}: not run: {how.reason}")


def names(text: str, pattern: str) -> list[str]:
    return re.findall(pattern, text, re.MULTILINE)


def test_commands_in_the_text(capsys):
    """They are not run: claims, experiments and commands must exist, and the rest is listed."""
    sys.path.insert(0, str(ROOT / "bench" / "harness"))
    from shardfft_bench import experiments

    claims = {path.stem.replace("_", "-") for path in ROOT.glob("claims/*.*")}
    tools = set(names((ROOT / "run").read_text(), r"^  ([a-z]+)(?: |$)"))
    for where, command in inline_commands():
        words = command.split()
        if words[:2] == ["./run", "claim"]:
            assert words[2] in claims | {"NAME", "list"}, f"{where}: there is no claim as in '{command}'"
        elif words[0] == "./run" and words[1] in tools:
            pass
        elif words[:3] == ["shardfft-bench", "bench", "run"]:
            known = experiments.available()
            name = words[3]
            assert name in known or (ROOT / name).is_file() or name.isupper(), (
                f"{where}: no experiment as in '{command}'"
            )
        elif words[0] == "shardfft-bench":
            assert words[1] in ("libraries", "report", "table", "pack", "compare", "paper-gpu", "study", "bench"), (
                f"{where}: {command}"
            )
        else:
            known = any(re.fullmatch(pattern, command) for pattern in INLINE)
            assert known, f"{where}: '{command}' is not in INLINE of tests/docs/commands.py"


def cpp_blocks():
    return [block for block in BLOCKS if block.language == "cpp"]


def name_of(block) -> str:
    return re.sub(r"\W", "_", block.where)


@pytest.fixture(scope="session")
def programs(place):
    """All C++ blocks compiled, also those that are not run."""
    folder = place.folder / "cpp"
    folder.mkdir()
    for block in cpp_blocks():
        (folder / f"{name_of(block)}.cpp").write_text(program(block.text))
    (folder / "CMakeLists.txt").write_text(PROJECT.format(names=" ".join(map(name_of, cpp_blocks()))))
    place.run(
        ["cmake", "-S", "cpp", "-B", "cpp/made", "-Wno-dev", f"-DCMAKE_PREFIX_PATH={INSTALL}", f"-DMKL_ROOT={VENV}"]
    )
    place.run(["cmake", "--build", "cpp/made", "-j", "2"])
    return folder / "made"


def test_every_cpp_block_compiles(programs):
    assert all((programs / name_of(block)).is_file() for block in cpp_blocks())


@pytest.mark.parametrize("block", blocks("cpp"))
def test_cpp(block, place, programs):
    ranks = RANKS.get(block.where.split(":")[0], 2)
    place.run(["mpirun", "-n", str(ranks), str(programs / name_of(block))])


@pytest.mark.parametrize("block", blocks("python"))
def test_python(block, place):
    file = place.folder / f"{name_of(block)}.py"
    file.write_text(block.text)
    place.run(["mpirun", "-n", "2", "python", "-m", "mpi4py", str(file)])


@pytest.mark.parametrize("block", blocks("yaml"))
def test_experiments(block, tmp_path):
    sys.path.insert(0, str(ROOT / "bench" / "harness"))
    from shardfft_bench import experiments

    content = yaml.safe_load(block.text)
    file = tmp_path / "shown.yaml"
    file.write_text(yaml.safe_dump({"sizes": [8], "libraries": ["shardfft"], **content}))
    assert experiments.runs(experiments.load(str(file)))
