"""Writes the parts of the Fortran module that repeat the headers of the C interface.

    python3 bindings/fortran/make_interface.py           writes it
    python3 bindings/fortran/make_interface.py --check   fails if the files differ from its output

For each kind of objects it writes made/KIND_c.inc, the interfaces of the C functions; made/KIND.inc, procedures that
call those functions which no file written by hand calls; and made/KIND_bindings.inc, the lines of types that name them.
ranks/*.inc are templates of procedures for arrays of each rank.
Functions that take an MPI_Comm are left out: Fortran calls those that end in _f.
"""

import argparse
import pathlib
import re
import sys

import wrappers

HERE = pathlib.Path(__file__).parent
HEADERS = HERE.parent.parent / "include" / "shardfft" / "c"
NUMBERS = {
    "int": "integer(c_int)",
    "MPI_Fint": "integer(c_int)",
    "shardfft_kind": "integer(c_int)",
    "shardfft_precision": "integer(c_int)",
    "shardfft_axis_transform": "integer(c_int)",
    "shardfft_status": "integer(c_int)",
    "shardfft_assignment": "integer(c_int)",
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
    for name in (
        "layout",
        "options",
        "plan",
        "operator",
        "redistribution",
        "side",
        "buffer",
        "report",
        "halo",
        "particle_mesh",
        "migration",
        "poisson",
    )
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
    """(result, name, [(type, argument)], comment) of every function that a header declares."""
    doc = ""
    for blank, words, result, name, arguments in re.findall(
        r"(\n(?=\n))|^/\*(.*?)\*/|^(\w[\w *]*?)\s*\b(shardfft_\w+)\(([^)]*)\);", text, flags=re.S | re.M
    ):
        if not name:
            doc = "" if blank else re.sub(r"\s*\n \*\s*", " ", words).strip()
            continue
        if result.startswith("typedef"):
            continue
        parsed = []
        for argument in re.split(r",\s*", " ".join(arguments.split())):
            if argument != "void":
                kind, word = re.fullmatch(r"(.*?)\s*(\w+)", argument).groups()
                parsed.append((kind, word))
        yield result, name, parsed, doc
        if not any(kind == "MPI_Comm" for kind, _ in parsed):  # its twin follows
            doc = ""


def interface(result: str, name: str, arguments) -> str:
    """Return the Fortran interface of one C function."""
    names = ", ".join(word for _, word in arguments)
    kind = "subroutine" if result == "void" else "function"
    lines = [wrappers.wrapped(f'    {kind} {name}({names}) bind(C, name="{name}")', "        ", most=96)]
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


def kind_of(name: str, header: str) -> str:
    """Name the kind of objects whose module has a function."""
    kinds = "layout|side|buffer|report|plan|redistribution|operator|halo|particle_mesh|migration|poisson"
    found = re.match(rf"shardfft_({kinds})_", name)
    return found[1] if found else header


def made_files() -> dict[pathlib.Path, str]:
    """Return the files of procedures, with their texts."""
    templates = {file.stem: file.read_text() for file in sorted((HERE / "ranks").glob("*.inc"))}
    by_hand = "".join(file.read_text() for file in sorted(HERE.glob("*.f90"))) + "".join(templates.values())
    kinds, interfaces = {kind: [] for kind in templates}, {}
    for header in sorted(HEADERS.glob("*.h")):
        for result, name, arguments, doc in prototypes(header.read_text()):
            if any(c_type == "MPI_Comm" for c_type, _ in arguments):
                continue
            kind = kind_of(name, header.stem)
            interfaces.setdefault(kind, []).append(interface(result, name, arguments))
            if name not in wrappers.WITHOUT and not re.search(rf"\b{name}\(", by_hand):
                kinds.setdefault(kind, []).append(wrappers.procedure(kind, name, arguments, doc))
    head = "  ! Made by make_interface.py from include/shardfft/c.\n"
    files = {
        HERE / "made" / f"{kind}_c.inc": f"{head}  interface\n" + "\n".join(blocks) + "\n  end interface\n"
        for kind, blocks in interfaces.items()
    }
    for kind, procedures in kinds.items():
        template = templates.get(kind, "")
        parts = [wrappers.text_of(made, kind) for made in procedures]
        files[HERE / "made" / f"{kind}.inc"] = head + "".join(parts) + wrappers.of_ranks(template)
        if lines := wrappers.bindings(procedures, template):
            files[HERE / "made" / f"{kind}_bindings.inc"] = head + lines
    return files


def main() -> int:
    """Write the files, or compare them with --check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the files, write nothing")
    check = parser.parse_args().check
    files = made_files()
    status = 0
    for file in sorted({*files, *(HERE / "made").glob("*")}):
        if not check and file in files:
            file.write_text(files[file])
        elif not check:
            file.unlink()
        elif file not in files or not file.exists() or file.read_text() != files[file]:
            print(f"{file} is not what make_interface.py writes: run it", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
