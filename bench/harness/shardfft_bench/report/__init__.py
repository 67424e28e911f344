"""Turns result files into one HTML page with its pictures."""

from .page import write_report

__all__ = ["write_report"]
