#!/usr/bin/env bash
# Filters a brain template with distributed FFTs, checks it with SciPy, and times this library beside FFTW-MPI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run demo [--ranks N] [--size N] [--every N]
  --ranks N  MPI ranks of both parts (1, 2 and 4 for the brain, 2 for the timings)
  --size N   time N^3 (64^3 and 128^3)
  --every N  of the brain keep one voxel of so many along each axis (1)"

brain_ranks=(1 2 4) timing_ranks=2 sizes=(64 128) every=1
while [[ $# -gt 0 ]]; do
  case "$1" in
    --ranks) positive --ranks "${2:-}"; brain_ranks=("$2") timing_ranks=$2; shift ;;
    --size) positive --size "${2:-}"; sizes=("$2"); shift ;;
    --every) positive --every "${2:-}"; every=$2; shift ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) usage_error "demo: unknown option '$1'" "$usage" ;;
  esac
  shift
done

bash "$ROOT/tools/build.sh"
bash "$ROOT/tools/build_drivers.sh" bench-shardfft bench-fftw-mpi
folder=$RESULTS/demo
mkdir -p "$folder"
started=$SECONDS

say "MNI152 brain template, 197 x 233 x 189: real FFT, Gaussian low-pass, inverse; compared with scipy.fft"
echo "                       relative error of the          median ms of"
echo "  ranks   layout         spectrum       smoothed    forward + back"
for ranks in "${brain_ranks[@]}"; do
  measured_as="demo/brain.py, $ranks ranks" mpi_run "$ranks" "$VENV/bin/python" -m mpi4py "$ROOT/demo/brain.py" --every "$every" --output "$folder" ||
    die "the brain demo failed on $ranks ranks"
done
"$VENV/bin/python" "$ROOT/demo/figures.py" "$folder" || die "the figures could not be drawn"

say "this library beside FFTW's own MPI transform, forward and back, in turns"
export PYTHONPATH=$ROOT/bench/harness
rm -rf "$folder/timings"
PATH=$(dirname "$(mpi_tool mpirun)"):$PATH "$VENV/bin/python" -m shardfft_bench bench run "$ROOT/claims/cpu_vs_fftw.yaml" \
  --drivers "$BUILD/rivals/bin" --ranks "$timing_ranks" --size "${sizes[@]}" --into "$folder/timings" ||
  die "the timing failed on $timing_ranks ranks"
"$VENV/bin/python" -m shardfft_bench table "$folder/timings" | tee "$folder/timings.txt"

say "done in $((SECONDS - started)) s after the build; the files are in $folder"
(cd "$folder" && ls -1 ./*.png ./*.json ./*.txt)
