#!/usr/bin/env bash
# As one-host with FFTW alone on both sides: at least 1.2 times as fast as FFTW-MPI, at most 1.10 times FFTW's 2 threads.
exec bash "$(dirname "${BASH_SOURCE[0]}")/one_host.sh" one-host-fftw
