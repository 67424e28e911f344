"""Makes the Fortran procedures that hand their arguments on to C as rules.txt says, with the words of the C headers."""

import pathlib
import re
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).parent
RANKS = range(1, 6)  # of the arrays that plans take
# Functions that Fortran does not have: for programs that schedule messages of their own; for split axes.
WITHOUT = {"shardfft_layout_for_overlaps", "shardfft_layout_from_pieces"}
# Names that differ from those of C.
NAMES = {
    "shardfft_layout_axes": "dims",
    "shardfft_layout_axis_is_local": "dim_is_local",
    "shardfft_layout_with_axis_extent": "with_extent",
    "shardfft_gather_layout_f": "gather",
    "shardfft_side_axes": "dims",
    "shardfft_side_halved_axis": "halved_dim",
    "shardfft_plan_create_devices": "create",
    "shardfft_redistribution_create_devices": "create",
    "shardfft_block_part": "shardfft_block_part_of",
    "shardfft_cyclic_part": "shardfft_cyclic_part_of",
    "shardfft_intersect": "shardfft_common_part",
    "shardfft_redistribute_f": "shardfft_move",
    "shardfft_gpu_support": "shardfft_gpu_runtime",
    "shardfft_gpu_names": "shardfft_gpu_list",
    "shardfft_set_current_gpu": "shardfft_use_gpu",
    "shardfft_order_streams": "shardfft_order_after",
    "shardfft_stream_is_idle": "shardfft_is_idle",
    "shardfft_synchronize_stream": "shardfft_wait_for",
    "shardfft_cross_spectrum_f": "shardfft_cross_shells",
    "shardfft_wisdom_export": "shardfft_export_wisdom",
    "shardfft_wisdom_import": "shardfft_import_wisdom",
    "shardfft_wisdom_forget": "shardfft_forget_wisdom",
    "shardfft_wisdom_path": "shardfft_wisdom_file",
    "shardfft_wisdom_keep": "shardfft_keep_wisdom",
    "shardfft_energy_spectrum_f": "shardfft_energy_shells",
    "shardfft_moments_f": "shardfft_moments_of",
    "shardfft_gradient": "shardfft_gradient_of",
    "shardfft_divergence": "shardfft_divergence_of",
    "shardfft_curl": "shardfft_curl_of",
    "shardfft_project": "shardfft_projection_of",
    "shardfft_options_set_integer": "set",
    "shardfft_options_set_number": "set",
    "shardfft_options_set_address": "set",
    "shardfft_option_sentence": "shardfft_option_words",
}
# How many dimensions the arrays of an object have.
DIMENSIONS = {
    "layout": "layout_axes(self, stat, errmsg)",
    "side": "dims_of_side(self, stat, errmsg)",
    "plan": "self%of",
    "halo": "self%of",
    "poisson": "self%of",
}
# C's words, as Fortran's.
WORDS = [
    (r"1 or 0: whether", "Whether"),
    (r"\b1 if\b", "True if"),
    (r" \((may be NULL|1 or 0)\)", ""),
    (r": `count` entries, which are written if the pointer is not NULL", ""),
    (r"that is number 0", "it is the first, which `member` need not say"),
    (r"SHARDFFT_\w+", lambda m: m[0].lower()),
    (r"`local_axis` \(-1: the last\)", "`dim`"),
    (r"NULL", "null"),
    (r"`axis`", "`dim`"),
    (r"\b([Aa])xis a\b", lambda m: "dimension d" if m[1] == "a" else "Dimension d"),
    (r"\[a\]", "(d)"),
    (r"\ban axis\b", "a dimension"),
    (r"\baxes\b", "dimensions"),
    (r"\baxis\b", "dimension"),
    (r"shardfft_(?:plan|side)_(\w+)\(\)", r"%\1()"),
    (r" The second form takes a communicator of Fortran's, as all functions in _f do\.", ""),
]


