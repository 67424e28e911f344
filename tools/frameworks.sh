#!/usr/bin/env bash
# Tests with PyTorch and JAX, in an environment of their own beside .venv. pip takes several GB if its index has PyTorch
# with CUDA only; PIP_EXTRA_INDEX_URL can name one with wheels for CPUs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
FOLDER=$BUILD/frameworks

bash "$ROOT/tools/build.sh"
bash "$ROOT/tools/make_venv.sh" tests
[[ -x $FOLDER/bin/python ]] || "$VENV/bin/python" -m venv "$FOLDER" || die "could not make $FOLDER"
# The packages of .venv are at hand: NumPy, mpi4py and the package itself.
site=$("$FOLDER/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$site/venv.pth"
say "installing PyTorch and JAX"
"$FOLDER/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
  -r "$ROOT/tools/requirements-frameworks.txt" || die "pip could not install tools/requirements-frameworks.txt"

failed=()
export OMP_NUM_THREADS=1
tests() { timeout 1800 "$FOLDER/bin/python" -m pytest -q -rfEs --color="$COLOR" "$@"; }
for ranks in 1 2; do
  say "gradients through plans, $ranks ranks"
  measured_as="frameworks, $ranks ranks" mpi_run "$ranks" timeout 1800 "$FOLDER/bin/python" -m pytest -q -rfEs --color="$COLOR" \
    "$ROOT/tests/python/frameworks" || failed+=("plans, $ranks ranks")
done
say "DTensors, 4 processes with MPI"
measured_as="DTensors" mpi_run 4 timeout 1800 "$FOLDER/bin/python" -m pytest -q -rfEs --color="$COLOR" \
  "$ROOT/tests/frameworks/test_dtensors.py" || failed+=("DTensors with MPI")
say "DTensors, 4 processes without MPI"
timeout 1800 "$FOLDER/bin/python" -m torch.distributed.run --nproc-per-node 4 -m pytest -q -rfEs --color="$COLOR" \
  "$ROOT/tests/frameworks/test_dtensors.py" || failed+=("DTensors without MPI")
say "JAX on 4 fake devices, and the page about gradients"
tests "$ROOT/tests/frameworks/test_sharding.py" "$ROOT/tests/frameworks/test_page.py" || failed+=("JAX or the page")
gpus=$(gpus_here)
if ((gpus > 1)); then
  say "DTensors and JAX on $gpus GPUs"
  SHARDFFT_TEST_DEVICE=cuda timeout 1800 "$FOLDER/bin/python" -m torch.distributed.run --nproc-per-node "$gpus" -m pytest -q -rfEs \
    --color="$COLOR" "$ROOT/tests/frameworks/test_dtensors.py" || failed+=("DTensors on GPUs")
  tests "$ROOT/tests/frameworks/test_sharding_gpus.py" || failed+=("JAX on GPUs")
fi
[[ ${#failed[@]} -eq 0 ]] || { IFS=,; die "failed: ${failed[*]}"; }
