#!/usr/bin/env bash
# Measures a claim of the documents on this machine.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run claim list
       ./run claim NAME
  measures NAME; the last line is 'NAME key=value ...', the exit code is 0 only if the claim holds"

names=(cpu-vs-fftw cannon-overlap)
describe() {
  case "$1" in
    cpu-vs-fftw) echo "256^3 complex double on 2 ranks: not slower than FFTW's own MPI transform (ratio of medians <= 1)" ;;
    cannon-overlap) echo "the share of communication that Cannon's products hide behind local updates (no threshold)" ;;
  esac
}

[[ $# -eq 1 ]] || usage_error "claim: give list or one name" "$usage"
case "$1" in
  -h | --help) echo "$usage"; exit 0 ;;
  list)
    for name in "${names[@]}"; do printf '%-20s %s\n' "$name" "$(describe "$name")"; done
    exit 0
    ;;
esac
[[ " ${names[*]} " == *" $1 "* ]] || usage_error "claim: unknown claim '$1'; known: ${names[*]}" "$usage"

bash "$ROOT/tools/build.sh" --no-python
[[ $1 == cannon-overlap ]] || bash "$ROOT/tools/build_claims.sh"
say "measuring $1: $(describe "$1")"
case "$1" in
  cpu-vs-fftw)
    (($(cores) >= 2)) || echo "run: this machine has one core; the two ranks share it" >&2
    mpi_run 2 "$BUILD/claims/cpu_vs_fftw" --sizes 256 --claim cpu-vs-fftw
    ;;
  cannon-overlap) bash "$ROOT/claims/cannon_overlap.sh" ;;
esac
