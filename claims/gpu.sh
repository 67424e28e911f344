#!/usr/bin/env bash
# Two GPUs: plans 1.1 times as fast as cuFFTXt and cuFFTMp at 1024^3 and 1536^3; without GPUs, the last record.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../tools/gpu_claim.sh" gpu 2 "$@"
