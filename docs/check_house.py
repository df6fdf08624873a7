"""Checks the limits that keep the house easy to see: `make lint` runs it.

python docs/check_house.py            says what is beyond a limit

- at most 18 names directly under `src/relyon`;
- no circle of imports, those for type checking counted;
- no Python or C++ file over 450 lines (a stub is as long as what it declares);
- no Python function over 9 parameters. The parameters of a public function that can only be given
  by keyword do not count. What `compat` offers has the parameters that the other program's has.

What is beyond a limit today is listed in `KNOWN`. An entry that is no longer needed is a fault,
too, so the list can only shrink.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = 18
LINES = 450
PARAMETERS = 9
FOLDERS = ("src", "native", "tests", "bench", "docs", "integrations")
ENDINGS = {".py", ".cpp", ".hpp", ".inc"}

#: What is beyond a limit today: files, functions, and modules that stand in a circle.
KNOWN: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Fault:
    """Something beyond a limit.

    Attributes:
        place: The file, function or module; what `KNOWN` names.
        text: What is wrong with it.
    """

    place: str
    text: str


@dataclass(frozen=True)
class Module:
    """One module of the package, read.

    Attributes:
        name: As it is imported.
        package: What its relative imports start from.
        path: Its file.
        tree: Its syntax.
    """

    name: str
    package: str
    path: Path
    tree: ast.Module


def read_modules(package: Path) -> list[Module]:
    """Returns the modules of a package, and its stubs: of what is native, or imported when used."""
    found = []
    for path in sorted(package.rglob("*.py*")):
        if path.suffix not in {".py", ".pyi"}:
            continue
        parts = path.relative_to(package.parent).with_suffix("").parts
        holder = ".".join(parts[:-1])
        name = holder if parts[-1] == "__init__" else ".".join(parts)
        found.append(Module(name, holder, path, ast.parse(path.read_text("utf-8"))))
    return found


def imported(module: Module) -> Iterator[tuple[str, str, str]]:
    """Yields each name that `from … import` brings: where from, its name, its name here."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                parts = module.package.split(".")
                above = parts[: len(parts) - node.level + 1]
                source = ".".join([*above, source] if source else above)
            for alias in node.names:
                yield source, alias.name, alias.asname or alias.name


def import_graph(modules: list[Module]) -> dict[str, set[str]]:
    """Returns which module imports which, wherever in its file it does.

    A package's stub says where a name of the package comes from: importing that name is importing
    that module, and importing the package itself is importing all of them.
    """
    graph: dict[str, set[str]] = {module.name: set() for module in modules}
    homes = {
        (module.name, here): (source, name)
        for module in modules
        if module.path.name == "__init__.pyi"
        for source, name, here in imported(module)
    }

    def home(source: str, name: str) -> str:
        if f"{source}.{name}" in graph:
            return f"{source}.{name}"
        return home(*homes[source, name]) if (source, name) in homes else source

    for module in modules:
        targets = {home(source, name) for source, name, _ in imported(module)}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
        graph[module.name] |= (targets & set(graph)) - {module.name}
    return graph


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Returns the groups of modules each of which reaches the others (Tarjan, 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        waiting.append(name)
        for target in sorted(graph[name]):
            if target not in order:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in waiting:
                low[name] = min(low[name], order[target])
        if low[name] == order[name]:
            start = waiting.index(name)
            group = waiting[start:]
            del waiting[start:]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return sorted(found)


def public_names(modules: list[Module]) -> set[tuple[str, str]]:
    """Returns (module, name) of everything that an `__init__` of a public package offers."""
    found = set()
    for module in modules:
        if module.path.stem != "__init__" or any(
            part.startswith("_") for part in module.name.split(".")
        ):
            continue
        listed = _listed(module.tree)
        found |= {(module.name, name) for name in listed}
        for source, name, here in imported(module):
            if here in listed or (module.path.suffix == ".pyi" and not here.startswith("_")):
                found |= {(source, name), (module.name, here)}
    return found


def _listed(tree: ast.Module) -> set[str]:
    """Returns the names in `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            return {
                one.value
                for one in ast.walk(node.value)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
    return set()


def functions(
    node: ast.AST, name: str = "", public: bool = True
) -> Iterator[tuple[str, bool, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yields each function: its dotted name, whether each part of it is public, and its syntax."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{name}.{child.name}".lstrip(".")
            hidden = child.name.startswith("_") and child.name != "__init__"
            if isinstance(child, ast.ClassDef):
                yield from functions(child, inside, public and not hidden)
            else:
                yield inside, public and not hidden, child
                yield from functions(child, inside, False)
        else:
            yield from functions(child, name, public)


def too_many_parameters(modules: list[Module], root: Path) -> Iterator[Fault]:
    """Yields the functions over the limit."""
    offered = public_names(modules)
    for module in modules:
        borrowed = "compat" in module.name.split(".")
        for name, public, node in functions(module.tree):
            given = node.args
            counted = len(given.posonlyargs) + len(given.args)
            offered_here = public and (module.name, name.split(".")[0]) in offered
            if not offered_here:
                counted += len(given.kwonlyargs)
            if borrowed and offered_here:
                counted = 0
            if counted > PARAMETERS:
                place = f"{module.path.relative_to(root).as_posix()}:{name}"
                yield Fault(place, f"{counted} parameters, at most {PARAMETERS}")


def too_long(root: Path) -> Iterator[Fault]:
    """Yields the files over the limit."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in ENDINGS and path.is_file():
                lines = len(path.read_text("utf-8").splitlines())
                if lines > LINES:
                    place = path.relative_to(root).as_posix()
                    yield Fault(place, f"{lines} lines, at most {LINES}")


def too_many_rooms(package: Path) -> Iterator[Fault]:
    """Yields the package itself where it holds too many names."""
    names = {
        path.stem
        for path in package.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").is_file())
        and not path.name.startswith("_")
    }
    if len(names) > ROOMS:
        yield Fault(package.name, f"{len(names)} names, at most {ROOMS}")


def check(root: Path, package: str, known: frozenset[str] = frozenset()) -> list[Fault]:
    """Returns what is beyond a limit and not known, and what is known for nothing.

    Args:
        root: The folder of the repository.
        package: The package's name, under `src`.
        known: Places that are allowed to be beyond a limit.
    """
    modules = read_modules(root / "src" / package)
    found = [*too_many_rooms(root / "src" / package), *too_long(root)]
    found += too_many_parameters(modules, root)
    graph = import_graph(modules)
    for group in circles(graph):
        for name in group:
            inside = ", ".join(sorted(graph[name].intersection(group)))
            found.append(Fault(name, f"in a circle of imports, by importing {inside}"))
    unneeded = sorted(known - {fault.place for fault in found})
    faults = [fault for fault in found if fault.place not in known]
    return faults + [Fault(place, "within every limit: take it out of KNOWN") for place in unneeded]


def main() -> int:
    """Prints what is beyond a limit; returns how a process ends."""
    faults = check(ROOT, "relyon", KNOWN)
    for fault in faults:
        sys.stderr.write(f"{fault.place}: {fault.text}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
