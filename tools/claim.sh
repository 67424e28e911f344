#!/usr/bin/env bash
# Measures a claim of the documents on this machine: claims/<name>.sh, whose second line says what is claimed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run claim list
       ./run claim NAME
  measures NAME; the last line is 'NAME key=value ...', the exit code is 0 only if the claim holds"

names=()
for file in "$ROOT"/claims/*.sh; do
  name=$(basename "$file" .sh)
  names+=("${name//_/-}")
done

[[ $# -eq 1 ]] || usage_error "claim: give list or one name" "$usage"
case "$1" in
  -h | --help) echo "$usage"; exit 0 ;;
  list)
    for name in "${names[@]}"; do printf '%-20s %s\n' "$name" "$(sed -n '2s/^# //p' "$ROOT/claims/${name//-/_}.sh")"; done
    exit 0
    ;;
esac
[[ " ${names[*]} " == *" $1 "* ]] || usage_error "claim: unknown claim '$1'; known: ${names[*]}" "$usage"

bash "$ROOT/tools/build.sh" --no-python
say "measuring $1"
exec bash "$ROOT/claims/${1//-/_}.sh"
