"""The probe of line kernels: the figures that it reads in the compiler's words, and the kernel that it writes."""

import importlib.util

from conftest import ROOT

SCRIPT = ROOT / "bench" / "kernels" / "registers.py"
spec = importlib.util.spec_from_file_location("registers", SCRIPT)
registers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(registers)

WORDS = """ptxas info    : Function properties for forward
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 94 registers, used 1 barriers, 16 bytes cumulative stack size, 16 bytes smem"""


def test_what_the_compiler_told():
    assert registers.told(WORDS) == {
        "registers": 94,
        "stack": 16,
        "spill_stores": 8,
        "spill_loads": 4,
        "shared_bytes": 16,
    }


def test_kernels_are_those_of_the_library():
    recipe = {"n": 980, "type": "C2C", "radices": [5, 14, 14], "threads": 560, "width": 8, "resident": 1}
    for odd, multiplies in ((False, False), (True, False), (False, True)):
        text = registers.source({**recipe, "odd": odd, "multiplies": multiplies})
        assert "CutOf<980, 70, 5, 14, 14>" in text and "__launch_bounds__(560, 1)" in text
        skills = f"{odd}, Checks::none, {multiplies}".replace("True", "true").replace("False", "false")
        assert f"run_pass<Recipe, Twin, 8, false, {skills}>(pass)" in text


def test_what_is_wrong_with_kernels():
    recipe = {"n": 980, "threads": 512, "resident": 2, "stack_bytes": 0}
    good = {"registers": 64, "spill_stores": 0, "spill_loads": 0, "shared_bytes": 113 << 10}
    assert registers.complaints(recipe, good) == []
    for name, value, words in (
        ("registers", 65, "too many registers"),
        ("spill_loads", registers.SPILLED_BYTES + 1, "spills"),
        ("shared_bytes", (113 << 10) + 1, "too much shared memory"),
    ):
        assert registers.complaints(recipe, {**good, name: value}) == [words]
    most = registers.SPILLED_BYTES
    assert registers.complaints({**recipe, "stack_bytes": most}, good) == []
    assert registers.complaints({**recipe, "stack_bytes": most + 1}, good) == ["spills in a plan"]
    most = registers.MULTIPLYING_SPILLED_BYTES
    for spilled, words in ((most, []), (most + 1, ["spills"])):
        found = {**good, "spill_loads": spilled}
        assert registers.complaints({**recipe, "multiplies": True}, found) == words
    plane = {**recipe, "m": 490}
    spilled = registers.PLANE_SPILLED_BYTES
    assert registers.complaints(plane, {**good, "spill_loads": spilled}) == []
    assert registers.complaints(plane, {**good, "spill_loads": spilled, "spill_stores": 1}) == ["spills"]


def test_kernels_of_planes_are_those_of_the_library():
    recipe = {"n": 600, "m": 640, "type": "R2C", "radices": [5, 10, 12], "team": 60, "row_radices": [8, 8, 10],
              "row_team": 80, "lines": 8, "width": 4, "groups": 2, "threads": 704, "resident": 1}  # fmt: skip
    text = registers.source(recipe)
    assert "PlaneOf<CutOf<640, 80, 8, 8, 10>, CutOf<600, 60, 5, 10, 12>, 8, 4, 2>" in text
    assert "run_planes<Recipe, Twin, false, true>(pass)" in text and "__launch_bounds__(704, 1)" in text
