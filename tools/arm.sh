#!/usr/bin/env bash
# The library for 64-bit ARM: cross-compiled for Debian's arm64, and tested under emulation.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: ./run arm [--run RANKS PROGRAM...]
  compiles the library and some of its tests for aarch64, looks at the instructions of its kernels, and runs the tests under
  qemu in a folder with Debian's arm64 packages (build/arm/system), on 1, 2 and 4 ranks. Needs root, for chroot and mounts.
  --run: only makes the folder, and runs a program that lies in it"
case "${1:-}" in
  '') ;;
  --run) [[ $# -ge 3 ]] || usage_error "arm: --run needs a number of ranks and a program" "$usage"; positive --run "$2" ;;
  -h | --help) echo "$usage"; exit 0 ;;
  *) usage_error "arm: unknown option '$1'" "$usage" ;;
esac

FOLDER=$BUILD/arm
SYSTEM=$FOLDER/system
LIBRARIES=/usr/lib/aarch64-linux-gnu
PACKAGES=(libopenmpi-dev openmpi-bin libfftw3-dev libgomp1 libopenblas-serial-dev nlohmann-json3-dev libgtest-dev
  python3 libpython3-dev)
PYTHON_NAME=$("${PYTHON:-/usr/bin/python3}" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
# Local transforms, packing, geometry, memory that ranks share, whole plans, and the C interface. Tests that start programs of
# their own, wait by the clock or compute for minutes are left to machines that are not emulated.
TESTS='^local_test_(against_reference|lanes|literal_values|limits)$|^pack_|^geometry_test_(schedule|layout_kinds|programs|progression)$'
TESTS+='|^mpi_plan_test_(literal_values|transforms|operators)$|^mpi_host_test_(windows|outputs)$|^mpi_c_test_transforms$|^threads_test_memory'

[[ $(id -u) -eq 0 ]] || die "./run arm needs root: it runs ARM's programs in a folder of their own (chroot)"
bash "$ROOT/tools/install_dependencies.sh" tests arm
hold_lock "$FOLDER"

# Debian's packages for arm64, unpacked: none of their scripts runs, and nothing of the host's changes.
unpacked() {
  [[ $(cat "$SYSTEM/.packages" 2> /dev/null) == "${PACKAGES[*]}" ]] && return
  local apt=$FOLDER/apt package
  rm -rf "$SYSTEM" "$apt"
  mkdir -p "$SYSTEM" "$apt"/{state/lists/partial,cache/archives/partial}
  : > "$apt/status"
  printf '%s\n' 'APT::Architecture "arm64";' 'APT::Architectures {"arm64";};' "Dir::State \"$apt/state\";" \
    "Dir::State::status \"$apt/status\";" "Dir::Cache \"$apt/cache\";" 'APT::Install-Recommends "false";' > "$apt/apt.conf"
  APT_CONFIG=$apt/apt.conf apt-get update -qq || die "apt-get update failed for arm64"
  APT_CONFIG=$apt/apt.conf apt-get install -qq -y --download-only "${PACKAGES[@]}" > /dev/null || die "arm64's packages cannot be had"
  for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$SYSTEM"; done
  rm -rf "$apt"
  mkdir -p "$SYSTEM"/{proc,dev,tmp,sys}
  chmod 1777 "$SYSTEM/tmp"
  cp "$(command -v qemu-aarch64-static)" "$SYSTEM/qemu"
  # Not the one that looks for a machine's own beside those of others.
  cp "$SYSTEM/usr/include/aarch64-linux-gnu/$PYTHON_NAME/pyconfig.h" "$SYSTEM/usr/include/$PYTHON_NAME/"
  # Paths of the host lead to the same files inside.
  mkdir -p "$SYSTEM$(dirname "$SYSTEM")"
  ln -s / "$SYSTEM$SYSTEM"
  echo "${PACKAGES[*]}" > "$SYSTEM/.packages"
}

toolchain() {
  cat << TEXT
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH $SYSTEM)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
add_link_options(-Wl,-rpath-link,$SYSTEM$LIBRARIES:$SYSTEM$LIBRARIES/openblas-serial:$SYSTEM/lib/aarch64-linux-gnu)
set(Python_INCLUDE_DIR $SYSTEM/usr/include/$PYTHON_NAME)
set(SKBUILD_SOABI cpython-${PYTHON_NAME//[^0-9]/}-aarch64-linux-gnu)
TEXT
}

built() {
  local mpi=$SYSTEM$LIBRARIES/openmpi
  # Without pkg-config, which would find the host's.
  PKG_CONFIG_LIBDIR=$FOLDER/none cmake -S "$ROOT" -B "$SYSTEM/build" -Wno-dev -DCMAKE_TOOLCHAIN_FILE="$FOLDER/toolchain.cmake" \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$COMPILER" -DMPI_SKIP_COMPILER_WRAPPER=ON -DMPI_C_HEADER_DIR="$mpi/include" \
    -DMPI_CXX_HEADER_DIR="$mpi/include" -DMPI_C_LIB_NAMES=mpi -DMPI_CXX_LIB_NAMES=mpi -DMPI_mpi_LIBRARY="$mpi/lib/libmpi.so" \
    -DMPIEXEC_EXECUTABLE="$(mpi_tool mpirun)" -DSHARDFFT_MKL=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON \
    -DSHARDFFT_TEST_LINKER=none \
    -DSHARDFFT_TESTS=ON "-DSHARDFFT_TESTS_ONLY=$TESTS" -DSHARDFFT_TESTS_TOGETHER=ON -DSHARDFFT_TOGETHER=ON \
    > "$FOLDER/configure.log" 2>&1 || { cat "$FOLDER/configure.log" >&2; die "cmake failed"; }
  cmake --build "$SYSTEM/build" -j "$(jobs)" --target shardfft local_tests pack_tests geometry_tests threads_tests mpi_plan_tests \
    mpi_host_tests mpi_c_test_transforms -- --no-print-directory -s > "$FOLDER/build.log" 2>&1 || { tail -50 "$FOLDER/build.log" >&2; die "the build failed"; }
}

# Lines in lanes: fused products, in all 32 vectors.
looked_at_kernels() {
  local used
  used=$(aarch64-linux-gnu-objdump -d "$(find "$SYSTEM/build" -name 'lanes_128.cpp.o')" | grep -oE 'fmla\s+v[0-9]+' | sort -u | wc -l)
  ((used == 32)) || die "kernels for lines in lanes have fused products in $used vectors, not in all 32"
  echo "   kernels for lines in lanes: fused products in all 32 vectors"
}

# ranks COUNT PROGRAM...: under emulation, started by the host's mpirun.
ranks() {
  local count=$1
  shift
  OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} "$(mpi_tool mpirun)" --quiet --allow-run-as-root --oversubscribe --bind-to none \
    --mca mpi_yield_when_idle 1 --mca orte_tmpdir_base "$SYSTEM/tmp" --mca btl self,tcp -n "$count" chroot "$SYSTEM" /qemu "$@" ||
    die "$1 failed on $count ranks"
}
# in_parts PROGRAM...: its tests, divided among the cores.
in_parts() {
  local part parts=()
  for ((part = 0; part < $(cores); ++part)); do
    GTEST_TOTAL_SHARDS=$(cores) GTEST_SHARD_INDEX=$part OMP_NUM_THREADS=2 ranks 1 "$@" &
    parts+=($!)
  done
  local failed=0
  for part in "${parts[@]}"; do wait "$part" || failed=1; done
  return "$failed"
}
# Tests that take minutes on any machine, that start themselves, or that read their mappings in /proc, which are those of the
# emulator.
LEFT_OUT=HostWindows.LieInHugePages
LONG='Lanes.LongLines:Lanes.FewLongLines:Lanes.ErrorsAreThoseOfFftw:Neighbours.NoLineChangesAnother:*MoreBytesThanOneCall*'
LONG+=:Registry.NoLibraryEndsTheProcess
LEFT_OUT+=:Transforms.LargerArrays:Transforms.ResultsThatArePutPastTheCache
tested() {
  local program count
  for program in geometry_tests pack_tests "local_tests --gtest_filter=-$LONG" "threads_tests --gtest_filter=MemoryOrder*"; do
    # shellcheck disable=SC2086
    in_parts /build/tests/$program
  done
  # Ranks that wait for each other compute beside the emulator: each test runs on one or four ranks, and half of them on two.
  for count in 1 2 4; do
    for program in mpi_c_test_transforms mpi_plan_tests mpi_host_tests; do
      GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$((count / 4)) ranks "$count" "/build/tests/$program" "--gtest_filter=-$LEFT_OUT"
    done
  done
}

# inside COMMAND...: with the kernel's folders in the system's, which only this command sees.
inside() {
  # shellcheck disable=SC2016
  unshare --mount bash -euo pipefail -c 'for folder in proc dev sys; do mount --rbind "/$folder" "$SYSTEM/$folder"; done; "$@"' inside "$@"
}
export -f ranks in_parts tested cores mpi_tool die
export SYSTEM LONG LEFT_OUT GTEST_BRIEF=1

[[ ${1:-} == --run ]] || say "Debian's arm64"
unpacked
toolchain > "$FOLDER/toolchain.cmake"
if [[ ${1:-} == --run ]]; then
  inside ranks "${@:2}"
  exit
fi
say "the library for aarch64, with $(jobs) jobs"
built
looked_at_kernels
say "tests for aarch64, under emulation"
inside tested || die "tests for aarch64 failed"
say "aarch64 is good, under emulation"
