#!/usr/bin/env bash
# Packages as their users meet them: a plain build, installed and used from outside the source tree, with both MPI libraries.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: tools/packages.sh [consumers | mpich | tree | nofftw | abi | debian | recipes]...
  all of them unless some are named. consumers: installed, shared and static, in C alone, by pkg-config; mpich: the same with
  MPICH; tree: by FetchContent and add_subdirectory; debian: Debian's packages, and what lintian says of them; recipes: those for conda and Spack"

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(consumers mpich tree nofftw abi debian recipes)
for part in "${parts[@]}"; do
  [[ $part =~ ^(consumers|mpich|tree|nofftw|abi|debian|recipes)$ ]] || usage_error "packages: unknown part '$part'" "$usage"
done
FOLDER=$BUILD/packages
mkdir -p "$FOLDER"

mpi_options() { # openmpi|mpich
  echo "-DMPI_C_COMPILER=$(mpi_tool mpicc "$1") -DMPI_CXX_COMPILER=$(mpi_tool mpicxx "$1")" \
    "-DMPI_Fortran_COMPILER=$(mpi_tool mpifort "$1")"
}
# For builds whose speed does not matter.
quick=(-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DSHARDFFT_MKL=OFF)
# Packages that a user of the shared library does not need.
without=()
for package in FFTW CBLAS OpenMP; do without+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
# quiet LOG COMMAND...: shows the log only if the command fails.
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

# installed MPI OPTION...: a build with the Fortran module, installed.
installed() {
  local mpi=$1
  shift
  # shellcheck disable=SC2046
  built "$FOLDER/library-$mpi" "$ROOT" $(mpi_options "$mpi") -DSHARDFFT_FORTRAN=ON -DSHARDFFT_MKL=OFF "$@"
  rm -rf "$FOLDER/prefix-$mpi" "$FOLDER/first-$mpi"
  quiet "install-$mpi" cmake --install "$FOLDER/library-$mpi" --prefix "$FOLDER/first-$mpi"
  mv "$FOLDER/first-$mpi" "$FOLDER/prefix-$mpi"  # it may be moved
  check_prefix "$FOLDER/prefix-$mpi"
}

# Installed files name neither the folder of the sources nor that of the build.
check_prefix() {
  local prefix=$1 name
  ! grep -rlF -e "$ROOT" -e "$FOLDER" "$prefix" || die "the files above name the folder of the sources, or of the build"
  for name in LICENSE shardfft.pc version.h shardfft-config.cmake; do
    [[ -n $(find "$prefix" -name "$name") ]] || die "$name is not installed"
  done
}

# consumed MPI: programs that use the installed library.
consumed() {
  local mpi=$1 how
  for how in installed static c; do
    say "a program outside the tree: $how, $mpi"
    local programs=(in_c) options=("-DHOW=$how")
    [[ $how == installed ]] && programs+=(in_fortran) options+=(-DWITH_FORTRAN=ON)
    [[ $how == static ]] || options+=("${without[@]}")
    [[ $how == c ]] || programs+=(in_cxx)
    rm -rf "$FOLDER/consumer-$how-$mpi"
    # shellcheck disable=SC2046
    built "$FOLDER/consumer-$how-$mpi" "$ROOT/tests/packages/consumer" $(mpi_options "$mpi") "${options[@]}" \
      -DCMAKE_PREFIX_PATH="$FOLDER/prefix-$mpi"
    runs "$mpi" "${programs[@]/#/$FOLDER/consumer-$how-$mpi/}"
  done
}

consumers() {
  say "a plain build, installed"
  installed openmpi
  # Without optimisation it shows inline functions too.
  ! nm -DC --defined-only "$(find "$FOLDER/prefix-openmpi" -name libshardfft.so)" |
    grep -E 'fftw|Executor|Communicator|::(Impl|Rep)' ||
    die "the shared library shows the symbols above, which are its own affair"
  consumed openmpi
  say "a program outside the tree: pkg-config"
  local flags how
  for how in --libs --static; do
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$FOLDER/prefix-openmpi" -name shardfft.pc)") \
      pkg-config "$how" --libs --cflags shardfft)
    [[ $how == --static ]] && flags=${flags/-lshardfft/-l:libshardfft.a}  # the shared one lies beside it
    # shellcheck disable=SC2086
    quiet pkg-config "$(mpi_tool mpicc openmpi)" "$ROOT/tests/packages/consumer/in_c.c" -o "$FOLDER/in_c" $flags -lm
    LD_LIBRARY_PATH=$(dirname "$(find "$FOLDER/prefix-openmpi" -name libshardfft.so)") runs openmpi "$FOLDER/in_c"
  done
}

mpich() {
  say "a build with MPICH, installed"
  installed mpich "${quick[@]}"
  consumed mpich
}

