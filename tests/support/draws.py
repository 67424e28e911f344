"""Problems drawn at random, each told by a seed and a number, so that one line repeats it; as random_problems.hpp."""

import contextlib
import copy
import faulthandler
import os
import random
import threading
import time
import traceback

import numpy as np

SECONDS, STUCK = int(os.environ.get("SHARDFFT_RANDOM_SECONDS", 2)), 100
LARGEST = {1: 300, 2: 40, 3: 14, 4: 7, 5: 5}  # extents by the number of axes


class RefusedError(Exception):
    """The problem cannot be, and the library said why."""


class Draw(random.Random):
    """The same numbers on every rank; ``text`` tells the problem."""

    def __init__(self, seed, number):
        super().__init__(f"{seed} {number}")
        self.values = np.random.default_rng([seed, number])
        self.text = ""

    def one_in(self, n):
        return self.randrange(n) == 0

    def shape(self, most=4, least=1):
        axes = self.randint(least, most)
        return tuple(self.randint(1, 4 if self.one_in(4) else LARGEST[axes]) for _ in range(axes))

    def some(self, things, least=1):
        """Some of them, in any order."""
        return self.sample(things, self.randint(least, len(things)))

    def grid(self, ranks, axes):
        """Any product of ``axes`` factors that is ``ranks``."""
        grid = [1] * axes
        for factor in (f for f in (2, 3, 5, 7, 11) for _ in range(8)):
            if ranks % factor == 0:
                grid[self.randrange(axes)] *= factor
                ranks //= factor
        return grid

    def numbers(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind in "biu":
            return self.values.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
        x = self.values.standard_normal(shape)
        return (x + 1j * self.values.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype)

    def changed(self, tree):
        """A tree of lists and dictionaries with one thing in it changed, or a few."""
        others = [None, True, 0, -1, 2**70, 0.5, float("nan"), "", "x" * 300, "1", [], {}, [[]], {"a": 1}, [2**63]]
        if self.one_in(4) or not isinstance(tree, dict | list) or not tree:
            return self.choice([*others, [tree], {"of": tree}])
        keys = list(tree) if isinstance(tree, dict) else range(len(tree))
        key, made = self.choice(keys), copy.copy(tree)
        kind = self.randrange(5)
        if kind == 0:
            del made[key]
        elif kind == 1 and isinstance(made, list):
            made.append(made[key])
        elif kind == 1:
            made[str(self.randrange(99))] = made[key]
        else:
            made[key] = self.changed(made[key])
        return self.changed(made) if self.one_in(4) else made

    def damaged(self, text):
        """The bytes with some of them taken away, exchanged, doubled or changed."""
        data = bytearray(text if isinstance(text, bytes) else text.encode())
        for _ in range(self.randint(1, 4)):
            at, length = self.randint(0, len(data)), self.choice([1, 1, 2, 8, 40])
            piece = bytes(self.choice(b"\0\n\t{}[]:,=;-.0129eE\"' \xff\xc3az&*!") for _ in range(length))
            data[at : at + self.choice([0, 1, length])] = self.choice([b"", piece, data[at : at + length] * 2])
        return bytes(data)


def near(got, exact, text="", scale=0):
    """Compare arrays within the rounding of numbers of their norm, or as large as ``scale``."""
    got, exact = np.asarray(got), np.asarray(exact)
    assert got.shape == exact.shape and got.dtype == exact.dtype, (text, got.shape, got.dtype, exact.shape, exact.dtype)
    if exact.dtype.kind in "biu":
        assert np.array_equal(got, exact), (text, got, exact)
        return
    unlike = ~(np.isfinite(got) & np.isfinite(exact))
    assert np.array_equal(got[unlike], exact[unlike], equal_nan=True), (text, got[unlike], exact[unlike])
    bound = 40 * np.finfo(exact.dtype).eps * max(1, np.log2(max(2, exact.size)))
    error, size = np.linalg.norm((got - exact)[~unlike]), np.linalg.norm(exact[~unlike])
    assert error <= bound * (size + scale + np.finfo(exact.dtype).tiny), f"{text}: {error:.3g} beside {size:.3g}"


@contextlib.contextmanager
def _watched(line):
    """Say which problem does not end, and end all ranks; the watch of pytest.ini is over all problems at once."""
    tell = threading.Timer(STUCK, print, [f"hangs: {line}"], {"flush": True})
    tell.daemon = True
    tell.start()
    faulthandler.dump_traceback_later(STUCK + 5, exit=True)
    try:
        yield
    finally:
        tell.cancel()
        faulthandler.cancel_dump_traceback_later()


def _outcome(check, draw):
    try:
        check(draw)
    except RefusedError:
        return "refused", ""
    except Exception:
        return "failed", f"{draw.text}\n{traceback.format_exc()}"
    return "right", ""


def problems(command, check, comm=None):
    """Draw and check SHARDFFT_RANDOM_PLANS problems from number SHARDFFT_RANDOM_FIRST on, or of two seconds; give
    how many failed. ``check`` takes a :class:`Draw`."""
    rank, ranks = (0, 1) if comm is None else (comm.rank, comm.size)

    def of_first(value):
        return value if comm is None else comm.bcast(value)

    seed = of_first(int(os.environ.get("SHARDFFT_TEST_SEED") or random.SystemRandom().randrange(1 << 32)))
    first, plans = (
        int(os.environ.get(f"SHARDFFT_RANDOM_{word}", other)) for word, other in (("FIRST", 0), ("PLANS", -1))
    )
    counts, number, end = dict.fromkeys(("right", "refused", "failed"), 0), first, time.monotonic() + SECONDS
    while number < first + plans or (plans < 0 and of_first(time.monotonic() < end)):
        line = f"./run {command} --seed {seed} --first {number} --plans 1 --ranks {ranks}"
        if rank == 0 and "SHARDFFT_RANDOM_AT" in os.environ:
            with open(os.environ["SHARDFFT_RANDOM_AT"], "w") as at:
                at.write(line)
        with _watched(line):
            mine = _outcome(check, Draw(seed, number))
            every = [mine] if comm is None else comm.allgather(mine)
        worst = max((one for one, _ in every), key=("right", "refused", "failed").index)
        counts[worst] += 1
        if worst == "failed" and rank == 0:
            print(f"fails: {line}\n" + next(said for one, said in every if one == "failed"), flush=True)
        number += 1
    if rank == 0:
        print("random plans: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()), flush=True)
    return counts["failed"]
