"""What PyTorch and JAX need: plans as linear maps, and transforms without MPI."""
