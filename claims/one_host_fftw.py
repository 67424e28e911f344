"""As one-host with FFTW on both sides: at least 1.2 times as fast as FFTW-MPI, at most 1.10 times FFTW's threads."""

import sys

from one_host import main

if __name__ == "__main__":
    sys.exit(main("one-host-fftw", __doc__))
