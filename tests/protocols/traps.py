"""Values that no decoder makes: a parser that trusts them falls."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn


class Trap:
    """Everything that can be asked of it raises, but for its hash: that of ``FIELD``."""

    FIELD: ClassVar[str] = "v"

    def _spring(self, *_: object) -> NoReturn:
        raise RuntimeError("trap")

    __class__ = property(lambda self: self._spring())
    __eq__ = __ne__ = __getitem__ = __iter__ = __len__ = __bool__ = __str__ = __repr__ = _spring
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __float__ = __int__ = __index__ = _spring

    def __hash__(self) -> int:
        return hash(self.FIELD)


class TrapDict(dict[str, Any]):
    __getitem__ = __contains__ = __iter__ = __len__ = __eq__ = Trap._spring
    get = keys = items = values = Trap._spring
