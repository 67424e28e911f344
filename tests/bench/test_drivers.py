"""The native drivers that were built: conformance of real libraries, refusals, bad cases, and wrong answers caught."""

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from conftest import built_drivers

pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun")

VARIANTS = [
    {},
    {"kind": "r2c"},
    {"placement": "in"},
    {"kind": "r2c", "placement": "in", "precision": "single"},
    {"precision": "single"},
    {"output": "natural"},
    {"kind": "r2c", "direction": "backward"},
    {"direction": "forward"},
    {"layout": "pencil"},
    {"layout": "pencil", "kind": "r2c"},
    {"layout": "brick", "output": "natural"},
    {"layout": "brick", "output": "natural", "kind": "r2c"},
]
# Features of few libraries; at odd shapes on three ranks, at even ones else.
RARE = [
    {"kind": "r2r", "transforms": ["dct1", "dst3", "dct4"]},
    {"kind": "r2r", "precision": "single", "transforms": ["dst1", "dct3", "dst2"]},
    {"kind": "r2c", "transforms": ["dct2", "dst4", "fft"]},
    {"kind": "r2c", "axes": [1, 2]},
    {"modes": [8, 7, 6]},
    {"kind": "r2c", "modes": [8, 6, 4], "apply": "gaussian"},
    {"kind": "r2r", "apply": "gaussian"},
    {"kind": "r2c", "batch": 3, "placement": "in"},
    {"layout": "cyclic"},
    {"layout": "boxes", "output": "natural", "boxes": [[0, 0, 0, 5, 10, 8], [5, 0, 0, 7, 10, 8]]},
]
SHAPES = {"odd": [9, 12, 15], "even": [12, 10, 8]}


@functools.cache
def launcher():
    """mpirun and its options."""
    said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout
    open_mpi = "Open MPI" in said or "OpenRTE" in said
    return ["mpirun", *(["--oversubscribe", "--bind-to", "none"] if open_mpi else [])]


