"""One case, and the rule that it is judged by.

An estimator either predicts finite values and known classes, on training rows and new points, or it refuses with a
ValueError or TypeError in words of its own. It ends within :data:`SECONDS`, and leaves what it was given as it was.
"""

import contextlib
import faulthandler
import linecache
import re
import resource
import signal
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import sklearn
from scipy import sparse
from sklearn.base import is_classifier, is_clusterer, is_regressor

import mr
from tests.fuzz.graphs import Affinity
from tests.fuzz.labels import WEIGHTS, Labels, Targets
from tests.fuzz.parameters import Rows
from tests.fuzz.points import Points, form
from tests.source_reading import ROOT

SECONDS = 10
"""Processor seconds of a case, compilation not counted: what other processes do takes none of them."""
BYTES = 2**31
"""Memory of a case, beyond what the process has."""
HANGING = 120
"""Seconds after which the process is ended: compiled code cannot be interrupted."""
LOGS = ROOT / ".hypothesis" / "cases"
"""The case that runs now, one file per estimator: where to look when the process died."""

LIBRARY = str(Path(mr.__file__).parent)
SKLEARN = Path(sklearn.__file__).parent
GATES = tuple(str(SKLEARN / "utils" / name) for name in ("validation.py", "multiclass.py", "class_weight.py"))
"""Modules of scikit-learn that check input; their words, and those of numpy below them, are as good as ours."""
WORDS = tuple(str(SKLEARN / name) for name in ("utils/_param_validation.py", "utils/_tags.py", "base.py"))
"""Modules of scikit-learn whose own words are, too."""
TELLING = re.compile(
    r"[Ee]xpected|must|needs?\b|got|takes|requires|only|at least|at most|should|belong|has no|holds? no|No labelled|"
    r"mixes|neither .* nor|Cast before|which leaves"
)
DEEP = re.compile(
    r"not supported between|operands could not be broadcast|matmul|singular matrix|leading minor|not positive definite|"
    r"array must not contain infs or NaNs|has a NaN entry|cannot convert float|not aligned|out of bounds|"
    r"zero-size array|"
    r"object is not|unsupported operand|has no attribute|not subscriptable|unhashable|inhomogeneous|"
    r"No matching definition|Cannot determine Numba|dimension mismatch|negative dimensions|too large to convert|"
    r"math domain|array is too big|did not converge|Eigenvalues|probabilities|sample larger"
)
"""Messages of numpy, scipy and numba that have come out of an estimator, or could."""


class Stalled(Exception):
    """A case took too long."""


@dataclass(frozen=True)
class Case:
    estimator: type
    parameters: dict
    points: Points
    labels: Labels | Targets | None
    new_form: str = "dense"
    factor: float = 2.0
    """How far the farthest new point is."""
    weights: str | None = None
    """The ``sample_weight`` of a fit."""

    def X(self):
        """The points, or for a precomputed kernel their inner products (of one in four cases the points still)."""
        return form(self.points.form, self._products(self.points.dense()))

    def new(self):
        new = self._products(self.points.new(self.factor))
        return sparse.csr_array(new) if self.new_form == "csr" else new

    def _products(self, X):
        kernel = self.parameters.get("kernel")
        if not (isinstance(kernel, str) and kernel == "precomputed" and self.points.seed % 4):
            return X
        return np.nan_to_num(X @ np.nan_to_num(self.points.dense()).T, posinf=1e308, neginf=-1e308)

    def arguments(self) -> dict:
        """Further arguments of fit."""
        return {} if self.weights is None else {"sample_weight": WEIGHTS[self.weights](self.points.n)}

    def model(self):
        made = {name: self._made(value) for name, value in self.parameters.items()}
        return self.estimator(**made)

    def _made(self, value):
        if isinstance(value, Affinity):
            return value.make(self.points.n)
        return value.make(self.points) if isinstance(value, Rows) else value

    def y(self):
        return None if self.labels is None else self.labels.make(self.points.n)

    def exercise(self, model, X, y, arguments):
        """Fit, then ask for everything that can be asked; says what is wrong with the answers."""
        return exercise(self, model, X, y, arguments)

    @property
    def ordinary(self):
        """Whether a refusal is a fault."""
        usual = not self.parameters and abs(self.factor) <= 1e3
        return usual and self.weights is None and self.points.ordinary and (self.labels is None or self.labels.ordinary)

    @property
    def hopeless(self):
        """Whether a fit is a fault."""
        return self.points.hopeless or (self.labels is not None and self.labels.hopeless)


@dataclass
class Outcome:
    """What came of a case: refusals are no faults."""

    fault: str | None = None
    refusal: str | None = None
    seconds: float = 0.0
    trace: str = field(default="", repr=False)


