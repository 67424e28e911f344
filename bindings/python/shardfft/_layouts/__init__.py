"""Which rank has which part of an array, and what its block must look like."""
