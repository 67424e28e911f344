#!/usr/bin/env bash
# Formatting (clang-format), static analysis (cppcheck) and Python lint (ruff) of the files git knows, and whether kernels
# still compile for AMD's GPUs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run lint [--fix]
  --fix  let clang-format and ruff rewrite the files"

fix=no
while [[ $# -gt 0 ]]; do
  case "$1" in
    --fix) fix=yes ;;
    -h | --help) echo "$usage"; exit 0 ;;
    *) usage_error "lint: unknown option '$1'" "$usage" ;;
  esac
  shift
done

bash "$ROOT/tools/install_dependencies.sh" lint
bash "$ROOT/tools/make_venv.sh" lint
cd "$ROOT"
mapfile -t cpp < <(git ls-files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh')
mapfile -t python < <(git ls-files '*.py')
[[ ${#cpp[@]} -gt 0 ]] || die "git knows no C++ file here; lint needs a git checkout"

failed=()
say "clang-format, ${#cpp[@]} files"
if [[ $fix == yes ]]; then "$VENV/bin/clang-format" -i "${cpp[@]}"; fi
"$VENV/bin/clang-format" --dry-run -Werror "${cpp[@]}" || failed+=(clang-format)

say "cppcheck"
cppcheck --quiet --std=c++20 --language=c++ --inline-suppr --error-exitcode=1 -j "$(cores)" -I include -I src \
  --enable=warning,performance,portability --suppressions-list=tools/cppcheck.txt \
  $(git ls-files 'src/*.cpp' 'bindings/*.cpp' 'examples/*.cpp' 'claims/*.cpp' 'bench/*.cpp') || failed+=(cppcheck)

say "kernels for AMD's GPUs"
bash tools/compile_hip.sh || failed+=(hip)

if [[ ${#python[@]} -gt 0 ]]; then
  say "ruff, ${#python[@]} files"
  if [[ $fix == yes ]]; then "$VENV/bin/ruff" check --quiet --fix "${python[@]}"; "$VENV/bin/ruff" format --quiet "${python[@]}"; fi
  "$VENV/bin/ruff" check "${python[@]}" || failed+=("ruff check")
  "$VENV/bin/ruff" format --check --quiet "${python[@]}" || failed+=("ruff format")
fi

say "lengths of files and functions"
mapfile -t fortran < <(git ls-files '*.f90')
"$VENV/bin/python" tools/lengths.py "${cpp[@]}" "${fortran[@]}" "${python[@]}" || failed+=("lengths")

[[ ${#failed[@]} -eq 0 ]] || { IFS=,; die "lint found faults: ${failed[*]}"; }
say "lint is clean"
