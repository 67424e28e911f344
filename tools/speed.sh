#!/usr/bin/env bash
# Times this library beside FFTW-MPI and sets the ratios against those committed in bench/baselines/micro.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run speed [--accept]
  builds, measures for half a minute, and fails when something takes three times as long, in units of FFTW-MPI, as in
  the committed set
  --accept  make this machine's set the committed one"

accept=no
while [[ $# -gt 0 ]]; do
  case "$1" in
    --accept) accept=yes ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) usage_error "speed: unknown option '$1'" "$usage" ;;
  esac
  shift
done

bash "$ROOT/tools/build.sh" --no-python
bash "$ROOT/tools/build_drivers.sh"

folder=$RESULTS/micro
baseline=$ROOT/bench/baselines/micro
rm -rf "$folder"
export PYTHONPATH=$ROOT/bench/harness
bench=("$VENV/bin/python" -m shardfft_bench)
say "micro-benchmarks"
started=$SECONDS
PATH=$(dirname "$(mpi_tool mpirun)"):$PATH "${bench[@]}" bench run micro --drivers "$BUILD/rivals/bin" --into "$folder" ||
  die "a micro-benchmark failed; its reason is above"
echo "measured in $((SECONDS - started)) s"
if [[ $accept == yes ]]; then
  mkdir -p "$baseline"
  cp "$folder/results.jsonl" "$folder/experiment.json" "$baseline/"
  say "bench/baselines/micro is this machine's now"
  exit 0
fi
say "compared with the committed set"
"${bench[@]}" compare "$baseline" "$folder" --relative-to fftw-mpi --threshold 2 || die "slower than it was: see above"
