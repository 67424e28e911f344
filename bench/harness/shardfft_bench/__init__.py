"""The fair harness: runs distributed FFT libraries on the same work by the same clock, and reports."""

__version__ = "0.2.0"
