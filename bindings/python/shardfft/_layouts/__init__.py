"""The parts of an array that ranks have, and the form of their blocks."""
