"""Transforms of arrays that are cut over ranks, as NumPy and SciPy make them of whole ones."""
