"""Drivers of libraries that are called from Python; the same case, field, clock and record as the native ones."""
