#!/usr/bin/env bash
# seconds.sh KIND NAME COMMAND...: runs the command; if SHARDFFT_SECONDS names a file, a line of it says how many seconds
# of processor time (user, system) it took, with all that it started. As a name "-" is the command's last word: a source file.
kind=$1 name=$2
shift 2
[[ -n ${SHARDFFT_SECONDS:-} ]] || exec "$@"
[[ $name != - ]] || name=${*: -1}
TIMEFORMAT="$kind %U %S ${name//%/%%}"
{ time "$@" 2>&3 3>&-; } 3>&2 2>> "$SHARDFFT_SECONDS"
