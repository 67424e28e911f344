"""The command line: libraries, bench list, bench run, report, table, compare.

`add_commands` puts the same commands into another program's parser.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
import warnings
from pathlib import Path

from . import __version__, campaign, execute, experiments, simulate
from .errors import BenchError
from .launch import Launcher
from .libraries import find_libraries, table
from .results import load, pack

OK, REGRESSION, MISTAKE, FAILURES = 0, 1, 2, 3


def _libraries(options: argparse.Namespace) -> int:
    found = find_libraries(options.drivers)
    if options.json:
        facts = {
            name: {**one.facts, "driver": one.command} if one.found else {"missing": one.missing}
            for name, one in sorted(found.items())
        }
        print(json.dumps(facts, indent=1))
    else:
        print(table(found, options.format == "markdown"))
    return OK


def _list(_: argparse.Namespace) -> int:
    for name in experiments.available():
        print(f"{name:24s} {experiments.load(name).get('title', '')}")
    return OK


def _case(texts: list[str]) -> dict:
    """KEY=VALUE pairs; the value is JSON, or a word."""
    case = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in experiments.case_keys():
            known = ", ".join(experiments.case_keys())
            raise BenchError(f"--case wants KEY=VALUE with a KEY out of {known}; got '{text}'")
        try:
            case[key] = json.loads(value)
        except json.JSONDecodeError:
            case[key] = value
    return case


def _run(options: argparse.Namespace) -> int:
    experiment = experiments.load(options.name)
    runs = experiments.runs(
        experiment, options.ranks, options.size, options.library, options.rounds, _case(options.case)
    )
    if options.time_limit is not None:
        if not options.time_limit > 0:
            raise BenchError("--time-limit must be above 0")
        for run in runs:
            run.time_limit = options.time_limit
    libraries = find_libraries(options.drivers)
    campaign.require_known(runs, libraries)
    launcher = Launcher(options.launcher)
    if options.dry_run:
        for run in runs:
            library = libraries[run.library]
            driver = [*library.command, json.dumps(run.case, separators=(",", ":"))]
            refused = {"reason": library.missing} if not library.found else execute.refusal(run, launcher)
            if refused:
                print(f"# {campaign.title(run)}: {refused['reason']}")
                continue
            variables = execute.variables_of(run, launcher)
            command, _ = launcher.start(run.ranks, run.case.get("threads", 1), driver, variables)
            print(f"# {campaign.title(run)}\n{shlex.join(command)}")
        return OK
    launcher.require(max(run.ranks for run in runs))
    # Ended politely, a campaign still ends its ranks and takes its networks down.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    into = Path(options.into or f"results/{experiment['name']}")
    counts = campaign.carry_out(runs, libraries, launcher, into, experiment, options.retry_failed)
    return _say_outcome(into, counts, campaign.statuses(runs, into))


def _say_outcome(into: Path, counts: dict[str, int], statuses: set[str]) -> int:
    """Prints how many runs ended how; the exit code of a set whose runs, of this call and earlier ones, ended so."""
    print(f"{into}: " + (", ".join(f"{n} {status}" for status, n in sorted(counts.items())) or "nothing left to do"))
    return FAILURES if statuses & {"wrong", "crashed", "hung", "invalid"} or "ok" not in statuses else OK


def _report(options: argparse.Namespace) -> int:
    from .report import write_report  # matplotlib takes a while: only when wanted

    first = Path(options.results[0])
    target = Path(options.out) if options.out else (first if first.is_dir() else first.parent) / "report"
    print(write_report(options.results, target, replace=bool(options.out)))
    return OK


def _table(options: argparse.Namespace) -> int:
    from .text_table import text_table

    records = [record for source in options.results for record in load(source)]
    print(text_table(records, options.format), end="")
    return OK


def _pack(options: argparse.Namespace) -> int:
    for source in map(Path, options.results):
        found = sorted(source.rglob("*.jsonl")) if source.is_dir() else [source]
        for file in found:
            before = file.stat().st_size
            packed = pack(file)
            print(f"{packed}: {packed.stat().st_size} of {before} bytes")
    return OK


def _compare(options: argparse.Namespace) -> int:
    from .compare import compare

    a, b = load(options.a), load(options.b)
    for path, records in ((options.a, a), (options.b, b)):
        if not records:
            raise BenchError(f"no records in {path}")
    lines = compare(a, b, options.threshold, options.confidence, options.relative_to)
    if options.library:
        known = sorted({line.label for line in lines})
        unknown = [label for label in options.library if label not in known]
        if unknown:
            raise BenchError(f"nothing to compare of '{unknown[0]}'; known: {', '.join(known)}")
        lines = [line for line in lines if line.label in options.library]
    for line in lines:
        print(line)
    worse = sum(line.regression for line in lines)
    unit = f", each in units of {options.relative_to}" if options.relative_to else ""
    print(f"{len(lines)} compared, {worse} worse (time of B over A{unit}; threshold {options.threshold:g})")
    return REGRESSION if worse else OK


def _paper(options: argparse.Namespace) -> int:
    from . import paper

    records = paper.read([record for source in options.results for record in load(source)])
    text = paper.tables(records)
    print(text, end="")
    if options.into:
        into = Path(options.into)
        into.mkdir(parents=True, exist_ok=True)
        (into / "tables.md").write_text(text, encoding="utf-8")
    faults = paper.wrong(records)
    for fault in faults:
        print(f"wrong: {fault}", file=sys.stderr)
    return FAILURES if faults else OK


def _add_paper(commands) -> None:
    paper = commands.add_parser("paper-gpu", help="the GPU paper's exponents and its tables 1 to 4")
    paper.add_argument("results", nargs="+", help="result folders or files of the experiment paper-gpu")
    paper.add_argument("--into", help="folder for the tables")
    paper.set_defaults(act=_paper)


def _study(options: argparse.Namespace) -> int:
    from . import study

    if not options.paper:
        print(study.contents())
        return OK
    into = Path(options.into or f"results/studies/{options.paper}")
    libraries = find_libraries(options.drivers)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    launcher = Launcher(options.launcher)
    return _say_outcome(into, *study.carry_out(options.paper, libraries, launcher, into, options.tiny, options.rounds))


def _add_study(commands) -> None:
    study = commands.add_parser("study", help="run the set of a paper, or list which experiment shows which item")
    study.add_argument("paper", nargs="?", help="000 to 004; without it the items and their experiments are listed")
    study.add_argument("--tiny", action="store_true", help="one tiny run of each library in each experiment")
    study.add_argument("--into", help="folder of the sets; resumed when it has some (default results/studies/PAPER)")
    study.add_argument("--rounds", type=int)
    study.add_argument("--launcher", default="auto", help="openmpi, mpich, srun or a YAML file")
    study.add_argument("--drivers", nargs="+", metavar="DIR", help="bin folders of builds of bench/")
    study.set_defaults(act=_study)


def _add_run(commands) -> None:
    run = commands.add_parser("run", help="run an experiment", description="Runs an experiment, or what is left of it.")
    run.add_argument("name", help="an experiment of 'bench list', or a YAML file")
    run.add_argument("--ranks", type=int, nargs="+", help="instead of the experiment's")
    run.add_argument("--size", nargs="+", help="instead of the experiment's: 256 or 256x128x64")
    run.add_argument("--library", nargs="+", help="only these libraries or labels")
    run.add_argument("--case", nargs="+", default=[], metavar="KEY=VALUE", help="change the case: repeats=5 kind=r2c")
    run.add_argument("--rounds", type=int)
    run.add_argument("--into", help="folder of the results; resumed when it has some (default results/NAME)")
    run.add_argument("--launcher", default="auto", help="openmpi, mpich, srun or a YAML file")
    run.add_argument("--drivers", nargs="+", metavar="DIR", help="bin folders of builds of bench/")
    run.add_argument("--time-limit", type=float, metavar="SECONDS", help="for one process start")
    run.add_argument("--retry-failed", action="store_true", help="run again what was wrong, crashed or hung")
    run.add_argument("--dry-run", action="store_true", help="print the commands instead")
    run.set_defaults(act=_run)


def add_commands(commands) -> None:
    """Adds `libraries`, `bench`, `report`, `table`, `pack` and `compare` to an argparse subparsers object."""
    libraries = commands.add_parser("libraries", help="what was found, what it can do, and why the rest was not found")
    libraries.add_argument("--drivers", nargs="+", metavar="DIR", help="bin folders of builds of bench/")
    libraries.add_argument("--json", action="store_true")
    libraries.add_argument(
        "--format", choices=["text", "markdown"], default="text", help="markdown: what was found alone"
    )
    libraries.set_defaults(act=_libraries)
    bench = commands.add_parser("bench", help="run experiments").add_subparsers(required=True, metavar="list|run")
    bench.add_parser("list", help="the experiments").set_defaults(act=_list)
    _add_run(bench)
    _add_paper(commands)
    _add_study(commands)
    simulate.add_commands(commands)
    report = commands.add_parser(
        "report", help="one HTML page with its pictures (PNG, SVG, PDF) and tables (CSV, LaTeX)"
    )
    report.add_argument("results", nargs="+", help="result folders or files")
    report.add_argument("--out", help="folder of the page, replaced (default: report/ beside the first results)")
    report.set_defaults(act=_report)
    table_ = commands.add_parser(
        "table", help="medians, extremes and errors of every point as text, Markdown, CSV or LaTeX"
    )
    table_.add_argument("results", nargs="+", help="result folders or files")
    table_.add_argument("--format", choices=["text", "markdown", "csv", "latex"], default="text")
    table_.set_defaults(act=_table)
    pack_ = commands.add_parser("pack", help="compress results that are kept; every command reads them as before")
    pack_.add_argument("results", nargs="+", help="files of JSON lines, or folders with such files anywhere below them")
    pack_.set_defaults(act=_pack)
    compare = commands.add_parser(
        "compare", help="two result sets: ratios with confidence", description="Exit code 1 when B is worse than A."
    )
    compare.add_argument("a", help="results before")
    compare.add_argument("b", help="results after")
    compare.add_argument("--threshold", type=float, default=0.05, help="a change below this share counts as none")
    compare.add_argument("--confidence", type=float, default=0.95)
    compare.add_argument("--library", nargs="+", help="only these labels")
    compare.add_argument("--relative-to", metavar="LABEL", help="count times in units of this label's in the same set")
    compare.set_defaults(act=_compare)


def act(options: argparse.Namespace) -> int:
    """Runs the chosen command; mistakes become one sentence on standard error."""
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    try:
        return options.act(options)
    except BenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return MISTAKE
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        print(f"error: cannot use {error.filename or 'the system'}: {error.strerror}", file=sys.stderr)
        return MISTAKE
    except KeyboardInterrupt:
        print("interrupted: what was finished is kept; run the same command again to go on", file=sys.stderr)
        return 130


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="shardfft-bench", description=__doc__.splitlines()[0])
    parser.add_argument("--version", action="version", version=f"shardfft-bench {__version__}")
    add_commands(parser.add_subparsers(required=True, metavar="COMMAND"))
    return act(parser.parse_args(arguments))
