#!/usr/bin/env bash
# test_gpu.sh [--sanitize | -E PATTERN]: builds the library with CUDA and the tests of plans on GPUs in build/gpu, and runs these
# on the GPUs of this machine, but for those that -E names to ctest. Also from Fortran and Python, if a compiler or packages are there.
# --sanitize: instead, 25 random plans under each of compute-sanitizer's tools memcheck and racecheck.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
gpus=${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader 2> /dev/null | paste -sd, || true)}
[[ -n $gpus ]] || die "test --gpu: nvidia-smi finds no GPU on this machine"
command -v nvcc > /dev/null || die "there are GPUs, but no nvcc on the path"
sanitize=no
if [[ ${1:-} == --sanitize ]]; then
  command -v compute-sanitizer > /dev/null || die "test --gpu --sanitize: compute-sanitizer is not on the path"
  sanitize=yes
fi

python=$VENV/bin/python
[[ -x $python ]] || python=$(command -v python3 || true)
packages="mpi4py, nanobind, numpy, pytest, scipy"
with_python=OFF with_fortran=OFF
headers='import os, sysconfig; os.stat(os.path.join(sysconfig.get_path("include"), "Python.h"))'
if [[ -n $python ]] && "$python" -c "import $packages; $headers" 2> /dev/null; then
  with_python=ON
else
  say "the Python tests are skipped: they need the packages $packages for ${python:-python3}, and its headers"
fi
fortran=$(mpi_tool mpifort || true)
if [[ -n $fortran ]] && "$fortran" -x f95 -fsyntax-only - <<< $'use mpi_f08\nend' > /dev/null 2>&1; then
  with_fortran=ON
else
  say "the Fortran tests are skipped: there is no Fortran compiler with MPI's module mpi_f08"
fi

hold_lock "$BUILD/gpu"
say "building the library and its tests with CUDA, $(jobs) jobs"
# Other numbers of processes are for the stand-in: those that share a GPU wait for its next turn.
cmake -S "$ROOT" -B "$BUILD/gpu" -Wno-dev --log-level=WARNING -DCMAKE_BUILD_TYPE=Release -DSHARDFFT_GPU=CUDA \
  -DMPI_C_COMPILER="$(mpi_tool mpicc)" -DMPI_CXX_COMPILER="$(mpi_tool mpicxx)" -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" \
  -DSHARDFFT_BENCH=OFF -DSHARDFFT_TESTS=ON -DSHARDFFT_TESTS_ONLY='^(mpi_)?gpu_' -DSHARDFFT_TEST_RANKS='1;2;4' \
  -DSHARDFFT_TEST_GPUS="${gpus//,/;}" -DSHARDFFT_FORTRAN=$with_fortran -DMPI_Fortran_COMPILER="$fortran" \
  -DSHARDFFT_PYTHON_TESTS=$with_python -DPython_EXECUTABLE="$python" \
  > "$BUILD/configure_gpu.log" 2>&1 || {
  cat "$BUILD/configure_gpu.log" >&2
  die "cmake failed; its words are above"
}
cmake --build "$BUILD/gpu" -j "$(jobs)" > "$BUILD/build_gpu.log" 2>&1 || {
  tail -30 "$BUILD/build_gpu.log" >&2
  die "the tests with GPUs could not be built"
}
failed=()
if [[ $sanitize == yes ]]; then
  for tool in memcheck racecheck; do
    say "25 random plans under $tool"
    SHARDFFT_RANDOM_PLANS=25 SHARDFFT_RANDOM_FIRST=0 mpi_run 1 compute-sanitizer --tool "$tool" --error-exitcode 9 \
      "$BUILD/gpu/tests/mpi_gpu_tests" '--gtest_filter=RandomPlans.*' || failed+=("$tool")
  done
  [[ ${#failed[@]} -eq 0 ]] || { IFS=,; die "found by: ${failed[*]}"; }
  exit 0
fi
say "tests on GPUs $gpus"
GTEST_COLOR=$COLOR ctest --test-dir "$BUILD/gpu" --output-on-failure --no-label-summary -j "$(test_jobs)" "$@" || failed+=("C++")
say "plans of several processes that share memory by file descriptors"
GTEST_COLOR=$COLOR SHARDFFT_DESCRIPTORS=1 ctest --test-dir "$BUILD/gpu" --output-on-failure --no-label-summary -j "$(test_jobs)" \
  -R '^mpi_gpu_test_(exchange|plan|slab|stores)_[24]$' || failed+=("C++ by descriptors")
if [[ $with_python == ON ]]; then
  count=$(tr ',' '\n' <<< "$gpus" | wc -l)
  for ranks in 1 2 4; do
    ((ranks <= 2 || ranks <= count)) || continue
    say "Python tests on GPUs, $ranks ranks"
    PYTHONPATH=$BUILD/gpu/python_gpu XLA_PYTHON_CLIENT_PREALLOCATE=false mpi_run "$ranks" timeout 900 "$python" -m pytest -q -rfEs --color="$COLOR" \
      "$ROOT/tests/python/gpu" || failed+=("Python on $ranks ranks")
  done
fi
[[ ${#failed[@]} -eq 0 ]] || { IFS=,; die "failed on GPUs: ${failed[*]}"; }
