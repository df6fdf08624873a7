"""Stored results as the arguments of `relyon compare`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from relyon.cli.inputs import check_stdin
from relyon.cli.request import flag, request
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.comparison.query_facts import CompareOptions
    from relyon.evaluation.results import Results
    from relyon.evaluation.same_inputs import DifferentInputs

__all__ = ["StoredResults", "titled_results"]

#: Options of how runs are measured, which stored results were.
MEASURED = frozenset(
    (
        "--convention", "--set", "--scale", "--average", "--columns", "--judgments-columns",
        "--run-columns", "--judgments-format", "--run-format", "--encoding", "--scored", "--engine",
        "--values",
    )
)  # fmt: skip


@request
class StoredResults:
    """What becomes of stored results that were measured with different judgments."""

    allow: bool = flag(
        "--allow-different-inputs",
        help="For stored results: if their judgments differ, compare the queries whose judgments"
        " are the same in all of them. Without it, different judgments are an error.",
    )

    def given(self, files: Sequence[str], systems: Sequence[str] = ()) -> bool:
        """Returns whether the arguments are stored results.

        Args:
            files: The arguments.
            systems: The values of ``--system``.

        Raises:
            ParameterError: If only some are, an option does not apply to them, or one that is
                only for them is given without them.
        """
        from relyon.evaluation.stored import is_stored

        firsts = [text.partition("=")[2].split(",")[0].strip() for text in systems]
        found = [one for one in (*files, *firsts) if is_stored(one)]
        if not found:
            if self.allow:
                raise ParameterError(
                    message("cli.different-inputs-is-for-results"),
                    hint=message("cli.give-results-alone"),
                )
            return False
        others = [one for one in (*files, *firsts) if one not in found and os.path.isfile(one)]
        if others:
            raise ParameterError(
                message("cli.results-and-other-files", results=found[0], other=others[0]),
                hint=message("cli.give-results-alone"),
            )
        _refuse_measured()
        return True

    def compare(
        self,
        files: Sequence[str],
        names: Sequence[str],
        measures: Sequence[str],
        settings: CompareOptions,
        *,
        systems: Mapping[str, Sequence[str]] | None = None,
        checked: Sequence[str] = (),
    ) -> Comparison:
        """Compares stored results.

        Args:
            files: The files, the baseline's first.
            names: Those of `--name`.
            measures: The measures; those that all of them have if empty.
            settings: The settings of the tests, and what is known of queries.
            systems: In place of the files: those of each system by its name.
            checked: Measures that must be among them.

        Raises:
            InputError: If a file cannot be used, or they have no measure in common.
            ParameterError: If there are fewer than two.
            UnknownNameError: If a measure was not evaluated.
        """
        from relyon.analysis.comparison import compare_results
        from relyon.evaluation.stored import of_measures, read_all_results

        check_stdin(files)
        if systems:
            files = [path for paths in systems.values() for path in paths]
        read = {path: read_all_results(path) for path in dict.fromkeys(files)}
        results = [one for path in files for one in read[path]]
        shared, left = _shared(results)
        chosen = list(dict.fromkeys([*measures, *checked])) if measures else [*shared, *checked]
        results = [of_measures(one, chosen) for one in results]
        different: DifferentInputs = "common" if self.allow else "refuse"
        if systems:
            of_systems = {
                name: [of_measures(one, chosen) for path in paths for one in read[path]]
                for name, paths in systems.items()
            }
            found = compare_results(systems=of_systems, different_inputs=different, **settings)
        else:
            titled = _titled(results, [path for path in files for _ in read[path]], names)
            found = compare_results(titled, different_inputs=different, **settings)
        if left and not measures:
            found.notes = (
                *found.notes,
                Note("unshared-measures", len(left), values={"measures": left}),
            )
        return found


def titled_results(
    files: Sequence[str], names: Sequence[str], measures: Sequence[str]
) -> list[Results]:
    """Returns stored results under their names.

    Args:
        files: The files.
        names: Those of `--name`.
        measures: The measures; those that all of them have if empty.

    Raises:
        InputError: If a file cannot be used, or they have no measure in common.
        ParameterError: If an option does not apply to stored results.
        UnknownNameError: If a measure was not evaluated.
    """
    from relyon.evaluation.stored import of_measures, read_all_results

    check_stdin(files)
    _refuse_measured()
    read = [(path, one) for path in files for one in read_all_results(path)]
    chosen = list(measures) or _shared([one for _, one in read])[0]
    results = [of_measures(one, chosen) for _, one in read]
    return _titled(results, [path for path, _ in read], names)


def _refuse_measured() -> None:
    """Rejects options of how runs are measured.

    Raises:
        ParameterError: If one was given.
    """
    context = click.get_current_context()
    for one in context.command.params:
        name = max(one.opts, key=len)
        asked = context.get_parameter_source(one.name or "") == ParameterSource.COMMANDLINE
        if asked and name in MEASURED:
            raise ParameterError(
                message("cli.results-and-option", option=name),
                hint=message("cli.leave-out"),
            )


def _shared(results: Sequence[Results]) -> tuple[list[str], list[str]]:
    """Returns the measures that all results have, and the others.

    Raises:
        InputError: If there is none.
    """
    first, *others = results
    shared = [name for name in first.entries if all(name in one.entries for one in others)]
    if not shared:
        other = next(
            (one for one in others if not first.entries.keys() & one.entries.keys()), first
        )
        raise InputError(
            message(
                "analysis.and-have-no-measure",
                names=first.run,
                names_2=other.run,
                columns=" and ".join(", ".join(one.entries) for one in (first, other)),
            )
        )
    return shared, sorted({name for one in results for name in one.entries} - set(shared))


def _titled(
    results: Sequence[Results], paths: Sequence[str], names: Sequence[str]
) -> list[Results]:
    """Returns results under the given names; without them, the files' if two runs have one name.

    Raises:
        ParameterError: If the number of names differs.
    """
    from relyon.data.run import file_names
    from relyon.evaluation.stored import renamed

    if names and len(names) != len(results):
        raise ParameterError(
            message("core.there-are-runs", count=len(results), count_2=len(names)),
            hint=message("cli.give-name-once-per"),
        )
    own = [one.run for one in results]
    titles = list(names)
    if not titles and len(set(own)) < len(own) and len(set(paths)) == len(paths):
        titles = file_names(paths)
    return [renamed(*pair) for pair in zip(results, titles or own, strict=True)]
