"""The picture of the overlap: its hidden share, and that it draws."""

import importlib.util
import json
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPT = ROOT / "bench" / "kernels" / "overlap.py"
spec = importlib.util.spec_from_file_location("overlap", SCRIPT)
overlap = importlib.util.module_from_spec(spec)
spec.loader.exec_module(overlap)

# GPU 0: half of a transfer beside y lines; GPU 1: nothing beside its transfer, for GPU 0's transforms do not count.
TRACE = [
    ["y lines", 0, 0, 0.0, 2.0],
    ["send", 0, 1, 1.0, 3.0],
    ["send", 1, 1, 0.5, 2.5],
    ["x lines", 1, 0, 2.5, 4.0],
]


def test_share_of_hidden_transfers():
    assert overlap.hidden_share(TRACE) == pytest.approx(1 / 4)
    assert overlap.hidden_share(TRACE[:1]) == 0


def test_rows_are_sorted_by_gpu_and_kind():
    names = [name for name, _ in overlap.rows(TRACE)]
    assert names == ["GPU 0 transforms", "GPU 0 links", "GPU 1 transforms", "GPU 1 links"]


def test_script_draws_the_record_that_was_asked_for(tmp_path):
    pytest.importorskip("matplotlib")
    file, picture = tmp_path / "records.jsonl", tmp_path / "overlap.png"
    records = [
        {"driver": "slab_pair", "pair_ms": 1},
        {"shape": [8, 8, 8], "type": "C2C", "gpus": 2, "trace": TRACE[:2]},
        {"shape": [8, 8, 8], "type": "Z2Z", "gpus": 2, "trace": TRACE},
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in records))
    done = subprocess.run(
        [sys.executable, SCRIPT, file, picture, "--type", "Z2Z"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "0.250 of the transfers hidden" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    missing = subprocess.run([sys.executable, SCRIPT, file, picture, "--type", "D2Z"], capture_output=True, check=False)
    assert missing.returncode == 2