class Rule:
    """A rule of rules.txt."""

    def __init__(self, head: str):
        arguments, actual = head.split(" => ")
        self.actual, _, self.only = actual.partition(" @ ")
        pattern = re.sub(r"\[(.*?)\]", r"(?:\1)", arguments).replace("*", r"\*")
        pattern = re.sub(r"\{(\w+):(.*?)\}", r"(?P<\1>\2)", pattern)
        self.pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>\\w+)", pattern) + "(?:, |$)")
        self.lines = []


def read_rules() -> list[Rule]:
    """Return the rules in their order."""
    rules = []
    for line in (HERE / "rules.txt").read_text().splitlines():
        if line.startswith("  "):
            rules[-1].lines.append(line[2:])
        elif " => " in line and not line.startswith("#"):
            rules.append(Rule(line))
    return rules


RULES = read_rules()


@dataclass
class Procedure:
    """A Fortran procedure that calls a C function."""

    c_name: str
    name: str  # by which users call it
    title: str
    doc: str = ""
    self_intent: str = ""
    result: str = ""
    dummies: list = field(default_factory=list)
    lines: dict = field(default_factory=lambda: {kind: [] for kind in ("dummy", "result", "local", "before", "after")})
    actual: list = field(default_factory=list)

    def specifics(self) -> list[str]:
        """Name the module procedures."""
        return [f"{self.title}_old", f"{self.title}_f08"] if "comm" in self.dummies else [self.title]

    def take(self, rule: Rule, match: re.Match, of: str) -> None:
        """Hand some arguments on as a rule says."""
        said = {**match.groupdict(), "of": f"of = {of}"}
        self.actual.append(rule.actual.format(**said))
        for line in rule.lines:
            line = line.format(**said)
            if line[0] in "<>":
                self.lines["before" if line[0] == ">" else "after"].append(line[2:])
                continue
            kind = "dummy" if "intent(" in line else "result" if line.endswith(" result") else "local"
            line = line.removesuffix(" result")
            if kind == "dummy":
                self.dummies += re.findall(r"\w+", re.sub(r"\(.*?\)", "", line.split(" :: ")[1]))
            if line not in self.lines[kind]:
                self.lines[kind].append(line)


def wrapped(line: str, indent: str, mark: str = " &", most: int = 112) -> str:
    """Break a line after commas, or a comment after blanks."""
    lines = []
    while len(line) > most:
        cut = line.rfind(", " if mark else " ", 0, most) + 1
        lines.append(line[:cut].rstrip() + mark)
        line = indent + line[cut:].strip()
    return "\n".join([*lines, line])


def comment(doc: str) -> str:
    """Return C's comment in Fortran's words."""
    for pattern, words in WORDS:
        doc = re.sub(pattern, words, doc)
    return wrapped(f"  ! {doc}", "  ! ", "") + "\n" if doc else ""


def procedure(kind: str, c_name: str, arguments, doc: str) -> Procedure:
    """Return the procedure of one C function, in the module of a kind of objects."""
    title = re.sub(rf"^shardfft_({kind}_)?|_f$", "", c_name)
    made = Procedure(c_name, NAMES.get(c_name, title), f"{kind}_{title}", doc)
    words = [f"{c_type} {word}" for c_type, word in arguments]
    types, last = [c_type for c_type, _ in arguments] or [""], ""
    if types[0] == f"shardfft_{kind}" and kind != "operator":
        made.self_intent, made.actual = "in", ["self%handle"]
        words.pop(0)
        if kind == "options":  # which no call makes
            made.self_intent, made.lines["before"] = "inout", ["call ready(self)"]
    elif types[-1] == f"shardfft_{kind}*":
        made.self_intent, last = "inout", "self%handle"
        words.pop()
    rest = ", ".join(words)
    of = "" if "const int64_t* shape" in rest else DIMENSIONS.get(kind, "")
    if c_name == "shardfft_layout_validate":  # whose words name dimensions
        made.lines["local"], made.lines["before"] = ["integer :: of"], [f"of = {of}"]
    while rest:
        for rule in RULES:
            match = rule.pattern.match(rest)
            if match and re.search(rule.only, c_name):
                break
        else:
            raise SystemExit(f"no rule for '{rest}' of {c_name}")
        made.take(rule, match, of)
        rest = rest[match.end() :]
    made.actual += [last] if last else []
    if "index" in made.dummies and "dim" in made.dummies:
        made.dummies.sort(key=lambda word: word not in ("dim", "index"))
    if not made.self_intent:
        made.title = made.name
    results = made.lines["result"]
    if len(results) > 1:  # each is a dummy
        made.lines["dummy"] += [line.replace(" :: ", ", intent(out) :: ") for line in results]
        made.dummies += [line.split(":: ")[1] for line in results]
    elif results:
        made.result = re.search(r":: (\w+)", results[0])[1]
    return made


