"""Commands that examine a job on its machine: its losses, and whether its transforms are right."""
