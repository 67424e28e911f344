"""For PyTorch and JAX: plans as linear maps, and transforms without MPI."""
