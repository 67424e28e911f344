#!/usr/bin/env bash
# Wheels and source distributions as their users meet them: wheels.sh [--quick] [PART...].
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: tools/wheels.sh [--quick] [sdists | wheel | mpis | types | arm | cuda]...
  all of them unless some are named. sdists: source distributions, unpacked outside the tree; wheel: a wheel for any MPI,
  made of one; mpis: tried with Open MPI 4.1 and 5, MPICH 4 and 5, MPI's own interface, and without MPI; types: mypy and
  pyright over the examples; arm: a wheel for aarch64, tried under emulation; cuda: a wheel for GPUs, tried on processors, where nvcc is at hand
  --quick compiles without optimisation: it tries the packaging in a fraction of the time, and makes slow wheels.
  What is made lies in build/wheels/dist."

all=(sdists wheel mpis types arm cuda)
flags=-O3\ -DNDEBUG
if [[ ${1:-} == --quick ]]; then
  flags=-O0
  shift
fi
parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=("${all[@]}")
for part in "${parts[@]}"; do
  [[ " ${all[*]} " == *" $part "* ]] || usage_error "wheels: unknown part '$part'" "$usage"
done
FOLDER=$BUILD/wheels
DIST=$FOLDER/dist
# Here nothing of the tree lies above. It stays, so that the next run compiles only changed files.
OUTSIDE=${TMPDIR:-/tmp}/shardfft-sdists
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' "$ROOT/bindings/python/pyproject.toml")
SOURCE=$OUTSIDE/shardfft-$VERSION
TOOLS=$FOLDER/tools
hold_lock "$FOLDER"
mkdir -p "$DIST" "$OUTSIDE"
cd "$OUTSIDE"

# quiet NAME COMMAND...: shows its output only if it fails.
quiet() {
  local log=$FOLDER/$1.log
  shift
  "$@" > "$log" 2>&1 || { tail -40 "$log" >&2; die "$* failed"; }
}
# venv NAME PACKAGE...: an environment with these packages, made once for them.
venv() {
  local name=$1 python=$FOLDER/$1/bin/python
  shift
  [[ $(cat "$FOLDER/$name/.packages" 2> /dev/null) == "$*" ]] && return
  rm -rf "${FOLDER:?}/$name"
  "${PYTHON:-/usr/bin/python3}" -m venv "$FOLDER/$name"
  quiet "$name" "$python" -m pip install --disable-pip-version-check "$@"
  echo "$*" > "$FOLDER/$name/.packages"
}
tool() { VIRTUAL_ENV=$TOOLS PATH=$TOOLS/bin:$PATH "$@"; }
machine=$(uname -m)
the_wheel() { find "$DIST" -name "$1-$VERSION-*manylinux*_$machine.whl"; }
# into NAME WHEEL: puts it, and nothing that it needs, into an environment.
into() {
  quiet "$1-wheel" "$FOLDER/$1/bin/python" -m pip install --disable-pip-version-check --force-reinstall --no-deps "$2"
}

