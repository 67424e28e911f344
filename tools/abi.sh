#!/usr/bin/env bash
# Compares the binary interface of C with that of the last version, packaging/abi/c-openmpi.abi: abi.sh [--accept].
# It holds for each family of MPI libraries; the types of Open MPI are those compared. The test of the test: a signature
# that was changed must be found.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: tools/abi.sh [--accept]
  --accept  writes the interface of now as that of the last version"
[[ ${1:-} =~ ^(--accept)?$ ]] || usage_error "abi: unknown option '$1'" "$usage"
command -v abidiff > /dev/null || die "abidiff is missing (Debian: abigail-tools)"
BASELINE=$ROOT/packaging/abi/c-openmpi.abi
FOLDER=$BUILD/abi
rm -rf "$FOLDER"
mkdir -p "$FOLDER"

# described TREE NAME: the interface of the C sources of a tree, with the types of all arguments. The library that is made
# for it is never run, so that it needs nothing else.
described() {
  local source
  mkdir -p "$FOLDER/$2"
  for source in "$1"/src/c/*.cpp; do
    (cd "$1" && "$(mpi_tool mpicxx)" -std=c++20 -g -O0 -fPIC -DOMPI_SKIP_MPICXX -Iinclude -Isrc -c "$source" \
      -o "$FOLDER/$2/$(basename "$source").o")
  done
  g++ -shared "$FOLDER/$2"/*.o -Wl,--version-script="$ROOT/cmake/symbols.map" -Wl,-soname,libshardfft.so \
    -o "$FOLDER/$2/libshardfft.so"
  # Functions of C++ are no part of what is promised.
  printf '[allow_list]\n  symbol_name_regexp = ^shardfft_\n' > "$FOLDER/allowed"
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --drop-private-types --headers-dir "$1/include/shardfft/c" \
    --kmi-whitelist "$FOLDER/allowed" "$FOLDER/$2/libshardfft.so" > "$FOLDER/$2.abi"
}

described "$ROOT" now
if [[ ${1:-} == --accept ]]; then
  mkdir -p "$(dirname "$BASELINE")"
  cp "$FOLDER/now.abi" "$BASELINE"
  say "accepted"
  exit 0
fi
if [[ ! -f $BASELINE ]]; then
  say "no version has promised an interface yet: compared with itself"
  BASELINE=$FOLDER/now.abi
fi
# Bit 3 of the exit code: the change is incompatible; what is only added is allowed. Bits 0 and 1: abidiff failed.
incompatible() {
  local code=0
  abidiff "$BASELINE" "$1" > "$FOLDER/difference.txt" || code=$?
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
described "$FOLDER/changed" other
incompatible "$FOLDER/other.abi" || die "a changed signature of shardfft_layout_ranks was not found"
say "the interface of C is that of the last version, and a changed signature is found"
