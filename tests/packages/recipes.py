"""Reads conda's recipe as its builder does (rattler-build), and Spack's as far as Python alone can: without a registry
of theirs nothing is built."""

import ast
import re
import sys
from pathlib import Path

from rattler_build import RenderConfig, Stage0Recipe, VariantConfig

root = Path(__file__).resolve().parents[2]
version = re.search(r'define SHARDFFT_VERSION "(.*)"', (root / "include/shardfft/version.h").read_text())[1]
cmake = "\n".join(path.read_text() for path in (root / "CMakeLists.txt", root / "cmake/gpu.cmake"))
options = set(re.findall(r"^(?:  )?(?:option|set)\((\w+)", cmake, re.MULTILINE)) | {"CMAKE_DISABLE_FIND_PACKAGE_CBLAS"}


def require(holds, words):
    if not holds:
        sys.exit(f"recipes: {words}")


def require_options(text, where):
    for name in re.findall(r"(?:-D|\")(SHARDFFT_\w+)", text):
        require(name in options, f"{where} names {name}, which is no option of CMakeLists.txt")


folder = root / "packaging/conda"
mpis = set()
for made in Stage0Recipe.from_file(folder / "recipe.yaml").render(
    VariantConfig.from_file(folder / "variants.yaml"), RenderConfig()
):
    recipe = made.recipe
    require(str(recipe.package.version) == version, f"conda's recipe is of {recipe.package.version}, not of {version}")
    mpis.add(re.match(r"mpi_(\w+)_h", recipe.build.string)[1])
    text = str(recipe.to_dict())
    require("tests/packages/consumer" in text, "conda's recipe compiles no program")
    require_options(text, "conda's recipe")
require(mpis == {"openmpi", "mpich"}, f"conda's recipe is for {sorted(mpis)}")

text = (root / "packaging/spack/package.py").read_text()
package = next(node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
methods = {node.name for node in package.body if isinstance(node, ast.FunctionDef)}
require("test_programs" in methods, f"Spack's recipe has {sorted(methods)}, and no test_programs")
require(f'version("{version}")' in text, f"Spack's recipe is not of {version}")
require_options(text, "Spack's recipe")
print(f"recipes of {version} for conda with {', '.join(sorted(mpis))} and for Spack")
