"""What all others stand on: errors, arguments, MPI, words."""
