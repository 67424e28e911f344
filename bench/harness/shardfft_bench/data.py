"""Finds the data files: in an installed package, or in the repository this file lies in."""

from __future__ import annotations

from pathlib import Path

import yaml

from .errors import BenchError


def folder(name: str) -> Path:
    """The folder `experiments`, `launchers` or `schema`."""
    here = Path(__file__).resolve()
    for candidate in (here.parent / "data" / name, here.parents[2] / name):
        if candidate.is_dir():
            return candidate
    raise BenchError(f"the data folder '{name}' is missing from this installation")


FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, where PyYAML was built with it: ten times as fast


class _Loader(FAST):
    """Refuses a key that is given twice, of which YAML would take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise yaml.constructor.ConstructorError(None, None, f"'{twice}' is given twice", node.start_mark)
        return super().construct_mapping(node, deep)


def load_yaml(path: Path) -> dict:
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise BenchError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BenchError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise BenchError(f"{path} does not hold a mapping")
    return content
