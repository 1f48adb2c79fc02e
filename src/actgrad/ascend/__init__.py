"""The wing for CANN: what Huawei's chips and the aclnn interface say about operators.

law         one file for a family: chips, data types, rules, names in C and in graphs
rules       the record of a law, and the rules that laws state
products    the chips
choice      the choice of the product whose rules judge calls
old_fields  laws from the fields that definitions had before
slots       what the core asks of this wing
aclnn       the C API with both phases of every call
graph       CANN's graph operators, in graph_operators.pyi for type checkers
sdk         the C SDK: shared libraries with CANN's names, for programs in C and C++
cases       test cases of CANN's tools, on top of the judge
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .rules.law import C, InPlace, Law, Parameter

__all__ = ["C", "InPlace", "Law", "Parameter"]


def __getattr__(name: str) -> Any:
    """What states a law. The import loads all laws of the package, which a NumPy call does not need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import law  # noqa: F401  a name in C must not be in another law
    from .rules import law as records

    return getattr(records, name)
