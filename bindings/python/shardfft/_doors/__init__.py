"""The class DistArray and the functions of the package's top."""
