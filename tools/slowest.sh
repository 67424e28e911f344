#!/usr/bin/env bash
# slowest.sh FILE KIND...: of each kind of line that seconds.sh has written, the ten that took most processor time.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
file=$1
shift
for kind in "$@"; do
  # Files that were compiled or run more than once count as they did last.
  list=$(awk -v kind="$kind" -v root="$ROOT/" '
    $1 == kind { name = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", name); sub(root, "", name); took[name] = $2 + $3 }
    END { for (name in took) printf "%8.1f  %s\n", took[name], name }' "$file" | sort -rn)
  say "slowest ${kind}s, seconds of processor time ($(awk '{ all += $1 } END { printf "%.0f in all", all }' <<< "$list"))"
  sed 10q <<< "$list"
done
