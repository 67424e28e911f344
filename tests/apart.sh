#!/bin/sh
# apart.sh HOW RANKS PROGRAM ARGUMENTS...: runs an MPI program with ranks in namespaces of their own, as containers do.
# HOW: pid (process numbers), some (the same, but for the first two ranks), ipc, uts (host names), shm (/dev/shm), all.
# LAUNCHER: the words that launch, up to the number of ranks. If this is not allowed, it says so and ends with 77.
set -eu
how=$1 ranks=$2
shift 2

case $how in
  pid | some) flags="--fork --pid --mount-proc" ;;
  ipc) flags="--ipc" ;;
  uts) flags="--uts" ;;
  shm) flags="--mount" ;;
  all) flags="--fork --pid --mount-proc --ipc --uts --mount" ;;
esac
inside='set -e
case $HOW in shm | all) mount -t tmpfs -o size=64k none /dev/shm ;; esac
case $HOW in uts | all) hostname "host-$$-${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" ;; esac
exec "$@"'
export HOW="$how"

# Whoever is not root needs user namespaces for it, in which processes do not open each other's files.
found=$how
if ! unshare $flags sh -c "$inside" inside true 2> /dev/null; then
  flags="--user --map-current-user --keep-caps $flags"
  if [ "$how" != some ]; then found=pid; fi
  if ! unshare $flags sh -c "$inside" inside true; then
    echo "SKIPPED: this machine does not let this user make namespaces ($how)"
    exit 77
  fi
fi

# Shared memory of MPI's own would take its neighbours for others too.
tcp=""
if ${LAUNCHER%% *} --version 2>&1 | grep -q "Open MPI\|OpenRTE\|PRRTE"; then tcp="--mca btl tcp,self"; fi
export MPIR_CVAR_NOLOCAL=1 SHARDFFT_TEST_APART="$found"
if [ "$how" = some ]; then
  exec $LAUNCHER 2 $tcp "$@" : -n $((ranks - 2)) $tcp unshare $flags sh -c "$inside" inside "$@"
fi
exec $LAUNCHER "$ranks" $tcp unshare $flags sh -c "$inside" inside "$@"
