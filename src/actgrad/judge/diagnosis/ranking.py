"""Chooses the mistakes that explain failing elements: each suspicion predicts values, which are compared."""

from __future__ import annotations

import numpy as np

from ..elements import Array
from ..verdict import Diagnosis
from . import arithmetic, forms, layout, mistakes, quantisation
from .sample import Rule, Sample, Suspicion

LEAST_SHARE = 0.3  # share of the failing elements that a suspicion must explain
CLOSE_SHARE = 0.8  # the same for 16-bit results and few different numbers, because a prediction may agree by chance
FEW_NUMBERS = 16  # different right values
LOOSE_SHARE = 0.9  # the same for suspicions that predict only the size of errors
CONTRADICTED = 0.05  # right elements that it may contradict, relative to the elements that it explains
DIAGNOSES = 3
#: What a second mistake must predict, because a few elements agree with some formula by chance: elements, and their
#: share of all failing ones. The elements at the border of a shift are such a few.
FEWEST, SECOND_SHARE = 4, 0.01
ONLY_FIRST = {"unwritten", "nan-lost"}  # names that say nothing next to another name
FEW_IS_ENOUGH = {"nan-at-infinity", "branch-at-0", "zero-sign"}  # a case may have a single such element
AMBIGUOUS = {"factor", "half-intermediates"}  # another mistake may explain the elements with large errors


def diagnose(sample: Sample) -> tuple[Diagnosis, ...]:
    """The mistakes that explain the most failing elements, one after another. Empty if no mistake explains enough.

    A kernel may round worse than ours and also make a mistake. If the mistakes are vague, or leave half of the elements
    with large errors unexplained, only these elements are examined again, with tolerance for the kernel's rounding.
    In 16 bits these may be all failing elements, because the standard tolerates the rounding.

    A rule that raises an exception does not stop the others. The last diagnosis then says "no name: internal error".
    """
    errors: dict[str, Diagnosis] = {}
    return (*_clearest(sample, errors), *errors.values())


def _clearest(sample: Sample, errors: dict[str, Diagnosis]) -> tuple[Diagnosis, ...]:
    diagnoses, left = _diagnoses(sample, errors)
    far = sample.with_large_errors()
    count, all_count = (sum(map(np.count_nonzero, wrong)) for wrong in (far.wrong, sample.wrong))
    unexplained = np.count_nonzero(left & np.concatenate(far.wrong))
    is_clear = unexplained < 0.5 * count and not {diagnosis.mistake for diagnosis in diagnoses} & AMBIGUOUS
    are_all = count == all_count
    if not count or is_clear or (are_all and not sample.is_half):
        return diagnoses
    most = DIAGNOSES if are_all else 1
    return _diagnoses(far, errors, most)[0] or tuple(d for d in diagnoses if d.explained > all_count - count)


def internal_error(error: Exception, looked_at: int, where: str = "") -> Diagnosis:
    """The diagnosis that stands for a fault of the diagnosis itself. The verdict does not depend on it."""
    cause = " ".join(f"{type(error).__name__}: {error}".split())
    return Diagnosis("internal-error", f"no name: internal error{where and f' in {where}'} ({cause})", 0, looked_at)


