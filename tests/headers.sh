#!/usr/bin/env bash
# Whether each public header can be included first and alone, without a warning: headers.sh INCLUDE MPI-INCLUDE CC CXX. Those
# that end in .h in C and in C++, the others in C++.
set -euo pipefail
include=$1 mpi=$2 cc=$3 cxx=$4
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -fsyntax-only)
checked=0
# The language of the headers; a compiler that takes headers for programs warns of #pragma once.
alone() { # HEADER LANGUAGE-OPTION...
  local header=$1
  shift
  printf "#include <%s>\nextern int alone;\n" "$header" | "$@" "${warnings[@]}" -I "$include" -isystem "$mpi" - || { echo "$header: $*" >&2; exit 1; }
  checked=$((checked + 1))
}
while read -r header; do
  alone "$header" "$cxx" -std=c++20 -x c++
  if [[ $header == *.h ]]; then alone "$header" "$cc" -std=c11 -x c; fi
done < <(cd "$include" && find . -name '*.h*' -printf '%P\n' | sort)
((checked > 20)) || { echo "only $checked headers were found in $include" >&2; exit 1; }
echo "$checked times a header alone: no warning"
