"""The samples as a test class: what becomes of each on a system, and whether the class says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import autograph_rs as ag

from .harness import Sample, all_samples, run
from .systems import check, through

Function = Callable[..., Any]

LISTS = {"differs": "differs", "refused": "error"}
"""What the samples of each list end as."""
REMEDIES = {
    "error": "Have the backend stage it, or enter it in `refused` with the reason.",
    "foreign": "What a backend cannot stage it refuses with a StagingError, or with a type of `refusals`.",
    "wrong": "Mend the backend, or enter the sample in `differs` if that is what the system does.",
}


@dataclass(frozen=True)
class Verdict:
    """What becomes of a sample on a system, why, and the error that ended it.

    Its kind is "staged" (right, with all its arguments staged), "unrolled" (right, with its integers and
    truth values known when it is traced), "error" (one of ours, with a reason, or the mistake that the
    program itself makes, found when it is traced), "differs" (listed: it does what the system does),
    "foreign" (another error) or "wrong".
    """

    kind: str
    why: str = ""
    error: BaseException | None = None


class BackendConformance:
    """Every sample that can be staged, run on a system and compared with plain Python, as tests of pytest.

    A subclass has `stage`, and may have `prepare` and the lists. A sample that ends as "staged" or "unrolled"
    passes; one of a list passes if it ends as the list says, and fails when it no longer does.

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
    """Why the system does something else than NumPy, by sample: `"indexing.py::element": "it is clamped"`."""
    refused: Mapping[str, str] = {}
    """Why the system cannot stage a sample, by sample."""
    refusals: tuple[type[Exception], ...] = ()
    """Errors of the system's that say what is wrong, and count as ours do."""

    def stage(self, f: Function) -> Function:
        """A function compiled by the system.

        Args:
            f: takes arrays of the system, which have a `dtype`, and returns a list of them.

        Returns:
            A function that takes NumPy arrays and returns a list of what `numpy.asarray` takes.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method `stage(self, f)`")

    def prepare(self, f: Function) -> Function:
        """What is staged in the place of a sample's function: that, converted."""
        return ag.convert(f)  # type: ignore[no-any-return]

    def verdict(self, sample: Sample) -> Verdict:
        """What becomes of a sample."""
        found = self._attempt(sample, unroll=False)
        if found.kind == "wrong" and sample.id in self.differs:
            return Verdict("differs", self.differs[sample.id])
        if found.kind == "error" and self._attempt(sample, unroll=True).kind == "staged":
            return Verdict("unrolled", found.why)
        return found

    def _attempt(self, sample: Sample, *, unroll: bool) -> Verdict:
        def call(*given: Any) -> Any:
            return through(self.stage, self.prepare(sample.function), unroll=unroll)(*given)

        for arguments in sample.staged:
            expected = run(sample.function, arguments)
            with warnings.catch_warnings(action="ignore", category=ag.SideEffectWarning):  # some set globals
                made = run(call, arguments)
            try:
                check(made, expected)
            except AssertionError as difference:
                return self._judged(made.error, expected.error, str(difference))
        return Verdict("staged")

    def _judged(self, made: BaseException | None, expected: BaseException | None, difference: str) -> Verdict:
        if made is None or (expected is not None and type(expected).__name__ in str(made)):
            return Verdict("wrong", difference, made)
        # That a program's own mistake is found before the program runs is as good.
        is_told = expected is not None or isinstance(made, (ag.AutographError, *self.refusals))
        return Verdict("error" if is_told else "foreign", f"{type(made).__name__}: {made}", made)

    # What pytest finds

    def pytest_generate_tests(self, metafunc: Any) -> None:
        if "sample" in metafunc.fixturenames:
            found = [sample for sample in all_samples() if sample.staged]
            metafunc.parametrize("sample", found, ids=[sample.id for sample in found])

    def test_sample(self, sample: Sample) -> None:
        """The sample ends as the class says."""
        __tracebackhide__ = True
        found = self.verdict(sample)
        needless = [
            name
            for name, kind in LISTS.items()
            if sample.id in getattr(self, name) and found.kind not in (kind, "foreign", "wrong")
        ]
        if needless:
            raise AssertionError(f"{sample.id} ends as {found.kind}: take it out of `{needless[0]}`")
        if found.kind in REMEDIES and not (found.kind == "error" and sample.id in self.refused):
            told = f"{sample.id} ends as {found.kind}: {found.why}\n{REMEDIES[found.kind]}"
            raise AssertionError(told) from found.error

    def test_lists(self) -> None:
        """An entry that names no sample would say nothing."""
        known = {sample.id for sample in all_samples() if sample.staged}
        strays = sorted({*self.differs, *self.refused} - known)
        if strays:
            raise AssertionError(f"entries that are no samples: {', '.join(strays)}")
