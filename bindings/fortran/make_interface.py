"""Writes the Fortran interfaces of the C functions, c/*.f90, from the headers of the C interface.

    python3 bindings/fortran/make_interface.py           writes them
    python3 bindings/fortran/make_interface.py --check   fails where they are not what it would write

Functions that take an MPI_Comm are left out: Fortran calls those that end in _f.
"""

import argparse
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
HEADERS = HERE.parent.parent / "include" / "shardfft" / "c"
NUMBERS = {
    "int": "integer(c_int)",
    "MPI_Fint": "integer(c_int)",
    "shardfft_kind": "integer(c_int)",
    "shardfft_precision": "integer(c_int)",
    "shardfft_axis_transform": "integer(c_int)",
    "shardfft_status": "integer(c_int)",
    "int64_t": "integer(c_int64_t)",
    "size_t": "integer(c_size_t)",
    "double": "real(c_double)",
}
FUNCTIONS = {
    "shardfft_overlap_visit",
    "shardfft_factor_of_indices",
    "shardfft_factor_of_wavenumbers",
    "shardfft_on_spectrum",
    "shardfft_release",
}
HANDLES = {
    f"shardfft_{name}"
    for name in ("layout", "options", "plan", "operator", "redistribution", "side", "buffer", "report")
}


def declaration(kind: str) -> str:
    """How Fortran declares an argument of a C type."""
    if kind in NUMBERS:
        return f"{NUMBERS[kind]}, value"
    if kind in HANDLES:
        return "type(c_ptr), value"
    if kind in FUNCTIONS:
        return "type(c_funptr), value"
    if kind == "const char*":
        return "character(kind=c_char), intent(in)"
    if (kind.endswith("*") and kind[:-1] in HANDLES) or kind in ("char**", "void**"):
        return "type(c_ptr), intent(inout)"
    if kind.endswith("*"):  # a number's address, an array, or null
        return "type(c_ptr), value"
    sys.exit(f"no Fortran declaration is known for the C type '{kind}'")


def prototypes(text: str):
    """(result, name, [(type, argument)]) of every function that a header declares."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for result, name, arguments in re.findall(r"^(\w[\w *]*?)\s*\b(shardfft_\w+)\(([^)]*)\);", text, flags=re.M):
        if result.startswith("typedef"):
            continue
        parsed = []
        for argument in re.split(r",\s*", " ".join(arguments.split())):
            if argument != "void":
                kind, word = re.fullmatch(r"(.*?)\s*(\w+)", argument).groups()
                parsed.append((kind, word))
        yield result, name, parsed


def wrapped(line: str, indent: str) -> str:
    """A statement in lines of at most 100 characters."""
    lines = []
    while len(line) > 96:
        cut = line.rfind(",", 0, 96) + 1
        lines.append(line[:cut] + " &")
        line = indent + line[cut:].strip()
    return "\n".join([*lines, line])


def interface(result: str, name: str, arguments) -> str:
    """Return the Fortran interface of one C function."""
    names = ", ".join(word for _, word in arguments)
    kind = "subroutine" if result == "void" else "function"
    lines = [wrapped(f'    {kind} {name}({names}) bind(C, name="{name}")', "        ")]
    lines.append(f"      import :: {', '.join(sorted(imports(result, arguments)))}")
    for c_type, word in arguments:
        extent = "(*)" if c_type == "const char*" else ""
        lines.append(f"      {declaration(c_type)} :: {word}{extent}")
    if kind == "function":
        lines.append(f"      {NUMBERS.get(result, 'type(c_ptr)')} :: {name}")
    lines.append(f"    end {kind} {name}")
    return "\n".join(lines)


def imports(result: str, arguments) -> set[str]:
    """Name the kinds of iso_c_binding that an interface needs."""
    said = [declaration(kind) for kind, _ in arguments]
    if result != "void":
        said.append(NUMBERS.get(result, "type(c_ptr)"))
    return {re.search(r"c_\w+", line).group() for line in said}


def module(header: pathlib.Path) -> str:
    """Return the Fortran module of a C header; functions that take an MPI_Comm have a twin with a Fortran handle."""
    blocks = [
        interface(*function)
        for function in prototypes(header.read_text())
        if not any(kind == "MPI_Comm" for kind, _ in function[2])
    ]
    name = f"shardfft_c_{header.stem}"
    used = sorted(
        {word for block in blocks for line in re.findall(r"import :: (.*)", block) for word in line.split(", ")}
    )
    return "\n".join(
        [
            f"! Made by make_interface.py from include/shardfft/c/{header.name}, which says what these functions do.",
            f"module {name}",
            f"  use, intrinsic :: iso_c_binding, only: {', '.join(used)}",
            "  implicit none",
            "  public",
            "",
            "  interface",
            "\n\n".join(blocks),
            "  end interface",
            f"end module {name}",
            "",
        ]
    )


def main() -> int:
    """Write the modules, or compare them with --check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the files, write nothing")
    check = parser.parse_args().check
    status = 0
    for header in sorted(HEADERS.glob("*.h")):
        file = HERE / "c" / f"{header.stem}.f90"
        text = module(header)
        if not check:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            print(f"{file} is not what make_interface.py writes: run it", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
