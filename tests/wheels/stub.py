"""Prints the stub of the extension module, which bindings/python/shardfft/_core.pyi must be; under Open MPI."""

from nanobind.stubgen import StubGen

from shardfft import _core

made = StubGen(_core)
made.put(_core)
print(made.get(), end="")