def _diagnoses(
    sample: Sample, errors: dict[str, Diagnosis], most: int = DIAGNOSES
) -> tuple[tuple[Diagnosis, ...], Array]:
    """The mistakes, and the failing elements that no mistake explains. Adds the errors of rules to `errors`."""
    left = np.concatenate(sample.wrong)
    looked_at = int(np.count_nonzero(left))
    diagnoses: list[Diagnosis] = []
    if not looked_at:
        return (), left
    suspicions = []
    for rule in _rules(sample):
        try:
            for suspicion in rule(sample):
                both = _explained(sample, suspicion)
                if both is not None:
                    suspicions.append((suspicion, *both))
        except Exception as error:  # a diagnosis must not cost a verdict
            errors.setdefault(rule.__name__, internal_error(error, looked_at, rule.__name__))
    is_close = sample.actual[0].dtype.itemsize == 2 or len(np.unique(sample.right[0].stored)) <= FEW_NUMBERS
    enough = CLOSE_SHARE if is_close else LEAST_SHARE
    while suspicions and len(diagnoses) < most and left.any():
        counts = [int(np.count_nonzero(left & explained)) for _, explained, _ in suspicions]
        # A suspicion that predicts values comes before a suspicion that only allows for errors.
        ranks = [
            (not s.is_loose, count * (0.9 if s.mistake in AMBIGUOUS else 1.0), -k)
            for k, ((s, *_), count) in enumerate(zip(suspicions, counts, strict=True))
        ]
        best = ranks.index(max(ranks))
        suspicion, _, consistent = suspicions.pop(best)
        if suspicion.is_loose and diagnoses:  # it allows for any small error, but a second mistake must predict values
            continue
        share = LOOSE_SHARE if suspicion.is_loose else max(enough, suspicion.share)
        of = left if suspicion.among is None else left & np.concatenate(suspicion.among)
        if diagnoses and suspicion.mistake in ONLY_FIRST:
            continue
        needs_many = diagnoses and suspicion.mistake not in FEW_IS_ENOUGH
        fewest = max(FEWEST, SECOND_SHARE * looked_at) if needs_many else 1
        if counts[best] >= max(fewest, share * int(np.count_nonzero(of))):
            diagnoses.append(Diagnosis(suspicion.mistake, suspicion.says, counts[best], looked_at))
            left = left & ~consistent
    return tuple(diagnoses), left


def _rules(sample: Sample) -> tuple[Rule, ...]:
    """The rules to try, the most specific first."""
    # A few elements agree with results of other elements by chance. NaN agrees with any other NaN.
    finite = (wrong & np.isfinite(actual) for wrong, actual in zip(sample.wrong, sample.actual, strict=True))
    has_many = sum(map(np.count_nonzero, finite)) >= layout.FEWEST
    return (
        forms.sign_of_zero,
        arithmetic.subnormals_flushed,
        quantisation.group_boundaries,  # rows behind the last group are 0, as if they were not written
        *mistakes.RULES,
        forms.row_statistics,
        *(layout.RULES[:-1] if has_many else ()),
        *quantisation.RULES,
        *forms.RULES,
        *arithmetic.RULES,
        *layout.RULES[-1:],  # a place says less than a cause
    )


def _explained(sample: Sample, suspicion: Suspicion) -> tuple[Array, Array] | None:
    """The failing elements that a suspicion explains, and the failing elements that have the predicted value.

    None if right elements contradict the suspicion.

    If an element has the predicted value, but is as near to the right value, it does not count as explained. Such
    elements are not used to find a second mistake.
    """
    if suspicion.explains is not None:
        explains = np.concatenate(suspicion.explains)
        return explains, explains
    prediction = suspicion.prediction
    if prediction is None:  # the call is refused
        return None
    wrong, agrees = np.concatenate(sample.wrong), np.concatenate(sample.agrees(prediction))
    if not (wrong & agrees).any():
        return None
    if suspicion.is_loose:
        return wrong & agrees, wrong & agrees
    nearer = np.concatenate(sample.errors(prediction)) <= np.concatenate(sample.errors(sample.right)) / 2
    if sample.is_half or sample.is_integer:  # rounding hides the distance, so an exact match after rounding counts too
        pairs = zip(prediction, sample.right, sample.actual, strict=True)
        nearer |= np.concatenate([(p.stored == a) & (right.stored != a) for p, right, a in pairs])
    explained = wrong & agrees & nearer
    contradicted = ~wrong & ~agrees & np.concatenate(sample.moved(prediction))
    if np.count_nonzero(contradicted) > CONTRADICTED * np.count_nonzero(explained):
        return None
    return explained, wrong & agrees
