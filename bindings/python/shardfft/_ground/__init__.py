"""The base of all others: errors, arguments, MPI, words."""
