#!/usr/bin/env bash
# Compares the binary interface of C with that of the last version, packaging/abi/c-openmpi.abi.xz: abi.sh [--accept].
# It holds for each family of MPI libraries; the types of Open MPI are those compared. The test of the test: a signature
# that was changed must be found.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: tools/abi.sh [--accept]
  --accept  writes the interface of now as that of the last version"
[[ ${1:-} =~ ^(--accept)?$ ]] || usage_error "abi: unknown option '$1'" "$usage"
command -v abidiff > /dev/null || die "abidiff is missing (Debian: abigail-tools)"
BASELINE=$ROOT/packaging/abi/c-openmpi.abi.xz
FOLDER=$BUILD/abi
rm -rf "$FOLDER"
mkdir -p "$FOLDER"

# described TREE NAME SOURCE...: the interface of C, with the types of all arguments, of a tree of which these sources are
# compiled into NAME/. The library that is made for it is never run, so that it needs nothing else. Functions of C++ are no
# part of the promise.
printf '{ global: shardfft_*; local: *; };\n' > "$FOLDER/symbols.map"
described() {
  local tree=$1 name=$2 source
  shift 2
  mkdir -p "$FOLDER/$name"
  for source in "$@"; do
    (cd "$tree" && "$(mpi_tool mpicxx)" -std=c++20 -g -O0 -fPIC -DOMPI_SKIP_MPICXX -Iinclude -Isrc -c "src/c/$source" \
      -o "$FOLDER/$name/$source.o")
  done
  g++ -shared "$FOLDER/$name"/*.o -Wl,--version-script="$FOLDER/symbols.map" -Wl,-soname,libshardfft.so \
    -o "$FOLDER/$name/libshardfft.so"
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --exported-interfaces-only --drop-private-types \
    --headers-dir "$tree/include/shardfft/c" "$FOLDER/$name/libshardfft.so" > "$FOLDER/$name.abi"
}

# shellcheck disable=SC2046
described "$ROOT" now $(cd "$ROOT/src/c" && echo *.cpp)
if [[ ${1:-} == --accept ]]; then
  mkdir -p "$(dirname "$BASELINE")"
  xz -9e -c "$FOLDER/now.abi" > "$BASELINE"
  say "accepted"
  exit 0
fi
[[ -f $BASELINE ]] || die "there is no $BASELINE: tools/abi.sh --accept writes it"
xz -d -c "$BASELINE" > "$FOLDER/last.abi"
# Bit 3 of the exit code: the change is incompatible; additions are allowed. Bits 0 and 1: abidiff failed.
incompatible() {
  local code=0
  abidiff "$FOLDER/last.abi" "$1" > "$FOLDER/difference.txt" || code=$?
  (((code & 3) == 0)) || { cat "$FOLDER/difference.txt" >&2; die "abidiff failed"; }
  # Bit 2 alone may hide a changed argument: every function that changed or went counts.
  grep -Eq '^Functions changes summary: (0 Removed), (0 Changed)' "$FOLDER/difference.txt" && return 1
  ((code != 0))
}
if incompatible "$FOLDER/now.abi"; then
  cat "$FOLDER/difference.txt" >&2
  die "programs that were compiled with the last version would break: see above"
fi

mkdir -p "$FOLDER/changed"
cp -r "$ROOT/include" "$ROOT/src" "$FOLDER/changed/"
sed -i 's/shardfft_layout_ranks(shardfft_layout layout, int\* ranks)/shardfft_layout_ranks(shardfft_layout layout, int64_t* ranks)/' \
  "$FOLDER/changed/include/shardfft/c/layout.h" "$FOLDER/changed/src/c/layout.cpp"
mkdir "$FOLDER/other"
cp "$FOLDER/now"/*.o "$FOLDER/other/"
described "$FOLDER/changed" other layout.cpp
incompatible "$FOLDER/other.abi" || die "a changed signature of shardfft_layout_ranks was not found"
say "the interface of C is that of the last version, and a changed signature is found"
