#!/usr/bin/env bash
# Builds the programs of claims/ against the library that build.sh has put into build/install.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cmake -S "$ROOT/claims" -B "$BUILD/claims" -Wno-dev --log-level=WARNING -DCMAKE_PREFIX_PATH="$BUILD/install" > "$BUILD/configure_claims.log" 2>&1 || {
  cat "$BUILD/configure_claims.log" >&2
  die "cmake failed; its words are above"
}
cmake --build "$BUILD/claims" -j "$(jobs)" -- --no-print-directory -s
