"""`BackendConformance`: run the samples on a tensor system, and compare them with plain Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import autograph_rs as ag

from .harness import Sample, all_samples, run
from .systems import check_outcome, stage_arrays

Function = Callable[..., Any]

_LISTED_KINDS = {"differs": "differs", "refused": "error"}
"""The kind of verdict that each list of exceptions expects."""
_REMEDIES = {
    "error": "Stage it in the backend, or add it to `refused` with the reason.",
    "foreign": "Raise a StagingError or an error listed in `refusals` for unsupported code.",
    "wrong": "Fix the backend, or add the sample to `differs` if the tensor system itself differs.",
}


@dataclass(frozen=True)
class Verdict:
    """The outcome of a sample on a tensor system, the reason, and the error that ended it.

    Its kind is one of:

    - "staged": correct, with all arguments staged;
    - "unrolled": correct, with integers and booleans known during the trace;
    - "error": an `AutographError`, one of `refusals`, or the program's own error, raised during the trace;
    - "differs": the listed difference between the tensor system and NumPy;
    - "foreign": any other error;
    - "wrong": a wrong result.
    """

    kind: str
    why: str = ""
    error: BaseException | None = None


class BackendConformance:
    """Pytest class that runs every stageable sample on a tensor system and compares it with plain Python.

    A subclass defines `stage`, and may define `prepare` and the lists of exceptions. A sample passes if its
    verdict is "staged" or "unrolled". A listed sample passes only while its verdict matches its list.

    >>> import autograph_rs as ag
    >>> from autograph_rs.testing import BackendConformance, all_samples
    >>> class TestGraph(BackendConformance):
    ...     def prepare(self, f):
    ...         return ag.function(f)
    ...     def stage(self, f):
    ...         return f
    >>> sample = next(s for s in all_samples() if s.id == "if_.py::absolute")
    >>> TestGraph().verdict(sample)
    Verdict(kind='staged', why='', error=None)
    """

    differs: Mapping[str, str] = {}
    """Samples in which the system differs from NumPy, with reasons: `"indexing.py::element": "it clamps"`."""
    refused: Mapping[str, str] = {}
    """Samples that the system cannot stage, with reasons."""
    refusals: tuple[type[Exception], ...] = ()
    """The system's own errors for code that it cannot stage."""

    def stage(self, f: Function) -> Function:
        """Compile a function with the tensor system.

        Args:
            f: a function that takes arrays of the system, which have a `dtype`, and returns a list of arrays.

        Returns:
            A function that takes NumPy arrays, and returns a list of values that `numpy.asarray` accepts.
        """
        raise NotImplementedError(f"{type(self).__name__} must define the method `stage(self, f)`")

    def prepare(self, f: Function) -> Function:
        """Return the function to stage for a sample; by default, the converted sample."""
        return ag.convert(f)

    def verdict(self, sample: Sample) -> Verdict:
        """Run a sample and classify its outcome."""
        verdict = self._run(sample, unroll=False)
        if verdict.kind == "wrong" and sample.id in self.differs:
            return Verdict("differs", self.differs[sample.id])
        if verdict.kind == "error" and self._run(sample, unroll=True).kind == "staged":
            return Verdict("unrolled", verdict.why)
        return verdict

    def _run(self, sample: Sample, *, unroll: bool) -> Verdict:
        def call(*args: Any) -> Any:
            return stage_arrays(self.stage, self.prepare(sample.function), unroll=unroll)(*args)

        for arguments in sample.staged:
            expected = run(sample.function, arguments)
            with warnings.catch_warnings(action="ignore", category=ag.SideEffectWarning):  # some set globals
                actual = run(call, arguments)
            try:
                check_outcome(actual, expected)
            except AssertionError as difference:
                return self._failure_verdict(actual.error, expected.error, str(difference))
        return Verdict("staged")

    def _failure_verdict(
        self, error: BaseException | None, expected: BaseException | None, difference: str
    ) -> Verdict:
        if error is None or (expected is not None and type(expected).__name__ in str(error)):
            return Verdict("wrong", difference, error)
        # The program's own error may also be raised during the trace.
        is_explained = expected is not None or isinstance(error, (ag.AutographError, *self.refusals))
        return Verdict("error" if is_explained else "foreign", f"{type(error).__name__}: {error}", error)

    # Collected by pytest

    def pytest_generate_tests(self, metafunc: Any) -> None:
        if "sample" in metafunc.fixturenames:
            samples = [sample for sample in all_samples() if sample.staged]
            metafunc.parametrize("sample", samples, ids=[sample.id for sample in samples])

    def test_sample(self, sample: Sample) -> None:
        """Check that the verdict on a sample is acceptable and matches the lists."""
        __tracebackhide__ = True
        verdict = self.verdict(sample)
        for name, kind in _LISTED_KINDS.items():
            if sample.id in getattr(self, name) and verdict.kind not in (kind, "foreign", "wrong"):
                raise AssertionError(f"{sample.id} has the verdict {verdict.kind}: remove it from `{name}`")
        if verdict.kind in _REMEDIES and not (verdict.kind == "error" and sample.id in self.refused):
            message = f"{sample.id} has the verdict {verdict.kind}: {verdict.why}\n{_REMEDIES[verdict.kind]}"
            raise AssertionError(message) from verdict.error

    def test_lists(self) -> None:
        """Check that the lists name only existing samples."""
        known = {sample.id for sample in all_samples() if sample.staged}
        unknown = sorted({*self.differs, *self.refused} - known)
        if unknown:
            raise AssertionError(f"the lists name unknown samples: {', '.join(unknown)}")
