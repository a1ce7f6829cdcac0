"""TCP over IPv4, as far as a capture shows it: both ends count what they sent and heard."""

from __future__ import annotations

import hashlib
import struct
from typing import Final

import attrs

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
SEGMENT: Final = 1460
"""Bytes of a segment: what fits into an Ethernet frame."""

WINDOW: Final = 65_535
_MSS: Final = struct.pack(">BBH", 2, 4, SEGMENT)
_WRAP: Final = 1 << 32


@attrs.define(eq=False)
class End:
    """One end of a connection. ``sent``: the number of its next byte, ``heard``: that of the
    first byte of the other end that it has not got."""

    address: bytes
    port: int
    sent: int
    heard: int = 0


@attrs.define(eq=False)
class Connection:
    """Two ends; each method gives the packets that the wire sees."""

    client: End
    server: End

    @classmethod
    def between(cls, client: bytes, server: bytes, ports: tuple[int, int], seed: str) -> Connection:
        """A connection that is not open yet; ``seed`` decides where its numbers begin."""
        digest = hashlib.blake2b(seed.encode("utf-8", "replace"), digest_size=8).digest()
        first, second = struct.unpack(">II", digest)
        return cls(End(client, ports[0], first), End(server, ports[1], second))

    def other(self, end: End) -> End:
        """The end at the other side."""
        return self.server if end is self.client else self.client

    def opens(self) -> list[bytes]:
        """The three packets of the handshake."""
        asked = self._control(self.client, SYN)
        answered = self._control(self.server, SYN | ACK)
        return [asked, answered, self.confirms(self.client)]

    def asks(self) -> bytes:
        """A first packet that nobody may answer."""
        return self._control(self.client, SYN)

    def data(self, end: End, payload: bytes) -> list[bytes]:
        """What an end writes, in as many segments as it takes."""
        parts = [payload[n : n + SEGMENT] for n in range(0, len(payload), SEGMENT)]
        made = []
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            made.append(self._packet(end, ACK | (PSH if last else 0), part))
            end.sent = (end.sent + len(part)) % _WRAP
        return made

    def hears(self, end: End, up_to: int | None = None) -> None:
        """An end has got what the other one sent, up to that byte (None: all)."""
        wanted = self.other(end).sent if up_to is None else up_to
        if (wanted - end.heard) % _WRAP < _WRAP // 2:
            end.heard = wanted

    def confirms(self, end: End) -> bytes:
        """An end says what it has got."""
        return self._packet(end, ACK, b"")

    def finishes(self, end: End) -> bytes:
        """An end writes no more."""
        return self._control(end, FIN | ACK)

    def resets(self, end: End) -> bytes:
        """An end, or somebody in its name, breaks it off."""
        return self._packet(end, RST | ACK, b"")

    def _control(self, end: End, flags: int) -> bytes:
        """A packet that counts as one byte."""
        made = self._packet(end, flags, b"", _MSS if flags & SYN else b"")
        end.sent = (end.sent + 1) % _WRAP
        if flags & (SYN | FIN):
            self.other(end).heard = end.sent
        return made

    def _packet(self, end: End, flags: int, payload: bytes, options: bytes = b"") -> bytes:
        other = self.other(end)
        heard = end.heard if flags & ACK else 0
        words = 5 + len(options) // 4
        fixed = (end.port, other.port, end.sent, heard, words << 4, flags, WINDOW, 0, 0)
        segment = struct.pack(">HHIIBBHHH", *fixed) + options + payload
        pseudo = end.address + other.address + struct.pack(">HH", 6, len(segment))
        summed = _checksum(pseudo + segment)
        segment = segment[:16] + struct.pack(">H", summed) + segment[18:]
        return _ip(end.address, other.address, segment)


def _ip(source: bytes, target: bytes, segment: bytes) -> bytes:
    fixed = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment), 0, 0x4000, 64, 6, 0)
    header = fixed + source + target
    return header[:10] + struct.pack(">H", _checksum(header)) + header[12:] + segment


def _checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
