"""bench/scaling/local_errors.py: what a sweep printed becomes a record and a picture."""

import importlib.util
import json

import pytest
from conftest import ROOT

spec = importlib.util.spec_from_file_location("local_errors", ROOT / "bench" / "scaling" / "local_errors.py")
local_errors = importlib.util.module_from_spec(spec)
spec.loader.exec_module(local_errors)


def test_a_record_has_every_length_and_a_picture_is_drawn(tmp_path, capsys):
    raw, more, record, picture = (tmp_path / name for name in ("raw.txt", "more.txt", "errors.jsonl", "errors.png"))
    raw.write_text("".join(f"{n} c2c double {n / 1000} lanes of 64 bytes\n" for n in range(2, 4096)))
    more.write_text("4096 c2c double 142.456 lanes of 64 bytes\n9 c2c double 1.26 lanes of 64 bytes\n"
                    "64576 c2c double 1.5 lanes of 64 bytes\n")  # fmt: skip
    with pytest.raises(SystemExit, match="1 lengths have no error, the first one is 4096"):
        local_errors.main(["record", str(raw)])
    local_errors.main(["record", str(raw), str(more)])
    assert "errors" not in capsys.readouterr().out
    local_errors.main(["record", str(raw), str(more), "--whole", "lanes of 64 bytes"])
    record.write_text(capsys.readouterr().out)
    [line] = map(json.loads, record.read_text().splitlines())
    assert (line["library"], line["of"], line["larger"]) == ("lanes of 64 bytes", "c2c double", {"64576": 1.5})
    assert [line[one] for one in ("median", "worst", "at", "above")] == [2.05, 142.46, 4096, 96]
    assert len(line["errors"]) == 4095
    assert [line["errors"][n - 2] for n in (2, 9, 1000, 4096)] == [0.0, 1.2, 1.0, 142.5]
    local_errors.main(["picture", str(record), str(picture)])
    assert picture.read_bytes().startswith(b"\x89PNG")
