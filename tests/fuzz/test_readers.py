"""Files from outside, damaged at random: each is read, or refused with an error that its reader promises."""

import contextlib
import json
import shutil
import tempfile
import warnings
from pathlib import Path

import numpy as np
import yaml
from draws import RefusedError, problems
from mpi4py import MPI
from test_doctor import figures

import shardfft
from shardfft import DistArray, Layout
from shardfft._doctor import machine
from shardfft_bench import data, experiments, results
from shardfft_bench.errors import BenchError

EXPERIMENTS = [yaml.safe_load(path.read_text()) for path in experiments.available().values()]
FOLDER = Path(tempfile.mkdtemp())


def written(draw, tree, name, dump=json.dumps):
    """A file of the tree, changed, or of its text, damaged."""
    path = FOLDER / name
    path.write_bytes(draw.damaged(dump(tree)) if draw.one_in(2) else dump(draw.changed(tree)).encode())
    return path


def machine_files(draw):
    with refusing(OSError, ValueError):
        machine.read(written(draw, figures(), "machine.json"))


def saved_arrays(draw):
    folder = FOLDER / "array"
    shutil.rmtree(folder, ignore_errors=True)
    whole = draw.numbers((2, 3, 4), "d")
    array = DistArray.from_global(whole, MPI.COMM_SELF, components=draw.one_in(2))
    array.attrs.update(time=0.5, z=1j, a=np.arange(3))
    array.save(folder)
    if draw.one_in(4):
        path = folder / "rank000000.npy"
        path.write_bytes(draw.damaged(path.read_bytes()))
    else:
        written(draw, json.loads((folder / "manifest.json").read_text()), "array/manifest.json")
    with refusing(OSError, ValueError):
        DistArray.load(folder, MPI.COMM_SELF)


def experiment_files(draw):
    path = written(draw, draw.choice(EXPERIMENTS), "experiment.yaml", lambda tree: yaml.safe_dump(tree))
    with refusing(BenchError):
        experiments.points(experiments.load(str(path)))


def other_yaml(draw):
    path = written(draw, draw.choice(EXPERIMENTS), "other.yaml", lambda tree: yaml.safe_dump(tree))
    with refusing(BenchError):
        data.load_yaml(path)
        results.fault(data.load_yaml(path), "experiment")


def pickled_layouts(draw):
    layout = Layout.brick((4, 6, 5), 3, order=(2, 0, 1)) if draw.one_in(2) else Layout.cyclic((7, 5), 2)

    def plain(tree):
        return [plain(one) for one in tree] if isinstance(tree, tuple | list) else tree

    state = draw.changed(plain(layout._core.__getstate__()))
    with refusing(ValueError, TypeError, shardfft.Error):
        made = type(layout._core).__new__(type(layout._core))
        made.__setstate__(tuple(state) if isinstance(state, list) else state)


@contextlib.contextmanager
def refusing(*errors):
    """Errors that are promised count as refusals; they say something."""
    try:
        yield
    except errors as error:
        assert str(error), repr(error)
        raise RefusedError from error


READERS = [machine_files, saved_arrays, experiment_files, other_yaml, pickled_layouts]


def check(draw):
    reader = draw.choice(READERS)
    draw.text = reader.__name__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reader(draw)


def test_readers():
    assert problems("fuzz --readers", check) == 0