def text_of(made: Procedure, kind: str) -> str:
    """Return the Fortran text of a procedure, and of its twin if it takes a communicator."""
    has_self = bool(made.self_intent)
    word = "function" if made.result else "subroutine"
    old = made.specifics()[0]
    listed = ["self"] * has_self + made.dummies + ["stat", "errmsg"]
    of = ", of" if any(re.search(r"\bof\b", line) for line in made.lines["local"]) else ""
    call = f"call settle({made.c_name}({', '.join(made.actual)}), stat, errmsg{of})"
    own = [f"class(shardfft_{kind}), intent({made.self_intent}) :: self"] * has_self
    ends = ["integer, intent(out), optional :: stat", "character(len=*), intent(inout), optional :: errmsg"]

    def lines_of(title: str, dummies: list, body: list) -> str:
        result = f" result({made.result})" if made.result else ""
        lines = [wrapped(f"  {word} {title}({', '.join(listed)}){result}", "      ")]
        lines += [wrapped(f"    {line}", "      ") for line in [*own, *dummies, *ends, *body]]
        return "\n".join([*lines, f"  end {word} {title}\n"])

    parts = made.lines
    body = [*(parts["result"] if made.result else []), *parts["local"], *parts["before"], call, *parts["after"]]
    text = comment(made.doc) + lines_of(old, parts["dummy"], body)
    if "comm" in made.dummies:
        handed = ["comm%mpi_val" if dummy == "comm" else dummy for dummy in listed]
        new = ["type(MPI_Comm), intent(in) :: comm" if " :: comm" in line else line for line in parts["dummy"]]
        text += lines_of(made.specifics()[1], new, [f"call {old}({', '.join(handed)})"])
    return text


def of_ranks(template: str) -> str:
    """Return a template for arrays of each rank.

    NAME_R is the name of a procedure, (:R) a shape, (1R) the first element; a line with (2R), the second element along
    dimension D, stands for one line for each dimension.
    """

    def line_of(line: str, rank: int, dim: int) -> str:
        line = line.replace("(:R)", "(" + ", ".join(":" * rank) + ")").replace(
            "(1R)", "(" + ", ".join("1" * rank) + ")"
        )
        second = ", ".join("2" if d == dim else "1" for d in range(1, rank + 1))
        return re.sub(r"\bD\b", str(dim), re.sub(r"_R\b", f"_{rank}", line.replace("(2R)", f"({second})")))

    lines = [
        line_of(line, rank, dim)
        for rank in RANKS
        for line in template.splitlines()
        for dim in (range(1, rank + 1) if "(2R)" in line else [1])
    ]
    return "".join(line + "\n" for line in lines)


def bindings(procedures: list, template: str) -> str:
    """Return the lines of a type that name its procedures."""
    specifics = {}
    for name in re.findall(r"^  subroutine (\w+)_R\(", template, flags=re.M):
        specifics[name] = [f"{name}_{rank}" for rank in RANKS]
    for made in procedures:
        if made.self_intent:
            specifics.setdefault(made.name, []).extend(made.specifics())
    lines = []
    for name, several in specifics.items():
        if len(several) == 1:
            lines.append(f"    procedure :: {name} => {several[0]}")
            continue
        lines.append(wrapped(f"    procedure, private :: {', '.join(several)}", "      "))
        lines.append(wrapped(f"    generic :: {name} => {', '.join(several)}", "      "))
    return "".join(line + "\n" for line in lines)
