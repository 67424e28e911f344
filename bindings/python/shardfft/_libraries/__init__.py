"""Arrays of NumPy, CuPy, PyTorch and JAX, and the streams of GPUs."""
