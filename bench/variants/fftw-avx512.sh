#!/usr/bin/env bash
# Builds FFTW as users who want its speed do: Debian's own source package in both precisions with OpenMP and MPI, with AVX2, AVX-512
# and FMA beside the SSE2 and AVX that Debian's package has. The same library names, so that every driver takes it in place of Debian's.
#
#     bench/variants/fftw-avx512.sh FOLDER      # FOLDER/lib and FOLDER/include; wants apt's package lists, a compiler, an MPI library
#
# FOLDER should be called fftw-avx512 and lie outside the repository; SHARDFFT_BENCH_VARIANTS names the folder that it is in.
set -euo pipefail
[[ $# == 1 ]] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
into=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Apt with sources beside its own, which stay as they are.
mkdir -p "$work"/{parts,lists,cache,source}
for file in /etc/apt/sources.list.d/*.sources; do
  [[ -e $file ]] && sed 's/^Types:.*/Types: deb-src/' "$file" > "$work/parts/$(basename "$file")"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ -e $file ]] && sed -n 's/^deb /deb-src /p' "$file" > "$work/parts/$(basename "$file" .list).list"
done
apt=(apt-get -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$work/parts" -o "Dir::State::lists=$work/lists"
     -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=root")
"${apt[@]}" -qq update
(cd "$work/source" && "${apt[@]}" -qq source --download-only fftw3 && tar xf fftw3_*.orig.tar.*)
cd "$work"/source/*/

flags=(--enable-shared --disable-static --disable-fortran --disable-doc --enable-openmp --enable-mpi --enable-sse2 --enable-avx
       --enable-avx2 --enable-avx512 --enable-fma)
for precision in "" --enable-float; do
  ./configure --quiet --prefix="$into" "${flags[@]}" ${precision:+"$precision"}
  make -s -j"${JOBS:-$(nproc)}"
  make -s install
  make -s distclean
done
echo "FFTW of Debian's source package fftw3 with ${flags[*]}" > "$into/built.txt"
cat "$into/built.txt"
