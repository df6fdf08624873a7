"""Rankers: one interface for trees, linear models and networks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from os import PathLike
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.data.labelled import LabelledRows
from relyon.data.matrices import FeatureMatrix
from relyon.data.run import Run
from relyon.ltr.rankers.exporting.exported import Candidate, Exported, ExportFormat
from relyon.ltr.rankers.fingerprints import data_fingerprint
from relyon.ltr.rankers.fitted import TrainedOn
from relyon.ltr.rankers.query_rows import (
    TrainingRows,
    beside,
    check_varied,
    known_features,
    older_sparse,
    targets_of,
    training_rows,
)
from relyon.ltr.rankers.target_measure import fingerprint, measure_scores
from relyon.ltr.rankers.trained_rows import row_sketch, training_note
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Ranker"]

_Estimator: Any = optional_package(
    "sklearn.base", purpose="a ranker", package="scikit-learn", install="relyon[ltr]"
).BaseEstimator


class Ranker(_Estimator):  # type: ignore[misc]
    """A model that scores documents so that better ones rank higher within their query.

    An estimator of scikit-learn: parameters are set by the constructor and checked by `fit`,
    fitted attributes end in an underscore. Queries come as `qid=`, inside y (`relyon.ltr.grades`)
    or inside `LabelledRows`. Rows of a query need not be adjacent. Without queries, all rows count
    as one query, and a warning says so.

    Attributes:
        n_features_in_: The number of features it was trained on.
        feature_names_: Their names; `0`, `1`, … if they had none.
        measure_: The measure that it is trained for; `convention_` has its rules.
        fingerprint_: Equal if two numbers mean the same: `relyon.ltr.fingerprint`.
        data_: The rows it was trained on: `fingerprint`, `rows`, `queries`, `varied` (queries with
            two labels or more) and `source`.
    """

    #: Its name in saved files.
    kind: ClassVar[str]
    #: The parameter with the number of steps; `n_iter_` is the number of steps used.
    steps: ClassVar[str]
    #: Whether NaN features are missing values, rather than errors.
    takes_missing: ClassVar[bool] = False

    # Read only with metadata routing on: scikit-learn then passes on queries that it knows.
    __metadata_request__fit: ClassVar[Mapping[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[Mapping[str, bool]] = {"qid": True}
    __metadata_request__predict: ClassVar[Mapping[str, bool]] = {"qid": True}

    measure: str | Measure
    convention: Convention | str | Mapping[str, object] | None
    measure_: str
    convention_: Convention
    fingerprint_: str
    data_: TrainedOn
    n_features_in_: int
    feature_names_: tuple[str, ...]

    def fit(
        self,
        X: object,
        y: object = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        positions: ArrayLike | None = None,
        eval_set: object = None,
    ) -> Self:
        """Trains the ranker.

        Args:
            X: Features: NumPy, SciPy sparse, Polars, pandas; or `LabelledRows`, without y.
            y: One label per row, or `relyon.ltr.grades(labels, qid)`.
            qid: The query of each row.
            sample_weight: The weight of each row: for clicks, the inverse of the probability that
                it was seen.
            positions: The position at which each row was shown, from 1, for engines that learn the
                position bias.
            eval_set: Rows to compute the measure on during training: `LabelledRows`, or (X, y) or
                (X, y, qid).

        Raises:
            InputError: If the data cannot be used, or there is nothing to learn from it.
            ParameterError: If a parameter has an invalid value.
        """
        self.measure_ = str(parse_measure(self.measure))
        self.convention_ = load_convention(self.convention)
        rows = self._rows(X, y, qid, sample_weight, positions, reset=True)
        check_varied(rows.values)
        valid = None if eval_set is None else self._valid(eval_set)
        self.fingerprint_ = fingerprint(self.measure_, self.convention_)
        self.data_ = {
            "fingerprint": data_fingerprint(rows.rows),
            "rows": len(rows.rows),
            "queries": len(rows.rows.queries),
            "varied": rows.varied(),
            "source": X.source if isinstance(X, LabelledRows) else "memory",
            "seen": row_sketch(rows.values),
        }
        self._train(rows, valid)
        return self

    @abstractmethod
    def _train(self, rows: TrainingRows, valid: TrainingRows | None) -> None:
        """Trains on checked rows, the rows of each query together."""

    @abstractmethod
    def _scores(self, values: FeatureMatrix, qid: ArrayLike | None) -> NDArray[np.float64]:
        """Scores a checked matrix of features."""

    @abstractmethod
    def _parts(self) -> dict[str, bytes]:
        """Returns the fitted state as files of a saved ranker."""

    @abstractmethod
    def _restore(self, parts: Mapping[str, bytes]) -> None:
        """Reads the fitted state from the files of a saved ranker."""

    @classmethod
    def _files(cls, parameters: Mapping[str, object]) -> tuple[str, ...]:
        """Returns the names of the files in a saved ranker with these parameters."""
        raise NotImplementedError

    def _versions(self) -> dict[str, str]:
        """Returns the versions of the libraries that trained it."""
        return {}

    def predict(self, X: object, qid: ArrayLike | None = None) -> NDArray[np.float64]:
        """Returns one score per row: higher is better within a query.

        Args:
            X: Features, as for `fit`. Of rows and frames with named columns, the features of
                training are used and others ignored; an array must have exactly their columns.
            qid: The query of each row; only rankers that look at whole lists need it.

        Raises:
            InputError: If a feature is missing, or an array has more or fewer than in training.
        """
        _validation().check_is_fitted(self)
        own = isinstance(X, LabelledRows) and qid is None
        qid = targets_of(X, None, None).queries if own else beside({"X": X}, qid=qid).get("qid")
        return self._scores(self._matrix(X, reset=False), qid)

    def rank(
        self,
        X: object,
        qid: ArrayLike | None = None,
        documents: ArrayLike | None = None,
        *,
        name: str = "",
    ) -> Run:
        """Returns the scores as a run, for `relyon.evaluate`, `compare` and `write_run`.

        Args:
            X: Features, or `LabelledRows`, which have queries and documents.
            qid: The query of each row.
            documents: The document of each row.
            name: The name of the run in results; by default the ranker's class.

        Raises:
            InputError: If the query or the document of the rows is unknown.
        """
        import numpy as np

        given = beside({"X": X}, qid=qid, documents=documents)
        qid, documents = map(given.get, ("qid", "documents"))
        scores = self.predict(X, qid)
        told = self.recognised(X)
        if isinstance(X, LabelledRows):
            sizes = np.diff(X.groups)
            qid = np.repeat(np.asarray(X.queries, dtype=object), sizes) if qid is None else qid
            documents = X.documents if documents is None else documents
        if qid is None or documents is None:
            lacking = "query" if qid is None else "document"
            raise InputError(
                message("ltr.run-needs-of-each", lacking=message(lacking)),
                hint=message("ltr.rank-x"),
            )
        if told is not None:
            warn([told])
        return Run.from_arrays(
            np.asarray(qid).tolist(),
            np.asarray(documents).tolist(),
            scores,
            name=name or type(self).__name__,
            notes=() if told is None else (told,),
        )

    def recognised(self, X: object) -> Note | None:
        """Returns a warning if rows are among those that the ranker was trained on.

        A saved ranker keeps hashes of up to 2,048 training rows; rows that equal another one are
        left out. None if fewer than three rows, or less than 1%, are among them.

        Args:
            X: Features, as for `predict`.

        Examples:
            >>> import numpy as np, relyon.ltr
            >>> random = np.random.default_rng(1)
            >>> X, qid = random.normal(size=(200, 3)), np.arange(200) // 10
            >>> ranker = relyon.ltr.LinearRanker(threads=1).fit(X, X[:, 0] > 0.5, qid=qid)
            >>> ranker.recognised(X).values["share"], ranker.recognised(X + 1)
            (1.0, None)
        """
        _validation().check_is_fitted(self)
        return training_note(self.data_.get("seen"), self._matrix(X, reset=False))

    def score(
        self,
        X: object,
        y: object = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Returns the ranker's measure on labelled rows, under its convention.

        Args:
            X: Features, as for `fit`.
            y: One label per row, or `relyon.ltr.grades(labels, qid)`.
            qid: The query of each row.
            sample_weight: The weight of each row, for measures with weights: `auc`, `pnr` …

        Raises:
            InputError: If no query has a value.
        """
        labels, queries, weights, _ = targets_of(X, y, qid, sample_weight)
        scores = self.predict(X, queries)
        return measure_scores(self.measure, self.convention, labels, scores, queries, weights)

    def save(self, path: str | PathLike[str]) -> None:
        """Saves the ranker as one file, without pickle, which `relyon.ltr.load` reads.

        Raises:
            InputError: If the file cannot be written.
            ParameterError: If a parameter cannot be written as text.
        """
        from relyon.ltr.rankers.files import save

        _validation().check_is_fitted(self)
        save(self, path)

    def export(
        self,
        path: str | PathLike[str],
        format: ExportFormat | None = None,
        *,
        rows: object = None,
        qid: ArrayLike | None = None,
    ) -> Exported:
        """Writes the trained ranker as a file that other programs score, without relyon.

        The file is read back and compared with the ranker on generated rows, on and beside the
        values where trees split; it is written if every score is the same within 1e-5 of the
        largest.

        - `onnx`, for ONNX Runtime and others: one input `features`, rows × features in single
          precision and in the order of `feature_names_`; one output `scores`, one per row. Scaling
          is inside. A ranker with attention scores the documents of one query per call.
        - `treelite`: a checkpoint of Treelite; trees of LightGBM and XGBoost.
        - `engine`: LightGBM's text, XGBoost's UBJSON or JSON, CatBoost's cbm, a program of
          `torch.export`.

        Args:
            path: The path of the file.
            format: The format; by default that of the ending: `.onnx`, `.treelite`, `.tl`,
                `.txt`, `.ubj`, `.json`, `.cbm`, `.pt2`.
            rows: Your own rows to compare on, as for `predict`: the result says in how many
                queries the order of documents changes.
            qid: The query of each of these rows.

        Raises:
            ParameterError: If the ranker cannot be exported in this format.
            InputError: If it cannot be converted, or the scores of the file would differ.
            DependencyError: If the converter is not installed.

        Examples:
            >>> import os, tempfile, numpy as np, relyon.ltr
            >>> random = np.random.default_rng(1)
            >>> X, qid = random.normal(size=(200, 3)).astype(np.float32), np.arange(200) // 10
            >>> labels = (X[:, 0] > 0.5).astype(int)
            >>> ranker = relyon.ltr.TreeRanker(trees=5, threads=1).fit(X, labels, qid=qid)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     path = os.path.join(folder, "shop.txt")
            ...     found = ranker.export(path, rows=X, qid=qid)
            >>> found.format, found.queries, found.changed
            ('engine', 20, 0)
        """
        from relyon.ltr.rankers.exporting.export_file import export

        _validation().check_is_fitted(self)
        return export(self, path, format, rows, qid)

    @abstractmethod
    def _formats(self) -> dict[ExportFormat, tuple[str, ...]]:
        """Returns the formats that it can be exported in, with the endings of their files."""

    @abstractmethod
    def _candidate(self, format: ExportFormat, ending: str) -> Candidate:
        """Returns the ranker as a file of one of its formats."""

    def _exported_name(self) -> str:
        """Returns its name in errors about formats that it lacks."""
        return type(self).__name__

    def __sklearn_tags__(self) -> object:
        """Returns its tags for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.takes_missing
        tags.target_tags.required = True
        return tags

    def _rows(
        self,
        X: object,
        y: object,
        qid: ArrayLike | None,
        weights: ArrayLike | None,
        positions: ArrayLike | None,
        *,
        reset: bool,
    ) -> TrainingRows:
        """Checks rows to train on, or to compute the measure on."""
        if isinstance(X, LabelledRows):
            weights = X.weights if weights is None else weights
            positions = X.positions if positions is None else positions
        targets = targets_of(X, y, qid, weights, positions)
        return training_rows(self._matrix(X, reset=reset), self.feature_names_, targets)

    def _valid(self, given: object) -> TrainingRows:
        """Checks rows to compute the measure on during training."""
        if isinstance(given, LabelledRows):
            given = (given, None)
        if not isinstance(given, tuple | list) or len(given) not in {2, 3}:
            raise ParameterError(
                message("ltr.eval-set-must-be-labelled"),
                hint=message("ltr.only-one-evaluation-set"),
            )
        X, y, qid = (*given, None)[:3]
        return self._rows(X, y, qid, None, None, reset=False)

    def _matrix(self, X: object, *, reset: bool) -> FeatureMatrix:
        """Checks features: numbers, as many as the ranker was trained on, under the same names."""
        values = X
        if isinstance(X, LabelledRows):
            features = known_features(X)
            values = features.values
            if not reset:
                values = self._by_name(features.names, values)
        elif not reset and hasattr(X, "columns"):
            import narwhals as nw

            frame = nw.from_native(X, eager_only=True, pass_through=True)
            wanted, framed = list(self.feature_names_), hasattr(self, "feature_names_in_")
            # Of a frame with just the same columns scikit-learn says where their order differs.
            if isinstance(frame, nw.DataFrame) and {*wanted} <= {*frame.columns}:
                if not framed:
                    values = frame.select(wanted).to_numpy()
                elif len(frame.columns) > len(wanted):
                    values = frame.select(wanted).to_native()
        import numpy as np

        try:
            found = _validation().validate_data(
                self,
                values,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan" if self.takes_missing else True,
                ensure_min_samples=2 if reset else 1,
            )
        except ValueError as error:
            text = str(error)
            filled = "NaN" in text and not self.takes_missing
            raise InputError(
                text.split("\n", maxsplit=1)[0] if filled else text,
                hint=message("ltr.trees-take-missing-values") if filled else "",
            ) from None
        if reset:
            if isinstance(X, LabelledRows):
                self.feature_names_ = tuple(features.names)
            else:
                names = getattr(self, "feature_names_in_", range(found.shape[1]))
                self.feature_names_ = tuple(str(name) for name in names)
        checked: FeatureMatrix = older_sparse(found) if hasattr(found, "tocsr") else found
        return checked

    def named_features(self) -> list[str] | None:
        """Returns the names of the features that it was trained on; None if they had none."""
        names: list[str] = list(self.feature_names_)
        return None if names == list(map(str, range(len(names)))) else names

    def _by_name(self, names: tuple[str, ...], values: FeatureMatrix) -> FeatureMatrix:
        """Returns the columns with the names of training, in the order of training."""
        wanted = self.feature_names_
        if names == wanted or self.named_features() is None:
            return values
        other = [name for name in wanted if name not in names]
        if not other:
            twice = sorted(name for name in set(wanted) if names.count(name) > 1)
            if twice:
                text = message(
                    "ltr.x-has-features-under",
                    count=len(twice),
                    names=twice[:5],
                )
                raise InputError(text)
            places = {name: place for place, name in enumerate(names)}
            return values[:, [places[name] for name in wanted]]
        raise InputError(
            message("ltr.rows-lack-features", names=other[:5]),
            hint=message("ltr.give-features-was-trained"),
        )


def _validation() -> ModuleType:
    return optional_package(
        "sklearn.utils.validation",
        purpose=message("ltr.a-ranker"),
        package="scikit-learn",
        install="relyon[ltr]",
    )
