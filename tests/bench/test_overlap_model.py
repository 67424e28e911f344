"""The overlap model of Cannon's products on times made up here, and its driver if it is built."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT, built_drivers
from test_drivers import run_case

sys.path.insert(0, str(ROOT / "claims"))
import overlap_model


def record(block, rounds, messages, updates, together):
    cannon = {"block": block, "rounds": rounds, "messages_seconds": [messages] * 3, "updates_seconds": [updates] * 3}
    return {"status": "ok", "samples": [together] * 3, "cannon": cannon}


def test_shares():
    (one,) = overlap_model.parts_of([record(8, 4, messages=3.0, updates=4.0, together=5.5)])
    assert (one.event, one.update) == (1.0, 1.0)
    # 1.5 of the 3 s of messages are hidden; three of the four updates have messages beside them.
    assert one.shares() == (0.5, 1.0)
    (costly,) = overlap_model.parts_of([record(8, 4, messages=3.0, updates=0.4, together=4.0)])
    assert costly.shares() == (pytest.approx(-0.2), pytest.approx(0.1))


def test_rounds_are_pooled_and_bad_records_left_out():
    records = [record(8, 2, 1.0, 1.0, 1.0), record(8, 2, 3.0, 1.0, 1.0), {"status": "wrong"}, record(4, 2, 1, 1, 1)]
    parts = overlap_model.parts_of(records)
    assert [one.block for one in parts] == [4, 8] and parts[1].messages == 2.0


def test_the_curves_cross_where_they_were_made_to():
    blocks = [8, 16, 24, 32, 40]
    event = overlap_model.fit(blocks, [1e-9 * 20 * b**3 for b in blocks], 3)
    update = overlap_model.fit(blocks, [1e-9 * b**4 for b in blocks], 4)
    ((where, longer),) = overlap_model.crossings(event, update, 8, 40)
    assert where == pytest.approx(20, abs=0.1) and longer == "update"


def test_the_driver_measures_the_parts_of_right_products(real_drivers, tmp_path):
    driver = built_drivers(real_drivers).get("cannon-parts")
    if not driver:
        pytest.skip("cannon-parts is not built")
    for ranks, mesh in ((2, [2, 1, 1]), (4, [1, 2, 2])):
        case = {"shape": [6 * p for p in mesh], "options": {"mesh": mesh}, "repeats": 3}
        made = run_case(driver, case, ranks, tmp_path)
        assert made["status"] == "ok" and made["error"]["after_timing"]["max"] < 1e-13
        cannon = made["cannon"]
        assert (cannon["rounds"], cannon["axis"], cannon["block"]) == (2, mesh.index(2), 6)
        assert [len(made["samples"]), len(cannon["messages_seconds"]), len(cannon["updates_seconds"])] == [3, 3, 3]


@pytest.mark.parametrize(
    "shape, mesh, said",
    [([8, 8, 8], [2, 1, 1], "must be a cube for every rank"), ([8, 4, 4], [2, 2, 1], "whose product is 2")],
)
def test_bad_meshes_are_named(real_drivers, tmp_path, shape, mesh, said):
    driver = built_drivers(real_drivers).get("cannon-parts")
    if not driver:
        pytest.skip("cannon-parts is not built")
    case = json.dumps({"shape": shape, "options": {"mesh": mesh}})
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        ["mpirun", "--oversubscribe", "-n", "2", driver, case],
        capture_output=True, text=True, check=False, timeout=120, env={**os.environ, **root},
    )  # fmt: skip
    assert done.returncode != 0 and said in done.stderr
