"""All files that tell the version tell the same one: headers, CMake, packages, citation, changes, the site."""

from __future__ import annotations

import json
import re

from blocks import ROOT


def found(file: str, pattern: str) -> list[str]:
    return re.findall(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


VERSION = found("include/shardfft/version.h", r'define SHARDFFT_VERSION "(.*)"')[0]


def test_versions_agree():
    major, minor, patch = VERSION.split(".")
    for name, number in (("MAJOR", major), ("MINOR", minor), ("PATCH", patch)):
        assert found("include/shardfft/version.h", rf"SHARDFFT_VERSION_{name} (\d+)$") == [number]
    for file, pattern in {
        "bindings/python/pyproject.toml": r'^version = "(.*)"',
        "bindings/python/shardfft/__init__.py": r'^__version__ = "(.*)"',
        "bench/harness/pyproject.toml": r'^version = "(.*)"',
        "bench/harness/shardfft_bench/__init__.py": r'^__version__ = "(.*)"',
        "packaging/conda/recipe.yaml": r'^  version: "(.*)"',
        "CITATION.cff": r"^version: (.*)",
        "README.md": r"^This is version ([\d.]+)\. ",
    }.items():
        assert found(file, pattern) == [VERSION], file
    assert VERSION in found("packaging/spack/package.py", r'^    version\("(.*)"\)')
    assert found("packaging/debian/changelog", r"^shardfft \((.*)-1~upstream\)")[0] == VERSION
    assert json.loads((ROOT / "docs/site/versions.json").read_text())[0]["version"] == VERSION


def test_changes_and_citation_tell_the_same_day():
    released = found("CHANGELOG.md", r"^## \[(\d.*)\] - (.*)$")
    assert released[0] == (VERSION, found("CITATION.cff", r"^date-released: (.*)")[0])
    assert found("CHANGELOG.md", r"^## \[Unreleased\]$") == ["## [Unreleased]"]


def test_libraries_have_the_headers_version():
    """The name that the loader seeks, and the one of pkg-config; CMake reads the header."""
    assert found("CMakeLists.txt", r"^project\(shardfft VERSION (.*) LANG") == ["${_version}"]
    assert found("cmake/shardfft.pc.in", r"^Version: (.*)") == ["@PROJECT_VERSION@"]
    for file in ("cmake/libraries.cmake", "bindings/fortran/CMakeLists.txt", "compat/CMakeLists.txt"):
        assert found(file, r"\bVERSION (\$\S+)") == ["${PROJECT_VERSION}"], file
        named = found(file, r"SOVERSION (\S+?)[ )\n]")
        assert named == ["${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"], file
    soname = ".".join(VERSION.split(".")[:2])
    names = [path.name for path in (ROOT / "packaging/debian").glob("libshardfft*[0-9].install")]
    assert names and all(name.endswith(f"{soname}.install") for name in names)
