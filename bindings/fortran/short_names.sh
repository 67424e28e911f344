#!/bin/sh
# short_names.sh SOURCES LINK COMMAND...: compiles with the names of sources as they are from the folder of the build, through
# LINK, a link to them. gfortran writes the names that it is given into messages about memory, and knows no option to
# change them; a library that is installed must not tell where it was built.
from=$1 to=${2#"$PWD"/}
shift 2
for argument; do
  shift
  case $argument in "$from"/*) argument=$to/${argument#"$from"/} ;; esac
  set -- "$@" "$argument"
done
exec "$@"