# The sources as a part of another program's: both ways have the same folder, so that the second compiles nothing anew.
tree() {
  local how
  for how in subdirectory fetched; do
    say "a program outside the tree: $how"
    # shellcheck disable=SC2046
    built "$FOLDER/consumer-tree" "$ROOT/tests/packages/consumer" $(mpi_options openmpi) -DHOW=$how \
      -DSHARDFFT_SOURCE="$ROOT" "${quick[@]}"
    runs openmpi "$FOLDER/consumer-tree/in_c" "$FOLDER/consumer-tree/in_cxx"
  done
}

# Without FFTW: neither its header nor the library, and the report names the library of the transforms.
nofftw() {
  say "a build without FFTW"
  # shellcheck disable=SC2046
  built "$FOLDER/library-nofftw" "$ROOT" $(mpi_options openmpi) -DSHARDFFT_FFTW=OFF -DSHARDFFT_EXAMPLES=ON "${quick[@]}" \
    -DCMAKE_DISABLE_FIND_PACKAGE_FFTW=ON
  ! ldd "$FOLDER/library-nofftw/libshardfft.so" | grep fftw || die "it is linked to FFTW"
  runs openmpi "$FOLDER/library-nofftw/examples/example_04_real" "$FOLDER/library-nofftw/examples/example_05_poisson"
  runs openmpi "$FOLDER/library-nofftw/examples/example_03_brick" > "$FOLDER/nofftw.txt"
  grep -E 'local FFT (lanes|reference)' "$FOLDER/nofftw.txt" || die "the report does not say what makes the transforms"
  say "a missing FFTW is an error that says what to install"
  # shellcheck disable=SC2046
  ! cmake -S "$ROOT" -B "$FOLDER/missing" -Wno-dev $(mpi_options openmpi) -DCMAKE_DISABLE_FIND_PACKAGE_FFTW=ON \
    > "$FOLDER/missing.log" 2>&1 || die "it was configured"
  grep -q "libfftw3-dev" "$FOLDER/missing.log" || die "the message does not say what to install"
}

abi() {
  say "the binary interface"
  bash "$ROOT/tools/abi.sh"
}

# In a copy of the sources that git knows, as Debian's tools want debian/ at their top; without symbols for debuggers, which
# take as long as the rest.
debian() {
  say "Debian's packages"
  local tool
  for tool in dpkg-buildpackage dh lintian; do
    command -v $tool > /dev/null || die "$tool is missing (Debian: dpkg-dev, debhelper, lintian)"
  done
  rm -rf "$FOLDER/debian"
  mkdir -p "$FOLDER/debian/shardfft"
  (cd "$ROOT" && git ls-files -z -- . ':!bench' ':!claims' ':!tests' | xargs -0 cp --parents -t "$FOLDER/debian/shardfft")
  cp -r "$ROOT/packaging/debian" "$FOLDER/debian/shardfft/debian"
  (cd "$FOLDER/debian/shardfft" && DEB_CFLAGS_STRIP=-g DEB_CXXFLAGS_STRIP=-g DEB_FCFLAGS_STRIP=-g \
    DEB_BUILD_OPTIONS="parallel=$(jobs) noautodbgsym" quiet debian dpkg-buildpackage -us -uc -b)
  (cd "$FOLDER/debian" && ls -- *.deb && quiet lintian lintian --fail-on error,warning --allow-root -- *.changes)
  cat "$FOLDER/lintian.log"
  local package files=$FOLDER/debian/files
  for package in "$FOLDER"/debian/*.deb; do dpkg-deb -x "$package" "$files"; done
  ! grep -rlF -e "$ROOT" -e "$FOLDER" "$files" || die "the files above, of Debian's packages, name the folder of the build"
  say "a program in C alone with Debian's packages"
  rm -rf "$FOLDER/consumer-debian"
  # shellcheck disable=SC2046
  built "$FOLDER/consumer-debian" "$ROOT/tests/packages/consumer" $(mpi_options openmpi) -DHOW=c "${without[@]}" \
    -DCMAKE_PREFIX_PATH="$files/usr"
  runs openmpi "$FOLDER/consumer-debian/in_c"
}

recipes() {
  say "recipes for conda and Spack"
  [[ -d $FOLDER/recipes ]] || "${PYTHON:-/usr/bin/python3}" -m venv "$FOLDER/recipes"
  quiet recipes "$FOLDER/recipes/bin/python" -m pip install --disable-pip-version-check 'py-rattler-build>=0.70'
  "$FOLDER/recipes/bin/python" "$ROOT/tests/packages/recipes.py" || die "a recipe is not good"
}

for part in "${parts[@]}"; do "$part"; done
say "packages are good"
