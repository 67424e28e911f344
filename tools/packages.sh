#!/usr/bin/env bash
# What users of packages meet: a plain build, installed and used from outside the source tree, with both MPI libraries.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: tools/packages.sh [consumers | nofftw | abi]...
  all of them unless some are named; consumers: installed, shared, static, in C alone, by FetchContent and add_subdirectory"

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(consumers nofftw abi)
for part in "${parts[@]}"; do
  [[ $part =~ ^(consumers|nofftw|abi)$ ]] || usage_error "packages: unknown part '$part'" "$usage"
done
FOLDER=$BUILD/packages
mkdir -p "$FOLDER"

mpi_options() { # openmpi|mpich
  echo "-DMPI_C_COMPILER=$(mpi_tool mpicc "$1") -DMPI_CXX_COMPILER=$(mpi_tool mpicxx "$1")" \
    "-DMPI_Fortran_COMPILER=$(mpi_tool mpifort "$1")"
}
# quiet LOG COMMAND...: shows the log only where the command fails.
quiet() {
  local log=$FOLDER/$1.log
  shift
  "$@" > "$log" 2>&1 || { tail -40 "$log" >&2; return 1; }
}
# built FOLDER SOURCE OPTION...
built() {
  local folder=$1 source=$2
  shift 2
  quiet "$(basename "$folder")-configure" cmake -S "$source" -B "$folder" -Wno-dev "$@"
  quiet "$(basename "$folder")-build" cmake --build "$folder" -j "$(jobs)"
}
# runs MPI PROGRAM...: each on two ranks.
runs() {
  local mpi=$1 program
  shift
  local flags=()
  [[ $mpi == openmpi ]] && flags=(--quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
  [[ $mpi == openmpi && $(id -u) -eq 0 ]] && flags+=(--allow-run-as-root)
  for program in "$@"; do
    OMP_NUM_THREADS=1 "$(mpi_tool mpirun "$mpi")" "${flags[@]}" -n 2 "$program" || die "$program failed"
  done
}

# installed MPI: a plain build with the Fortran module, installed; echoes nothing.
installed() {
  # shellcheck disable=SC2046
  built "$FOLDER/library-$1" "$ROOT" $(mpi_options "$1") -DSHARDFFT_FORTRAN=ON -DSHARDFFT_MKL=OFF
  rm -rf "$FOLDER/prefix-$1"
  quiet "install-$1" cmake --install "$FOLDER/library-$1" --prefix "$FOLDER/prefix-$1"
}

# What is installed names neither the folder of the sources nor that of the build, and shows what it should.
check_prefix() {
  local prefix=$1 library
  # gfortran writes names of source files into messages about memory, as they were given to it.
  ! grep -rlF --exclude='libshardfft_fortran*' -e "$ROOT" "$prefix" || die "the files above name the folder of the sources"
  library=$(find "$prefix" -name 'libshardfft.so')
  ! nm -DC --defined-only "$library" | grep -E 'fftw|nlohmann|Executor|Communicator|::(Impl|Rep)' ||
    die "the shared library shows the symbols above, which are its own affair"
  for name in LICENSE LICENSE.nlohmann_json shardfft.pc version.h shardfft-config.cmake; do
    [[ -n $(find "$prefix" -name "$name") ]] || die "$name is not installed"
  done
}

consumers() {
  local mpi how
  for mpi in openmpi mpich; do
    say "a plain build with $mpi"
    installed "$mpi"
    check_prefix "$FOLDER/prefix-$mpi"
    for how in installed static c; do
      say "a program outside the tree: $how, $mpi"
      local fortran=OFF programs=(in_c)
      [[ $how == installed ]] && fortran=ON programs+=(in_fortran)
      [[ $how == c ]] || programs+=(in_cxx)
      rm -rf "$FOLDER/consumer-$how-$mpi"
      # shellcheck disable=SC2046
      built "$FOLDER/consumer-$how-$mpi" "$ROOT/tests/packages/consumer" $(mpi_options "$mpi") -DHOW=$how \
        -DWITH_FORTRAN=$fortran -DCMAKE_PREFIX_PATH="$FOLDER/prefix-$mpi"
      runs "$mpi" "${programs[@]/#/$FOLDER/consumer-$how-$mpi/}"
    done
  done
  say "a program outside the tree: pkg-config"
  local flags
  flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$FOLDER/prefix-openmpi" -name shardfft.pc)") pkg-config --cflags --libs shardfft)
  # shellcheck disable=SC2086
  quiet pkg-config "$(mpi_tool mpicc openmpi)" "$ROOT/tests/packages/consumer/in_c.c" -o "$FOLDER/in_c" $flags -lm
  LD_LIBRARY_PATH=$(dirname "$(find "$FOLDER/prefix-openmpi" -name libshardfft.so)") runs openmpi "$FOLDER/in_c"
  for how in subdirectory fetched; do
    say "a program outside the tree: $how"
    # shellcheck disable=SC2046
    built "$FOLDER/consumer-$how" "$ROOT/tests/packages/consumer" $(mpi_options openmpi) -DHOW=$how -DSHARDFFT_SOURCE="$ROOT" \
      -DSHARDFFT_MKL=OFF
    runs openmpi "$FOLDER/consumer-$how/in_c" "$FOLDER/consumer-$how/in_cxx"
  done
}

# Without FFTW: neither its header nor the library, and the report says what makes the transforms.
nofftw() {
  say "a build without FFTW"
  # shellcheck disable=SC2046
  built "$FOLDER/library-nofftw" "$ROOT" $(mpi_options openmpi) -DSHARDFFT_FFTW=OFF -DSHARDFFT_MKL=OFF -DSHARDFFT_EXAMPLES=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_FFTW=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
  ! ldd "$FOLDER/library-nofftw/libshardfft.so" | grep fftw || die "it is linked to FFTW"
  runs openmpi "$FOLDER/library-nofftw/examples/example_04_real" "$FOLDER/library-nofftw/examples/example_05_poisson"
  say "a missing FFTW is an error that says what to install"
  # shellcheck disable=SC2046
  ! cmake -S "$ROOT" -B "$FOLDER/missing" -Wno-dev $(mpi_options openmpi) -DCMAKE_DISABLE_FIND_PACKAGE_FFTW=ON \
    > "$FOLDER/missing.log" 2>&1 || die "it was configured"
  grep -q "libfftw3-dev" "$FOLDER/missing.log" || die "the message does not say what to install"
}

# The functions of C that libshardfft shows, against those of the last version; and a changed signature is found.
abi() {
  say "the binary interface"
  bash "$ROOT/tools/abi.sh"
}

for part in "${parts[@]}"; do "$part"; done
say "packages are good"
