#!/usr/bin/env bash
# Measures a claim of the documents on this machine: claims/<name>.py, whose first line states the claim, or
# claims/<name>.sh if more than drivers must be built; there the second line states it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run claim list
       ./run claim NAME [--tiny] [--into FOLDER] [OPTIONS]
  measures NAME; the last line is 'NAME key=value ...', the exit code is 0 only if the claim holds
  --tiny         the whole way at a tiny size, in seconds; judges nothing
  --into FOLDER  keep the records in FOLDER/NAME (results/claims/<time>/NAME); the same folder again goes on with it
  further options are those of claims/NAME.py --help
  RIVALS_PREFIX  CMake prefixes of rivals that CMake does not find by itself (SpFFT, dtFFT), separated by semicolons"

names=()
declare -A said
mapfile -t files < <(printf '%s\n' "$ROOT"/claims/*.sh; grep -l "^    sys.exit(main(" "$ROOT"/claims/*.py)
for file in "${files[@]}"; do
  name=$(basename "${file%.*}")
  name=${name//_/-}
  [[ -z ${said[$name]:-} ]] || continue
  names+=("$name")
  if [[ $file == *.sh ]]; then said[$name]=$(sed -n '2s/^# //p' "$file"); else said[$name]=$(sed -n '1s/"""//gp' "$file"); fi
done

[[ $# -ge 1 ]] || usage_error "claim: give list or a name" "$usage"
case "$1" in
  -h | --help) echo "$usage"; exit 0 ;;
  list)
    for name in "${names[@]}"; do printf '%-20s %s\n' "$name" "${said[$name]}"; done
    exit 0
    ;;
esac
name=$1
shift
[[ " ${names[*]} " == *" $name "* ]] || usage_error "claim: unknown claim '$name'; known: ${names[*]}" "$usage"

if [[ $name == studies ]]; then # it measures nothing, so nothing is built
  bash "$ROOT/tools/make_venv.sh"
  PYTHONPATH=$ROOT/bench/harness exec "$VENV/bin/python" "$ROOT/claims/studies.py" "$@"
fi
compat=()
[[ $name == shims ]] && compat=(--with-compat)
bash "$ROOT/tools/build.sh" --no-python "${compat[@]}"
if [[ -f $ROOT/claims/${name//-/_}.sh ]]; then
  say "measuring $name"
  exec bash "$ROOT/claims/${name//-/_}.sh" "$@"
fi
if [[ $name == one-host && " $* " != *" --tiny "* ]]; then
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check mpi4py-fft ||
    echo "run: mpi4py-fft could not be installed; it is left out" >&2
fi
bash "$ROOT/tools/build_drivers.sh"
say "measuring $name"
export PYTHONPATH=$ROOT/bench/harness
PATH=$(dirname "$(mpi_tool mpirun)"):$PATH exec "$VENV/bin/python" "$ROOT/claims/${name//-/_}.py" \
  --drivers "$BUILD/rivals/bin" "$@"
