"""The reference of the Fortran module, from its sources: types with their procedures, and procedures of the module."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "bindings" / "fortran"
PROCEDURE = re.compile(r"^(?:recursive |pure |elemental )?(?:\w+\([\w*]+\) )?(subroutine|function) (\w+)\b")
ARGUMENT = re.compile(r"^(?:integer|real|complex|logical|character|type|class|procedure)\b.*::")


@dataclass
class Procedure:
    """A procedure's head, its arguments' declarations, and the comment above it or above its group."""

    head: str
    arguments: list[str] = field(default_factory=list)
    comment: str = ""
    group: str = ""


@dataclass
class Type:
    """A public type: the comment above it, its components, and its procedures with those of each name."""

    comment: str
    components: list[str] = field(default_factory=list)
    bound: dict[str, list[str]] = field(default_factory=dict)


def _lines(path: Path) -> list[str]:
    """Give the lines of a file, with those that it includes, and continued ones joined."""
    found: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.strip()
        include = re.match(r"include '(.+)'", line)
        if include:
            found += [one for one in _lines(FOLDER / include[1]) if not one.startswith("! Made by")]
        elif found and found[-1].endswith("&") and not found[-1].startswith("!"):
            found[-1] = found[-1][:-1].rstrip() + " " + line.removeprefix("&")
        else:
            found.append(line)
    return found


def _head(line: str, names: list[str]) -> bool:
    """Whether a line declares one of these arguments."""
    return bool(ARGUMENT.match(line)) and any(re.search(rf"::.*\b{name}\b", line) for name in names)


class Module:
    """The declarations of a module's source."""

    def __init__(self, name: str):
        self.procedures: dict[str, Procedure] = {}
        self.types: dict[str, Type] = {}
        self.generics: dict[str, list[str]] = {}
        self.about = ""
        comment: list[str] = []
        public: list[str] = []
        place: Type | Procedure | str | None = None
        names: list[str] = []
        last = ("", "")
        for line in _lines(FOLDER / f"{name}.f90"):
            head, of = PROCEDURE.match(line), re.match(r"type(?:, [\w()]+)? :: (\w+)$", line)
            if line.startswith("!"):
                comment.append(line.removeprefix("!").strip())
                continue
            told = " ".join(" ".join(comment).split())
            comment = []
            if line.startswith("module ") and not self.about:
                self.about = told
            elif line.startswith("public ::"):
                public += re.findall(r"\w+", line.partition("::")[2])
            elif of:
                place = self.types[of[1]] = Type(told)
            elif re.match(r"(end type|end subroutine|end function|end interface)", line):
                place = None
            elif re.match(r"interface (\w+)", line):
                place = line.split()[1]
                self.generics[place] = []
            elif isinstance(place, str) and line.startswith("procedure"):
                self.generics[place] += re.findall(r"\w+", line.partition("::")[2])
            elif isinstance(place, Type):
                self._of_type(place, line)
            elif head:
                stem = head[2].split("_")[0]
                group = told or (last[1] if last[0] == stem else "")
                last = (stem, group)
                place = self.procedures[head[2]] = Procedure(line, [], told, group)
                names = re.findall(r"\w+", line.partition("(")[2])
            elif isinstance(place, Procedure) and _head(line, names):
                place.arguments.append(line)
        self.public = public

    @staticmethod
    def _of_type(place: Type, line: str) -> None:
        words, _, rest = line.partition("::")
        if "private" in words or not rest:
            return
        if not words.startswith(("procedure", "generic")):
            if "handle" not in rest:
                place.components.append(line)
            return
        name, arrow, of = rest.partition("=>")
        if arrow:
            place.bound[name.strip()] = re.findall(r"\w+", of)
        else:
            place.bound.update({one: [one] for one in re.findall(r"\w+", name)})

    def text_of(self, names: list[str], shown: str, level: str) -> str:
        """Give the text of a procedure, of which there may be several forms."""
        forms = [self.procedures[name] for name in names if name in self.procedures]
        if not forms:
            return ""
        said = next((one.comment for one in forms if one.comment), "") or forms[-1].group
        shape = min(forms, key=lambda one: sum("c_ptr" in line for line in one.arguments))
        head = PROCEDURE.sub(lambda found: f"{found[1]} {shown.split('%')[-1]}", shape.head)
        block = "\n".join([head, *(f"  {line}" for line in shape.arguments)])
        others = f"\n\nOne of {len(forms)} forms, for other types and ranks of arguments." if len(forms) > 1 else ""
        return f"{level} {shown}\n\n{said}\n\n```fortran\n{block}\n```{others}\n\n"

    def lacking(self) -> list[str]:
        """Name the declarations without a comment."""
        found = [name for name, one in self.types.items() if name in self.public and not one.comment]
        every = {f"{name}%{short}": of for name, one in self.types.items() if name in self.public
                 for short, of in one.bound.items()}  # fmt: skip
        every |= {name: self.generics.get(name, [name]) for name in self.public if name not in self.types}
        for name, of in every.items():
            forms = [self.procedures[one] for one in of if one in self.procedures]
            if forms and not any(one.comment or one.group for one in forms):
                found.append(name)
        return found

    def page(self, title: str) -> str:
        """Give the page of the module."""
        text = f"# {title}\n\n{self.about}\n\n"
        for name in self.public:
            if name in self.types:
                one = self.types[name]
                text += f"## {name}\n\n{one.comment}\n\n"
                if one.components:
                    text += "```fortran\n" + "\n".join(one.components) + "\n```\n\n"
                for short, of in one.bound.items():
                    text += self.text_of(of, f"{name}%{short}", "###")
            else:
                text += self.text_of(self.generics.get(name, [name]), name, "##")
        return text


#: The modules, in the order in which a reader needs them.
MODULES = {
    "layouts": "Layouts in Fortran",
    "options": "Options in Fortran",
    "plans": "Plans in Fortran",
    "sides": "Sides, buffers, reports in Fortran",
    "operators": "Operators in Fortran",
    "redistributions": "Redistributions in Fortran",
    "halos": "Halos in Fortran",
    "particles": "Particles in Fortran",
    "poisson": "Solvers in Fortran",
    "spectra": "Spectra in Fortran",
    "gpu": "GPUs in Fortran",
}


def pages() -> dict[str, str]:
    """Give the pages by their names."""
    return {f"reference/fortran/{name}.md": Module(name).page(title) for name, title in MODULES.items()}
