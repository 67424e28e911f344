#!/usr/bin/env bash
# Installs the system packages that are missing: install_dependencies.sh [GROUP...], groups: tests, ci, lint, docs, browser,
# hip, clang, arm, sim, programs (of others, which tests run over this library). Packages that the library, the Python
# package and the drivers need are in all groups.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(cmake g++ make libopenmpi-dev openmpi-bin libfftw3-dev libfftw3-mpi-dev libopenblas-dev nlohmann-json3-dev
  python3 python3-dev python3-venv)
for group in "$@"; do
  case "$group" in
    tests) packages+=(libgtest-dev gfortran pkg-config) ;;
    ci) packages+=(libmpich-dev mpich abigail-tools xz-utils mpi-default-dev dpkg-dev debhelper lintian) ;;
    lint) packages+=(cppcheck) ;;
    docs) packages+=(doxygen) ;;
    browser) packages+=(chromium) ;;
    programs) packages+=(lammps lammps-examples mpb-mpi) ;;
    hip) packages+=(clang-19 libamdhip64-dev) ;;
    clang) packages+=(clang libomp-dev) ;;
    sim) packages+=(libsimgrid-dev) ;;
    arm) packages+=(g++-aarch64-linux-gnu qemu-user-static) ;;
    *) die "unknown group of packages '$group'" ;;
  esac
done

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  for tool in cmake g++ mpicxx mpirun python3; do
    command -v "$tool" > /dev/null ||
      die "'$tool' is missing and this system has no apt; install what these Debian packages hold: ${packages[*]}"
  done
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

say "installing ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo > /dev/null || die "these packages are missing, and neither root nor sudo is at hand: ${missing[*]}"
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq || die "apt-get update failed"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
  > /dev/null || die "apt-get could not install: ${missing[*]}"
