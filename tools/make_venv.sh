#!/usr/bin/env bash
# Makes .venv, or brings it up to tools/requirements.txt.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python=${PYTHON:-/usr/bin/python3}
command -v "$python" > /dev/null || python=python3
command -v "$python" > /dev/null || die "no Python interpreter '$python'"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || die "$python is older than Python 3.10"

hold_lock "$VENV"
stamp=$VENV/.requirements
wanted=$(cat "$ROOT/tools/requirements.txt" "${BASH_SOURCE[0]}" | sha256sum)
if [[ -f $stamp && $(cat "$stamp") == "$wanted" ]] && "$VENV/bin/python" -c 'import mpi4py.MPI, matplotlib, nanobind' 2> /dev/null; then
  exit 0
fi

say "installing Python packages into .venv"
[[ -x $VENV/bin/python ]] || "$python" -m venv "$VENV" || die "could not make $VENV"
pip=("$VENV/bin/python" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" -r "$ROOT/tools/requirements.txt" || die "pip could not install tools/requirements.txt"
# The wheel holds the demo's data; its many dependencies are not needed for that.
"${pip[@]}" --no-deps 'nilearn>=0.10' || die "pip could not install nilearn"
# mpi4py must use the library's MPI. Its wheel takes the system's libmpi; where that is another one, it is built anew.
"${pip[@]}" 'mpi4py>=4.0' || die "pip could not install mpi4py"
version='from mpi4py import MPI; print(MPI.Get_library_version().strip(chr(0)))'
if [[ $("$VENV/bin/python" -c "$version" 2> /dev/null) != "Open MPI v4."* ]]; then
  echo "building mpi4py against Open MPI; this takes a few minutes"
  MPICC=$(mpi_tool mpicc) "${pip[@]}" --force-reinstall --no-deps --no-cache-dir --no-binary mpi4py 'mpi4py>=4.0' ||
    die "pip could not build mpi4py"
fi
if [[ $(uname -m) == x86_64 ]]; then
  "${pip[@]}" mkl-devel mkl-include ||
    echo "run: oneMKL could not be installed; FFTW does the local transforms" >&2
fi
echo "$wanted" > "$stamp"
