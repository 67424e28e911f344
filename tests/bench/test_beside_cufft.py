"""bench/kernels/beside_cufft.py with a fake CuPy: the order of its work on the stream, and a problem that fails."""

import importlib
import json
import sys
import types

import pytest
from conftest import ROOT


class Stream:
    ptr = 1

    def __init__(self, **_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def script(monkeypatch):
    """The script, and the list of what it enqueues."""
    enqueued = []

    class Event:
        def record(self, _):
            enqueued.append(("event", int(module.GO[0])))

        def synchronize(self):
            enqueued.append(("wait", int(module.GO[0])))

    class Kernel:
        def __init__(self, *_):
            pass

        def __call__(self, *_):
            enqueued.append(("hold", int(module.GO[0])))

    class Pinned(bytearray):
        ptr = 1

    cuda = types.SimpleNamespace(
        Stream=Stream, Event=Event, alloc_pinned_memory=Pinned, get_elapsed_time=lambda *_: 6.0
    )
    pool = types.SimpleNamespace(free_all_blocks=lambda: None)
    cupy = types.SimpleNamespace(cuda=cuda, RawKernel=Kernel, ndarray=None, get_default_memory_pool=lambda: pool)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "shardfft", types.SimpleNamespace(Operator=None))
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "kernels"))
    monkeypatch.delitem(sys.modules, "beside_cufft", raising=False)
    module = importlib.import_module("beside_cufft")
    yield module, enqueued
    sys.modules.pop("beside_cufft", None)


def test_the_stream_is_held_until_all_calls_are_enqueued(script):
    module, enqueued = script
    assert module.timed(lambda: enqueued.append(("call", int(module.GO[0]))), 3) == 2
    assert enqueued == [("hold", 0), ("event", 0), *[("call", 0)] * 3, ("event", 0), ("wait", 1)]


def test_a_problem_that_fails_has_a_row(script, monkeypatch, capsys):
    module, _ = script

    def beside(_, problem, effort):
        assert effort == "measure"
        if problem[2] == problems[1][2]:
            raise RuntimeError("cufftMakePlanMany64")
        return {"ratio": 1, "report": []}

    problems = list(module.drawn(1, 3))
    monkeypatch.setattr(module, "loaded_cufft", lambda: None)
    monkeypatch.setattr(module, "beside", beside)
    monkeypatch.setattr(sys, "argv", ["beside_cufft.py", "pairs", "1", "3"])
    module.main()
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row.get("ratio") for row in rows] == [1, None, 1]
    assert "cufftMakePlanMany64" in rows[1]["failed"]
    assert rows[1]["shape"] == problems[1][2]


def test_a_miss_says_what_each_direction_takes(script, monkeypatch):
    module, _ = script
    counts = iter([3, 1, 2, 900])

    class Captured(Stream):
        def begin_capture(self):
            pass

        def end_capture(self):
            count = next(counts)
            if count == 900:
                raise RuntimeError("capture")
            return types.SimpleNamespace(graph=count)

        def synchronize(self):
            pass

    def get_nodes(graph, nodes, count):
        count._obj.value = graph.value
        return 0

    monkeypatch.setattr(module, "STREAM", Captured())
    monkeypatch.setattr(module.ctypes, "CDLL", lambda _: types.SimpleNamespace(cuGraphGetNodes=get_nodes))
    row = module.apart({"ours": (lambda: None,) * 2, "cufft": (lambda: None,) * 2})
    assert row["forward"] == {"ours": 0.4, "cufft": 0.4, "nodes_ours": 3, "nodes_cufft": 1}
    assert row["backward"]["nodes_ours"] == 2
    assert "capture" in row["backward"]["nodes_cufft"]
    about = {"kind": "c2c", "precision": "float32", "shape": [8], "axes": [0], "ratio": 0.5}
    text = module.missed(row | about | {"report": ["fft by cufft, scale", "memory"]})
    assert text.splitlines()[1:] == [
        "  forward: ours 0.4 ms in 3 nodes, cufft 0.4 ms in 1 nodes",
        f"  backward: ours 0.4 ms in 2 nodes, cufft 0.4 ms in {row['backward']['nodes_cufft']} nodes",
        "  fft by cufft, scale",
    ]
