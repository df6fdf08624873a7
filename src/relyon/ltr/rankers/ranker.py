"""Rankers: one interface for trees, linear models and networks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

from relyon.core.errors import InputError, ParameterError
from relyon.core.packages import optional_package, scipy_part
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.labelled import LabelledRows
from relyon.data.run import Run
from relyon.ltr.rankers.exporting.exported import Candidate, Exported, ExportFormat
from relyon.ltr.rankers.fingerprints import data_fingerprint
from relyon.ltr.rankers.query_rows import (
    TrainingRows,
    check_varied,
    known_features,
    targets_of,
    training_rows,
)
from relyon.ltr.rankers.target_measure import fingerprint, measure_scores
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

    An estimator of scikit-learn: parameters are set by the constructor and checked by `fit`, what
    was learnt ends in an underscore. Queries come as `qid=`, inside y (`relyon.ltr.grades`) or
    inside `LabelledRows`. Rows of a query need not be adjacent: they are brought together. Without
    any queries all rows count as one, and a warning says so.

    Attributes:
        n_features_in_: How many features it was trained on.
        feature_names_: What they are called, `0`, `1`, … where they had no names.
        measure_: The measure that it is trained for, with the convention's rules in `convention_`.
        fingerprint_: Equal where two numbers mean the same: `relyon.ltr.fingerprint`.
        data_: What it was trained on: `fingerprint`, `rows`, `queries`, `varied` (queries with two
            labels or more) and `source`.
    """

    #: What a saved file calls this kind.
    kind: ClassVar[str]
    #: The parameter that says how many steps are made, of which `n_iter_` count.
    steps: ClassVar[str]
    #: Whether NaN features are taken as missing values.
    takes_missing: ClassVar[bool] = False

    # With metadata routing on, queries are wanted wherever they are known; off, this is unread.
    __metadata_request__fit: ClassVar[Mapping[str, Any]] = {"qid": True}
    __metadata_request__score: ClassVar[Mapping[str, Any]] = {"qid": True}
    __metadata_request__predict: ClassVar[Mapping[str, Any]] = {"qid": True}

    measure: Any
    convention: Any
    feature_names_: tuple[str, ...]

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        positions: ArrayLike | None = None,
        eval_set: Any = None,
    ) -> Self:
        """Trains the ranker.

        Args:
            X: Features: NumPy, SciPy sparse, Polars, pandas; or `LabelledRows`, then without y.
            y: One label per row, or `relyon.ltr.grades(labels, qid)`.
            qid: The query of each row.
            sample_weight: What each row weighs: from clicks, the inverse of how likely it was to be
                seen.
            positions: Where each row was shown, from 1, for engines that learn the position bias.
            eval_set: Rows to watch the measure on: `LabelledRows`, or (X, y) or (X, y, qid).

        Raises:
            InputError: If the data cannot be used, or there is nothing to learn from it.
            ParameterError: If a parameter has a value that it cannot have.
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
        }
        self._train(rows, valid)
        return self

    @abstractmethod
    def _train(self, rows: TrainingRows, valid: TrainingRows | None) -> None:
        """Trains on checked rows, whose queries are together."""

    @abstractmethod
    def _scores(self, values: Any, qid: ArrayLike | None) -> NDArray[np.float64]:
        """Scores a checked matrix of features."""

    @abstractmethod
    def _parts(self) -> dict[str, bytes]:
        """Returns what was learnt as files of a saved ranker."""

    @abstractmethod
    def _restore(self, parts: Mapping[str, bytes]) -> None:
        """Takes what was learnt from the files of a saved ranker."""

    @classmethod
    def _files(cls, parameters: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the names of the files that a saved ranker with these parameters holds."""
        raise NotImplementedError

    def _versions(self) -> dict[str, str]:
        """Returns the versions of the libraries that trained it."""
        return {}

    def predict(self, X: Any, qid: ArrayLike | None = None) -> NDArray[np.float64]:
        """Returns one score per row: higher is better within a query.

        Args:
            X: Features, as `fit` takes them.
            qid: The query of each row; only rankers that look at whole lists need it.

        Of rows and frames whose columns have names it takes the features that it was trained on,
        whatever else there is; an array must have exactly their columns.

        Raises:
            InputError: If a feature is missing, or an array has more or fewer than in training.
        """
        _validation().check_is_fitted(self)
        if isinstance(X, LabelledRows) and qid is None:
            _, qid = targets_of(X, None, None)
        return self._scores(self._matrix(X, reset=False), qid)

    def rank(
        self,
        X: Any,
        qid: ArrayLike | None = None,
        documents: ArrayLike | None = None,
        *,
        name: str = "",
    ) -> Run:
        """Returns the scores as a run, for `relyon.evaluate`, `compare` and `write_run`.

        Args:
            X: Features, or `LabelledRows`, which hold queries and documents.
            qid: The query of each row.
            documents: The document of each row.
            name: What results call the run; by default the ranker's class.

        Raises:
            InputError: If it is not known which query or document a row is.
        """
        import numpy as np

        scores = self.predict(X, qid)
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
        return Run.from_arrays(
            np.asarray(qid).tolist(),
            np.asarray(documents).tolist(),
            scores,
            name=name or type(self).__name__,
        )

    def score(
        self,
        X: Any,
        y: Any = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Returns the ranker's measure on labelled rows, under its convention.

        Args:
            X: Features, as `fit` takes them.
            y: One label per row, or `relyon.ltr.grades(labels, qid)`.
            qid: The query of each row.
            sample_weight: What each row weighs, for measures whose rows can: `auc`, `pnr` …

        Raises:
            InputError: If no query has a value.
        """
        labels, queries = targets_of(X, y, qid)
        scores = self.predict(X, queries)
        return measure_scores(self.measure, self.convention, labels, scores, queries, sample_weight)

    def save(self, path: str | PathLike[str]) -> None:
        """Saves the ranker as one file, which `relyon.ltr.load` reads; no pickle is in it.

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
        rows: Any = None,
        qid: ArrayLike | None = None,
    ) -> Exported:
        """Writes the trained ranker as a file that other programs score, without relyon.

        The file is read back and compared with the ranker on made-up rows, on and beside the values
        where trees split; it is written if every score is the same within 1e-5 of the largest.

        - `onnx`, for ONNX Runtime and others: one input `features`, rows × features in single
          precision and in the order of `feature_names_`; one output `scores`, one per row. Scaling
          is inside. A ranker with attention scores the documents of one query per call.
        - `treelite`: a checkpoint of Treelite; trees of LightGBM and XGBoost.
        - `engine`: LightGBM's text, XGBoost's UBJSON or JSON, CatBoost's cbm, a program of
          `torch.export`.

        Args:
            path: Where to.
            format: The format; by default what the ending names: `.onnx`, `.treelite`, `.tl`,
                `.txt`, `.ubj`, `.json`, `.cbm`, `.pt2`.
            rows: Rows of your own to compare on, as `predict` takes them: says in how many queries
                the order of documents changes.
            qid: The query of each of these rows.

        Raises:
            ParameterError: If the ranker cannot be exported in this format.
            InputError: If it cannot be converted, or the file would score otherwise.
            DependencyError: If what converts it is not installed.

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
        """Returns the formats that it can be exported in, and how their files end."""

    @abstractmethod
    def _candidate(self, format: ExportFormat, ending: str) -> Candidate:
        """Returns the ranker as a file of one of its formats."""

    def _exported_name(self) -> str:
        """Returns what it is called where it is said that a format is not offered."""
        return type(self).__name__

    def __sklearn_tags__(self) -> Any:
        """Returns what scikit-learn should know of it."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.takes_missing
        tags.target_tags.required = True
        return tags

    def _rows(
        self,
        X: Any,
        y: Any,
        qid: ArrayLike | None,
        weights: ArrayLike | None,
        positions: ArrayLike | None,
        *,
        reset: bool,
    ) -> TrainingRows:
        """Checks rows to train on, or to watch the measure on."""
        labels, queries = targets_of(X, y, qid)
        values = self._matrix(X, reset=reset)
        if isinstance(X, LabelledRows):
            weights = X.weights if weights is None else weights
            positions = X.positions if positions is None else positions
        return training_rows(
            values, self.feature_names_, labels, queries, weights=weights, positions=positions
        )

    def _valid(self, given: Any) -> TrainingRows:
        """Checks rows to watch the measure on."""
        if isinstance(given, LabelledRows):
            given = (given, None)
        if not isinstance(given, tuple | list) or len(given) not in {2, 3}:
            raise ParameterError(
                message("ltr.eval-set-must-be-labelled"),
                hint=message("ltr.only-one-evaluation-set"),
            )
        X, y, qid = (*given, None)[:3]
        return self._rows(X, y, qid, None, None, reset=False)

    def _matrix(self, X: Any, *, reset: bool) -> Any:
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
        if hasattr(found, "tocsr"):
            return _older(found)
        return found

    def named_features(self) -> list[str] | None:
        """Returns the names of the features that it was trained on; None where they had none."""
        names: list[str] = list(self.feature_names_)
        return None if names == list(map(str, range(len(names)))) else names

    def _by_name(self, names: tuple[str, ...], values: Any) -> Any:
        """Returns the columns that have the names of training, in the order of training."""
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


def _older(values: Any) -> Any:
    """Returns a sparse matrix as engines know it: not SciPy's newer array, with 32-bit indices."""
    import numpy as np

    csr_matrix = scipy_part("sparse").csr_matrix

    short = max(values.nnz, *values.shape) < 2**31
    kind = np.int32 if short else np.int64
    parts = values.data, values.indices.astype(kind), values.indptr.astype(kind)
    return csr_matrix(parts, shape=values.shape)


def _validation() -> Any:
    return optional_package(
        "sklearn.utils.validation",
        purpose=message("ltr.a-ranker"),
        package="scikit-learn",
        install="relyon[ltr]",
    )
