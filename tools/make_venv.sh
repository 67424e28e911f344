#!/usr/bin/env bash
# Makes .venv, or brings it up to tools/requirements.txt; make_venv.sh [GROUP...]: to tools/requirements-GROUP.txt too.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python=${PYTHON:-/usr/bin/python3}
command -v "$python" > /dev/null || python=python3
command -v "$python" > /dev/null || die "no Python interpreter '$python'"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || die "$python is older than Python 3.10"

hold_lock "$VENV"
# Modules are compiled when they are imported: that is less than all of them.
pip=("$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile)

# up_to_date STAMP FILE...: whether .venv has been brought up to these files.
up_to_date() {
  wanted=$(cat "${@:2}" | sha256sum)
  [[ -f $VENV/$1 && $(cat "$VENV/$1") == "$wanted" ]]
}

if ! up_to_date .requirements "$ROOT/tools/requirements.txt" "${BASH_SOURCE[0]}" ||
  ! "$VENV/bin/python" -c 'import mpi4py.MPI, matplotlib, nanobind' 2> /dev/null; then
  say "installing Python packages into .venv"
  [[ -x $VENV/bin/python ]] || "$python" -m venv "$VENV" || die "could not make $VENV"
  packages=(-r "$ROOT/tools/requirements.txt" 'mpi4py>=4.0')
  if [[ $(uname -m) != x86_64 ]] || ! "${pip[@]}" "${packages[@]}" mkl-devel mkl-include; then
    "${pip[@]}" "${packages[@]}" || die "pip could not install tools/requirements.txt and mpi4py"
    echo "run: oneMKL is not installed; FFTW does the local transforms" >&2
  fi
  # The wheel holds the demo's data; its many dependencies are not needed for that.
  "${pip[@]}" --no-deps 'nilearn>=0.10' || die "pip could not install nilearn"
  # mpi4py must use the library's MPI. Its wheel takes the system's libmpi; if that is another one, it is built anew.
  version='from mpi4py import MPI; print(MPI.Get_library_version().strip(chr(0)))'
  if [[ $("$VENV/bin/python" -c "$version" 2> /dev/null) != "Open MPI v4."* ]]; then
    echo "building mpi4py against Open MPI; this takes a few minutes"
    MPICC=$(mpi_tool mpicc) "${pip[@]}" --force-reinstall --no-deps --no-cache-dir --no-binary mpi4py 'mpi4py>=4.0' ||
      die "pip could not build mpi4py"
  fi
  echo "$wanted" > "$VENV/.requirements"
fi

for group in "$@"; do
  file=$ROOT/tools/requirements-$group.txt
  up_to_date ".requirements-$group" "$file" && continue
  "${pip[@]}" -r "$file" || die "pip could not install tools/requirements-$group.txt"
  echo "$wanted" > "$VENV/.requirements-$group"
done
