"""Records: immutable objects with named fields. `dataclass` would compile the methods of each class at import.

These compilations took half of the time that `import actgrad` took in addition to NumPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

T = TypeVar("T", bound="Record")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


@dataclass_transform(frozen_default=True)
class Record:
    """An immutable object. Its fields are the annotations of its class, after the fields of the base classes.

    A field's default is the value of the class's attribute. Records of one class are equal if their fields are.
    """

    field_names = tuple[str, ...]()
    required_fields = tuple[str, ...]()  # those without defaults

    def __init_subclass__(cls) -> None:
        names = [
            name
            for base in reversed(cls.__mro__[:-1])
            for name, kind in base.__annotations__.items()
            if "ClassVar[" not in str(kind)
        ]
        cls.field_names = tuple(dict.fromkeys(names))
        cls.required_fields = tuple([name for name in cls.field_names if not hasattr(cls, name)])

    def __init__(self, *values: Any, **named: Any):
        fields = self.field_names
        if len(values) > len(fields):
            raise TypeError(f"{type(self).__name__}() takes {len(fields)} arguments; {len(values)} were given")
        given = dict(zip(fields, values, strict=False))
        for name in named:
            if name not in fields:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument {name!r}")
            if name in given:
                raise TypeError(f"{type(self).__name__}() got multiple values for argument {name!r}")
        given |= named
        for name in self.required_fields:
            if name not in given:
                raise TypeError(f"{type(self).__name__}() missing a required argument: {name!r}")
        self.__dict__.update(given)

    def changed(self: T, **changes: Any) -> T:
        """A copy with these fields in place of its own."""
        return type(self)(**dict(zip(self.field_names, self._values(), strict=True)) | changes)

    def _values(self) -> tuple[Any, ...]:
        return tuple(map(self.__getattribute__, self.field_names))

    def __eq__(self, other: object) -> bool:
        return self._values() == other._values() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(map(self.__getattribute__, self.field_names)))

    def __repr__(self) -> str:
        values = zip(self.field_names, self._values(), strict=True)
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in values)})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"cannot assign to {name!r}: a {type(self).__name__} is immutable; make a changed copy")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete {name!r}: a {type(self).__name__} is immutable; make a changed copy")