def mpirun(command, ranks, folder, timeout=120):
    environment = {
        **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    return subprocess.run(
        [*launcher(), "-n", str(ranks), *command], capture_output=True, text=True, timeout=timeout, check=False,
        env=environment, cwd=folder,
    )  # fmt: skip


def run_case(driver, case, ranks, tmp_path):
    path = tmp_path / "record.json"
    path.unlink(missing_ok=True)
    case = {"warmups": 1, "repeats": 2, "effort": "estimate", **case}
    done = mpirun([str(driver), json.dumps(case), str(path)], ranks, tmp_path)
    assert path.exists(), f"{driver.name} {case} on {ranks}: {done.stdout[-800:]}{done.stderr[-800:]}"
    return json.loads(path.read_text().splitlines()[-1])


LISTS = {key: key + "s" for key in ("kind", "precision", "placement", "layout", "output")}


@functools.cache
def described(driver):
    """The driver's description of itself."""
    return json.loads(subprocess.run([str(driver), "--describe"], capture_output=True, check=True).stdout)


def offered(driver, variant):
    """Whether the driver says that it can: asking it saves a start of MPI."""
    can = described(driver)["capabilities"]
    full = {"kind": "c2c", "precision": "double", "layout": "slab", "placement": "out", "output": "any", **variant}
    features = {"axes", "modes", "batch"} & set(variant)
    if full["kind"] != "r2r":
        features |= {"transforms"} & set(variant)
    if features - set(can.get("features", [])):
        return False
    return all(full[key] in can.get(name, [full[key]]) for key, name in LISTS.items() if key in full)


@pytest.mark.parametrize("ranks, variants", [(1, VARIANTS[:4]), (2, VARIANTS), (3, VARIANTS[1::4])])
def test_every_built_library_conforms(real_drivers, tmp_path, ranks, variants):
    for name, driver in built_drivers(real_drivers).items():
        told = described(driver)
        if not told["capabilities"].get("kinds", ["c2c"]) or (ranks > 1 and not told["distributed"]):
            continue
        if told["gpu"] and not shutil.which("nvidia-smi"):
            continue
        for variant in variants:
            if offered(driver, variant):
                shape = SHAPES["odd" if ranks == 3 else "even"]
                record = run_case(driver, {"shape": shape, **variant}, ranks, tmp_path)
                # A library may refuse a size for its prime factors, say, but must never be wrong.
                refused = record["status"] == "unsupported" and "wants" in record["reason"]
                assert record["status"] == "ok" or refused, f"{name} {variant}: {record.get('reason')}"


def test_rare_kinds_conform_where_they_are_offered(real_drivers, tmp_path):
    drivers = built_drivers(real_drivers)
    for name, variants in (("shardfft", RARE), ("fftw-mpi", RARE[:1]), ("fftw-mpi", RARE[6:7])):
        for variant in variants if name in drivers else ():
            assert offered(drivers[name], variant), (name, variant)
            record = run_case(drivers[name], {"shape": SHAPES["even"], **variant}, 2, tmp_path)
            assert record["status"] == "ok", (name, variant, record.get("reason"), record.get("error"))


def test_python_libraries_of_one_process_conform(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.path.join(os.path.dirname(__file__), "..", "..", "bench", "harness"))
    for module, package in (("scipy_fft", "scipy"), ("ducc", "ducc0")):
        if importlib.util.find_spec(package) is None:
            continue
        for variant in ({}, {"kind": "r2c"}, RARE[0], {"batch": 2}):
            case = json.dumps({"shape": SHAPES["odd"], "repeats": 2, **variant})
            command = [sys.executable, "-m", f"shardfft_bench.python_drivers.{module}", case]
            record = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            assert record["status"] == ("unsupported" if "batch" in variant else "ok"), (module, variant)


def test_what_is_not_offered_is_refused(real_drivers, tmp_path):
    drivers = built_drivers(real_drivers)
    for name, variant in (("fftw-mpi", {"layout": "brick"}), ("spfft", {"precision": "single"}), ("fftw", {})):
        if name in drivers:
            record = run_case(drivers[name], {"shape": SHAPES["even"], **variant}, 2, tmp_path)
            assert record["status"] == "unsupported" and name in record["reason"]


def test_more_ranks_than_planes_is_answered(real_drivers, tmp_path):
    for name, driver in built_drivers(real_drivers).items():
        if name in ("shardfft", "fftw-mpi", "spfft"):
            assert run_case(driver, {"shape": [3, 2, 4]}, 4, tmp_path)["status"] == "ok", name


@pytest.mark.parametrize(
    "case, said",
    [
        ({"shape": [4, 4]}, "three sizes"),
        ({"shape": [0, 4, 4]}, "at least 1"),
        ({"shape": [4, 4, 4], "colour": 1}, "unknown key 'colour'"),
        ({"shape": [4, 4, 4], "kind": "c3c"}, "'kind' is 'c3c', not one of c2c, r2c, r2r"),
        ({"shape": [4, 4, 4], "transforms": ["fft", "fft", "dct9"]}, "neither fft nor dct1"),
        ({"shape": [4, 4, 4], "kind": "r2c", "axes": [0, 1]}, "r2c halves axis 2"),
        ({"shape": [4, 4, 4], "modes": [5, 0, 0]}, "'modes' must be at most the sizes"),
        ({"shape": [4, 4, 4], "layout": "boxes"}, "go together"),
        ({"shape": [4, 4, 4], "apply": "gaussian", "direction": "forward"}, "direction pair"),
        ({"shape": [4, 4, 4], "threads": 0}, "'threads' must be at least 1"),
        ({"shape": [4, 4, 4], "repeats": "many"}, "wrong type for 'repeats'"),
        ({"shape": [2**30, 2**30, 2**30]}, "more than 2^50 points"),
    ],
)
def test_bad_cases_are_refused_by_name(real_drivers, case, said):
    driver = next(iter(built_drivers(real_drivers).values()))
    done = subprocess.run([str(driver), json.dumps(case)], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and said in done.stderr


def test_more_data_than_memory_is_refused(real_drivers, tmp_path):
    driver = next(driver for name, driver in built_drivers(real_drivers).items() if name in ("fftw-mpi", "shardfft"))
    record = run_case(driver, {"shape": [2**14, 2**14, 2**14]}, 2, tmp_path)
    assert record["status"] == "unsupported"
    assert "the case needs 196608 GiB for data alone on a host of" in record["reason"]


def test_unknown_options_are_refused(real_drivers, tmp_path):
    driver = built_drivers(real_drivers).get("fftw-mpi")
    if not driver:
        pytest.skip("no fftw-mpi")
    record = run_case(driver, {"shape": [4, 4, 4], "options": {"turbo": 1}}, 1, tmp_path)
    assert record["status"] == "unsupported" and "no option 'turbo'" in record["reason"]


BAD = """
#include "adapter_base.hpp"
#include <cmath>
#include <cstdlib>
namespace shardfft::bench {
// A correct O(n^2) transform of one rank, spoilt in the way that FAULT names.
class Bad : public AdapterBase {
 public:
  Description describe() const override {
    return {.library = "bad", .version = "1", .capabilities = Json::object()};
  }
  std::string refuse(const Case&, int) const override { return {}; }
  void plan(const Case& c, MPI_Comm) override {
    n_ = c.shape;
    field_part_ = packed_part({}, n_);
    spectrum_part_ = fault_ == "order" ? packed_part({}, n_, {1, 0, 2}) : packed_part({}, n_, {0, 1, 2});
    allocate(c, field_part_.volume(), field_part_.volume());
    scale_ = double(c.points());
  }
  bool on_device() const override { return fault_ == "device"; }
  void forward() override {
    run(field(), spectrum(), fault_ == "sign" ? 1 : -1, fault_ == "scale" ? 1.0000001 : 1);
    if (fault_ == "one value") static_cast<double*>(spectrum())[77] += 1e-6;
    if (fault_ == "not a number") static_cast<double*>(spectrum())[5] = NAN;
  }
  void backward() override { run(spectrum(), field(), 1, 1); }
 private:
  void run(void* from, void* to, double sign, double scale) {
    using C = std::complex<double>;
    auto* x = static_cast<C*>(from); auto* y = static_cast<C*>(to);
    const double turn = sign * 2 * std::acos(-1.0);
    for (int a = 0; a < n_[0]; ++a) for (int b = 0; b < n_[1]; ++b) for (int c = 0; c < n_[2]; ++c) {
      C sum = 0;
      for (int i = 0; i < n_[0]; ++i) for (int j = 0; j < n_[1]; ++j) for (int k = 0; k < n_[2]; ++k)
        sum += x[(i * n_[1] + j) * n_[2] + k] *
               std::polar(1.0, turn * (double(a * i) / n_[0] + double(b * j) / n_[1] + double(c * k) / n_[2]));
      y[(a * n_[1] + b) * n_[2] + c] = scale * sum;
    }
  }
  const std::string fault_ = std::getenv("FAULT");
  Triple n_{};
};
std::unique_ptr<Adapter> make_adapter() { return std::make_unique<Bad>(); }
}
"""
FAULTS = ("sign", "order", "scale", "one value", "not a number")


@pytest.fixture(scope="module")
def bad_adapter(real_drivers, tmp_path_factory):
    """The driver of the O(n^2) adapter, which FAULT in its environment spoils."""
    library = next(iter(sorted(real_drivers.parent.rglob("libbench_native.a"))), None)
    if not library or not shutil.which("mpicxx"):
        pytest.skip("the native part or mpicxx is not here")
    made = tmp_path_factory.mktemp("bad")
    source, program = made / "bad.cpp", made / "bad"
    source.write_text(BAD)
    native = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "native")
    flags = ["-std=c++20", "-I", native, str(source), str(library), "-ldl", "-o", str(program)]
    subprocess.run(["mpicxx", *flags], check=True)
    return program


# Two devices that count STEP more millijoules at every look.
NVML = """
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** d) { static char devices[2]; *d = &devices[i]; return 0; }
int nvmlDeviceGetTotalEnergyConsumption(void* d, unsigned long long* mj) { *mj = 9000 + STEP * ++*(char*)d; return 0; }
"""


def fake_nvml(folder, step):
    folder.mkdir()
    (folder / "nvml.c").write_text(NVML)
    command = ["cc", f"-DSTEP={step}", "-shared", "-fPIC", str(folder / "nvml.c")]
    subprocess.run([*command, "-o", str(folder / "libnvidia-ml.so.1")], check=True)
    return str(folder)


def test_energy_of_devices_comes_from_nvml_or_not_at_all(bad_adapter, tmp_path, monkeypatch):
    monkeypatch.setenv("FAULT", "device")
    real = run_case(bad_adapter, {"shape": [4, 4, 4]}, 1, tmp_path)["device_energy"]
    assert "unavailable" in real or real["source"].startswith("NVML")
    monkeypatch.setenv("LD_LIBRARY_PATH", fake_nvml(tmp_path / "counts", 1500))
    energy = run_case(bad_adapter, {"shape": [4, 4, 4], "repeats": 2}, 1, tmp_path)["device_energy"]
    assert (energy["joules"], energy["devices"], energy["source"]) == (3.0, 2, "NVML, all devices of the hosts")
    # The case's three repeats take microseconds: too little for a counter that moves some ten times a second.
    assert energy["seconds"] >= 1 and energy["repeats"] > 3


def test_a_counter_that_stands_still_is_no_energy_of_zero(bad_adapter, tmp_path, monkeypatch):
    monkeypatch.setenv("FAULT", "device")
    monkeypatch.setenv("LD_LIBRARY_PATH", fake_nvml(tmp_path / "stands", 0))
    energy = run_case(bad_adapter, {"shape": [4, 4, 4], "repeats": 2}, 1, tmp_path)["device_energy"]
    assert "joules" not in energy and energy["unavailable"].startswith("the counter did not move in 1.")


@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_wrong_numbers_are_never_timed(bad_adapter, tmp_path, monkeypatch, fault):
    """Only without a fault is the adapter timed."""
    monkeypatch.setenv("FAULT", fault)
    record = run_case(bad_adapter, {"shape": [6, 6, 6]}, 1, tmp_path)
    assert record["status"] == ("wrong" if fault else "ok"), record.get("error")
    assert ("samples" in record) == (not fault)


def test_python_and_native_fields_are_the_same(real_drivers, tmp_path):
    """The exact spectrum of the Python drivers against NumPy's transform of their field."""
    from shardfft_bench.python_drivers.field import Field

    shape = [6, 5, 8]
    whole = tuple(slice(0, n) for n in shape)
    for real in (False, True):
        field = Field(shape, real, 1)
        values = field.field(whole)
        assert np.abs(values.imag).max() == 0 if real else np.abs(values.imag).max() > 0
        exact = field.spectrum((*whole[:2], slice(0, 5)) if real else whole)
        reference = np.fft.rfftn(values.real) if real else np.fft.fftn(values)
        assert np.abs(exact - reference).max() < 1e-12


def test_mpi4py_fft_conforms(tmp_path):
    pytest.importorskip("mpi4py_fft")
    for ranks, variant in ((1, {}), (2, {"kind": "r2c"}), (3, {"layout": "pencil"}), (2, {"precision": "single"})):
        path = tmp_path / "record.json"
        path.unlink(missing_ok=True)
        case = json.dumps({"shape": [7, 9, 5], "repeats": 2, "effort": "estimate", **variant})
        harness = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "bench", "harness"))
        os.environ["PYTHONPATH"] = harness + os.pathsep + os.environ.get("PYTHONPATH", "")
        done = mpirun(
            [sys.executable, "-m", "shardfft_bench.python_drivers.mpi4py_fft", case, str(path)], ranks, tmp_path
        )
        assert path.exists(), done.stderr[-800:]
        assert json.loads(path.read_text())["status"] == "ok"