def judge(case) -> Outcome:
    """Run the case within the limits; a slow one once more, when everything is compiled."""
    with logged(case) as log:
        start = time.process_time()
        outcome = _attempt(case, log)
        if outcome.fault and outcome.fault.startswith("Stalled"):
            start = time.process_time()
            outcome = _attempt(case, log)
        outcome.seconds = time.process_time() - start
        return outcome


def _attempt(case, log) -> Outcome:
    X, y, model, arguments = case.X(), case.y(), case.model(), case.arguments()
    given = (X, y, model, [*arguments.values()])
    before = frozen(given)
    refusal, fault, trace = None, None, ""
    try:
        with limited(log), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            fault = case.exercise(model, X, y, arguments)
    except (ValueError, TypeError) as error:
        refusal, trace = f"{type(error).__name__}: {error}", traceback.format_exc()
        fault = complaint(error)
    except Exception as error:
        fault, trace = f"{type(error).__name__}: {error}", traceback.format_exc()
    if fault is None and frozen(given) != before:
        fault = "the caller's data, labels or parameters were changed"
    if fault is None and refusal and case.ordinary:
        fault = f"refused an ordinary case: {refusal}"
    if fault is None and not refusal and case.hopeless:
        fault = "fitted a case that has no answer"
    return Outcome(fault, refusal, trace=trace)


def exercise(case, model, X, y, arguments) -> str | None:
    """Fit, then ask for everything that can be asked; says what is wrong with the answers."""
    model.fit(X, y, **arguments) if case.labels is not None else model.fit(X)
    new = case.new()
    for points, n in ((X, case.points.n), (new, new.shape[0])):
        for name in ("predict", "decision_function", "predict_proba", "transform"):
            if hasattr(model, name):
                answer = np.asarray(getattr(model, name)(points))
                if wrong := wrong_answer(model, name, answer, n):
                    return f"{name} {wrong}"
    stored = {"transduction_", "labels_", "embedding_"} & set(vars(model))
    for name in sorted(stored):
        if wrong := wrong_answer(model, "predict" if name != "embedding_" else "transform", getattr(model, name), None):
            return f"{name} {wrong}"
    return None


def wrong_answer(model, name, answer, n) -> str | None:
    if n is not None and len(answer) != n:
        return f"gave {len(answer)} answers for {n} points"
    if name == "predict" and is_classifier(model):
        return None if np.isin(answer, model.classes_).all() else "gave values that are no class"
    if name == "predict" and is_clusterer(model):
        inside = (answer >= 0) & (answer < model.n_clusters)
        return None if inside.all() else "gave values that are no cluster"
    assert name != "predict" or is_regressor(model)
    if name == "predict_proba" and not np.allclose(answer.sum(axis=1), 1.0):
        return "gave rows that do not sum to 1"
    return None if np.isfinite(answer).all() else "gave NaN or infinity"


def complaint(error) -> str | None:
    """What is wrong with the words of a refusal: they must be the library's own, or those of scikit-learn's gates."""
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if any(frame.filename in GATES for frame in frames) or last.filename in WORDS:
        return None
    if not last.filename.startswith(LIBRARY):
        return f"deep message ({Path(last.filename).name}:{last.lineno}) {text}"
    if not linecache.getline(last.filename, last.lineno).strip().startswith("raise"):
        return f"deep message ({Path(last.filename).name}:{last.lineno}) {text}"
    if DEEP.search(str(error)) or not TELLING.search(str(error)):
        return f"message does not say what was expected: {text}"
    return None


@contextlib.contextmanager
def limited(log):
    """Interrupt Python code after SECONDS of processor time, and end the process when even that does not help."""

    def stop(*_):
        raise Stalled(f"more than {SECONDS} s of processor time")

    before, memory = signal.signal(signal.SIGPROF, stop), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_in_use() + BYTES, memory[1]))
    faulthandler.dump_traceback_later(HANGING, exit=True, file=log)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, memory)


def _in_use() -> int:
    """Bytes of address space of this process (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


@contextlib.contextmanager
def logged(case):
    """The case, written down before it runs."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with open(LOGS / f"{case.estimator.__name__}.txt", "w", encoding="utf-8") as log:
        print(case, file=log, flush=True)
        yield log


def frozen(value):
    """The content of what was passed, to compare with afterwards."""
    if isinstance(value, tuple | list):
        return [frozen(part) for part in value]
    if sparse.issparse(value):
        parts = ("data", "indices", "indptr", "row", "col")
        return [getattr(value, part).tobytes() for part in parts if hasattr(value, part)]
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        return [array.shape, array.dtype.str, repr(array.tolist()) if array.dtype == object else array.tobytes()]
    if hasattr(value, "get_params") and not isinstance(value, type):
        return frozen([*value.get_params(deep=False).items()])
    # drawing from a random state is what it is for
    return type(value) if isinstance(value, np.random.RandomState) else repr(value)
