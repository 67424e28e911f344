#!/usr/bin/env bash
# GPUs, sizes drawn by a seed: plans 1.15 times as fast as cuFFTXt and cuFFTMp; on one GPU not slower than cuFFT.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../tools/gpu_claim.sh" gpu-sizes 1 "$@"