sdists() {
  local package
  say "source distributions"
  rm -f "$DIST"/*.tar.gz "$DIST"/shardfft_bench-*
  for package in bindings/python bench/harness; do
    quiet sdist tool "$TOOLS/bin/python" -m build --sdist --no-isolation --outdir "$DIST" "$ROOT/$package"
  done
  rm -rf "$OUTSIDE"/shardfft*
  # With times of now: files that an older build made of an older version are made anew.
  for package in "$DIST"/*.tar.gz; do tar -xmzf "$package" -C "$OUTSIDE"; done
  [[ -f $SOURCE/library/src/api/plan.cpp && -f $SOURCE/LICENSE && -f $SOURCE/shardfft/py.typed ]] || die "$SOURCE is not complete"
  say "the harness, from its source distribution"
  quiet harness tool "$TOOLS/bin/python" -m build --wheel --no-isolation --outdir "$DIST" "$OUTSIDE"/shardfft_bench-*
  venv harness pytest
  quiet harness-needs "$FOLDER/harness/bin/python" -m pip install --disable-pip-version-check "$DIST"/shardfft_bench-*.whl
  into harness "$DIST"/shardfft_bench-*.whl
  "$FOLDER/harness/bin/shardfft-bench" bench list | grep -q two-core || die "the harness does not find its experiments"
  cp -r "$ROOT/tests/bench" "$OUTSIDE/shardfft_bench-tests"
  "$FOLDER/harness/bin/python" -m pytest -q -p no:cacheprovider "$OUTSIDE/shardfft_bench-tests/test_results.py"
}

# The folders of mpi.h: an older header serves newer libraries. That of the standard's interface comes with MPICH 5.
abis() {
  local openmpi mpich
  openmpi=$("$(mpi_tool mpicc openmpi)" --showme:incdirs)
  mpich=$("$(mpi_tool mpicc mpich)" -compile_info | grep -o -- '-I[^ ]*' | head -1)
  echo "openmpi=${openmpi%% *};mpich=${mpich#-I};mpiabi=$FOLDER/mpich5/include"
}
# built NAME SOURCE OPTION...: the wheel as the compiler leaves it, in build/wheels/NAME-raw.
built() {
  local name=$1 source=$2
  shift 2
  rm -rf "$FOLDER/$name-raw"
  # ccache: files that were unpacked a moment ago are as good as others.
  CCACHE_SLOPPINESS=$CCACHE_SLOPPINESS,include_file_mtime,include_file_ctime CMAKE_BUILD_PARALLEL_LEVEL=$(jobs) \
    quiet "$name" tool "$TOOLS/bin/python" -m build --wheel --no-isolation --outdir "$FOLDER/$name-raw" \
    -Cbuild-dir="$FOLDER/$name-$VERSION" "-Ccmake.define.CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-}" \
    "-Ccmake.define.CMAKE_CXX_FLAGS_RELEASE=$flags" "-Ccmake.define.SHARDFFT_MPI_ABIS=$(abis)" "$@" "$source"
}
# finished NAME DISTRIBUTION OPTION...: with libgomp, and a name that says from which glibc on it runs.
finished() {
  local name=$1 distribution=$2 wheel
  shift 2
  rm -f "$DIST/$distribution-"[0-9]*"_$machine.whl"
  quiet "$name-auditwheel" tool auditwheel repair "$@" --wheel-dir "$DIST" "$FOLDER/$name-raw/"*.whl
  wheel=$(the_wheel "$distribution")
  tool "$TOOLS/bin/python" "$ROOT/tests/wheels/contents.py" "$wheel"
}

wheel() {
  say "a wheel for any MPI, from the source distribution"
  built cpu "$SOURCE" -Ccmake.define.SHARDFFT_TOGETHER=ON
  finished cpu shardfft
}

# tried NAME COMPILED LAUNCHER...: the check on one and two ranks; there is no compiler on the path.
tried() {
  into "$1" "$(the_wheel "${distribution:-shardfft}")"
  checked "$@"
}
checked() {
  local name=$1 compiled=$2 ranks
  shift 2
  for ranks in 1 2; do
    env -i "PATH=$FOLDER/$name/bin" HOME="$HOME" OMP_NUM_THREADS=1 "${variables[@]}" "$@" -n $ranks \
      "$FOLDER/$name/bin/python" "$ROOT/tests/wheels/check.py" "$compiled" || die "the wheel fails with $name"
  done
}

# with_debians tried|checked NAME: with Open MPI 4.1.
with_debians() {
  "$1" "$2" "Open MPI" "$(mpi_tool mpirun openmpi)" --quiet --mca plm isolated --mca mpi_yield_when_idle 1 "${open[@]}"
}
mpis() {
  local variables=()
  say "the wheel with Open MPI 4.1 and 5, MPICH 4 and 5"
  venv openmpi4 "${packages[@]}"
  venv openmpi5 openmpi "${packages[@]}"
  venv mpich4 "${packages[@]}"
  with_debians tried openmpi4
  tried openmpi5 "Open MPI" "$FOLDER/openmpi5/bin/mpirun" "${open[@]}"
  tried mpich5 MPICH "$FOLDER/mpich5/bin/mpirun"
  # Debian's library has another name than mpi4py's wheel asks for.
  ln -sf "$(readlink -f "$(gcc -print-file-name=libmpich.so)")" "$FOLDER/mpich4/libmpi.so.12"
  variables=(LD_LIBRARY_PATH="$FOLDER/mpich4" MPI4PY_LIBMPI="$FOLDER/mpich4/libmpi.so.12")
  tried mpich4 MPICH "$(mpi_tool mpirun mpich)"

  say "the wheel after a move to another folder, as archives that nodes unpack have it"
  local site moved=$FOLDER/moved
  site=$("$FOLDER/openmpi4/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  rm -rf "$moved"
  mkdir "$moved"
  mv "$site"/shardfft* "$moved"
  variables=(PYTHONPATH="$moved")
  with_debians checked openmpi4

  say "the wheel with the standard's interface (MPICH 5, and an mpi4py made for it)"
  mkdir -p "$FOLDER/mpi4py-abi"
  if [[ -z $(find "$FOLDER/mpi4py-abi" -name '*.whl') ]]; then
    MPICC=$FOLDER/mpich5/bin/mpicc_abi quiet mpi4py-abi "$FOLDER/mpich5/bin/python" -m pip wheel --disable-pip-version-check \
      --no-cache-dir --no-deps --no-binary mpi4py -w "$FOLDER/mpi4py-abi" 'mpi4py>=4.1'
  fi
  venv mpiabi mpich "$(find "$FOLDER/mpi4py-abi" -name '*.whl')" numpy scipy
  variables=(LD_LIBRARY_PATH="$FOLDER/mpiabi/lib")
  tried mpiabi "MPI ABI" "$FOLDER/mpiabi/bin/mpirun"

  say "the wheel without MPI"
  venv alone "${packages[@]}"
  into alone "$(the_wheel shardfft)"
  local python=$FOLDER/alone/bin/python said
  SHARDFFT_MPI=none "$python" "$ROOT/tests/wheels/check.py" "no MPI"
  MPI4PY_LIBMPI=/nowhere/libmpi.so "$python" "$ROOT/tests/wheels/check.py" "no MPI"
  "$FOLDER/alone/bin/shardfft" --version | grep -qx "shardfft $VERSION" || die "shardfft --version does not say $VERSION"
  SHARDFFT_MPI=none "$FOLDER/alone/bin/shardfft" info
  ! said=$(PMI_SIZE=2 MPI4PY_LIBMPI=/nowhere/libmpi.so "$python" -c 'import shardfft' 2>&1) ||
    die "one of two processes without MPI took itself for the only one"
  [[ $said == *"one of 2 processes"* ]] || die "it was refused with: $said"
}

types() {
  say "mypy and pyright over the examples, with the wheel alone"
  into tools "$(the_wheel shardfft)"
  local examples
  rm -rf "$OUTSIDE/examples"
  cp -r "$ROOT/examples" "$OUTSIDE/"
  # PyTorch is too large for this: tools/frameworks.sh runs the tests that import it.
  mapfile -t examples < <(grep -L '^import torch' "$OUTSIDE"/examples/*.py)
  "$TOOLS/bin/mypy" --check-untyped-defs "${examples[@]}"
  "$TOOLS/bin/pyright" --pythonpath "$TOOLS/bin/python" "${examples[@]}"
  "$TOOLS/bin/python" "$ROOT/tests/wheels/stub.py" > "$FOLDER/_core.pyi"
  diff "$ROOT/bindings/python/shardfft/_core.pyi" "$FOLDER/_core.pyi" ||
    die "bindings/python/shardfft/_core.pyi is not the module's; tests/wheels/stub.py prints what it must be"
}

# arms RANKS COMPILED: the check, under emulation.
arms() {
  env -i PATH="$PATH" HOME="$HOME" BUILD="$BUILD" PYTHONPATH=/wheel OMP_NUM_THREADS=1 "${variables[@]}" \
    bash "$ROOT/tools/arm.sh" --run "$1" /usr/bin/python3 /wheel/check.py "$2"
}
arm() {
  say "a wheel for aarch64, cross-compiled, and tried under emulation"
  if [[ $(id -u) -ne 0 ]]; then
    echo "   left out: emulation needs root"
    return
  fi
  local machine=aarch64 variables=() system=$BUILD/arm/system platforms ranks
  bash "$ROOT/tools/arm.sh" --run 1 /usr/bin/python3 --version
  local -x _PYTHON_HOST_PLATFORM=linux-aarch64 AUDITWHEEL_LD_LIBRARY_PATH=$system/usr/lib/aarch64-linux-gnu
  # Without a common header, which holds mpi.h, a compiler cache makes most objects once for all interfaces of MPI.
  built arm "$SOURCE" -Ccmake.define.CMAKE_TOOLCHAIN_FILE="$BUILD/arm/toolchain.cmake" -Ccmake.define.SHARDFFT_PRECOMPILE=OFF
  finished arm shardfft
  unset _PYTHON_HOST_PLATFORM
  mapfile -t platforms < <(printf -- '--platform=manylinux_2_%d_aarch64\n' {17..40})
  rm -rf "$system/wheel"
  quiet arm-wheel "$TOOLS/bin/python" -m pip install --disable-pip-version-check --target "$system/wheel" --only-binary=:all: \
    "${platforms[@]}" "$(the_wheel shardfft)" "${packages[@]}"
  cp "$ROOT/tests/wheels/check.py" "$system/wheel"
  variables=(SHARDFFT_MPI=none)
  arms 1 "no MPI"
  variables=()
  for ranks in 1 2; do arms $ranks "Open MPI"; done
}

# The same sources under another name, with the packages that bring NVIDIA's libraries. If there is a GPU it computes there;
# else it computes on processors, and says so when it is asked for a GPU.
cuda() {
  say "a wheel for CUDA 13"
  if ! command -v nvcc > /dev/null; then
    echo "   left out: there is no nvcc"
    return
  fi
  local source=$OUTSIDE/shardfft_cuda13-$VERSION distribution=shardfft_cuda13 variables=() other python=$FOLDER/cuda13/bin/python
  rm -rf "$source"
  cp -r "$SOURCE" "$source"
  # NCCL 2.28 is the first with an all-to-all of its own.
  local needs='"nvidia-cuda-runtime>=13,<14", "nvidia-cufft>=12,<13", "nvidia-cuda-nvrtc>=13,<14", "nvidia-nccl-cu13>=2.28,<3"'
  sed -i -e 's/^name = "shardfft"/name = "shardfft-cuda13"/' -e "s/\"mpi4py>=4.0\"/&, $needs/" "$source/pyproject.toml"
  # Without a common header, which holds mpi.h, a compiler cache makes most objects once for all interfaces of MPI.
  built cuda13 "$source" -Ccmake.define.SHARDFFT_GPU=CUDA -Ccmake.define.SHARDFFT_PRECOMPILE=OFF \
    "-Ccmake.define.CMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES:-80-real;90}" \
    "-Ccmake.define.CMAKE_CUDA_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-}"
  finished cuda13 shardfft_cuda13 --exclude 'libcu*' --exclude 'libnccl*'

  say "the wheel for CUDA 13 in an empty environment"
  rm -rf "${FOLDER:?}/cuda13"
  venv cuda13 "${packages[@]}" "$(the_wheel $distribution)"
  SHARDFFT_MPI=none "$python" "$ROOT/tests/wheels/check.py" "no MPI"
  with_debians tried cuda13
  mapfile -t other < <(the_wheel shardfft)
  SHARDFFT_MPI=none "$python" "$ROOT/tests/wheels/check_cuda.py" "${other[@]}"
}

open=(--oversubscribe --bind-to none)
[[ $(id -u) -eq 0 ]] && open+=(--allow-run-as-root)
bash "$ROOT/tools/install_dependencies.sh" ci
packages=('mpi4py>=4.1' numpy scipy)
venv tools -r "$ROOT/tools/requirements-wheels.txt"
venv mpich5 mpich "${packages[@]}"  # it brings the header of the standard's interface
for part in "${parts[@]}"; do "$part"; done
say "wheels are good"
ls -l "$DIST" | awk 'NR > 1 {printf "   %6.1f MB  %s\n", $5 / 1e6, $NF}'
