"""A reader of packet captures of its own: blocks, IPv4, TCP, WebSocket, HTTP; it trusts nothing."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from attrs import Factory, define

FIN, SYN, RST, ACK = 1, 2, 4, 16


@define
class Packet:
    """One packet, with what its block says."""

    at_us: int
    comment: str
    source: tuple[str, int]
    target: tuple[str, int]
    number: int
    heard: int
    flags: int
    payload: bytes


@define
class Capture:
    """All of a file: names by address, comment of the section, packets in order."""

    about: dict[int, str]
    names: dict[str, str]
    packets: list[Packet] = Factory(list)


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, body); both lengths of a block must agree."""
    place = 0
    while place < len(data):
        kind, length = struct.unpack_from("<II", data, place)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, place + length - 4) == (length,)
        yield kind, data[place + 8 : place + length - 4]
        place += length


def options(data: bytes) -> dict[int, bytes]:
    return dict(records(data))


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(code, value) until the one that ends them."""
    place = 0
    while place < len(data):
        code, length = struct.unpack_from("<HH", data, place)
        if not code:
            break
        yield code, data[place + 4 : place + 4 + length]
        place += 4 + length + -length % 4


def checksum(data: bytes) -> int:
    """0 for data that carries the right sum."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data[: len(data) & ~1]))
    if len(data) % 2:
        total += data[-1] << 8
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def read(data: bytes) -> Capture:
    capture = Capture({}, {})
    for kind, body in blocks(data):
        if kind == 0x0A0D0D0A:
            assert struct.unpack_from("<IHH", body) == (0x1A2B3C4D, 1, 0)
            capture.about = {key: value.decode() for key, value in options(body[16:]).items()}
        elif kind == 1:
            assert struct.unpack_from("<HHI", body) == (101, 0, 0)
            assert options(body[8:])[9] == b"\x06"
        elif kind == 4:
            for code, record in records(body):
                assert code == 1
                capture.names |= {dotted(record[:4]): record[4:-1].decode()}
        else:
            assert kind == 6
            capture.packets.append(packet(body))
    return capture


def dotted(address: bytes) -> str:
    return ".".join(map(str, address))


def packet(body: bytes) -> Packet:
    interface, high, low, length, original = struct.unpack_from("<IIIII", body)
    assert interface == 0
    assert length == original
    data = body[20 : 20 + length]
    comment = options(body[20 + length + -length % 4 :]).get(1, b"").decode()
    assert data[0] == 0x45
    assert struct.unpack_from(">H", data, 2) == (len(data),)
    assert checksum(data[:20]) == 0
    segment = data[20:]
    pseudo = data[12:20] + struct.pack(">HH", 6, len(segment))
    assert checksum(pseudo + segment) == 0
    ports = struct.unpack_from(">HH", segment)
    number, heard, words, flags = struct.unpack_from(">IIBB", segment, 4)
    source, target = (
        (dotted(data[n : n + 4]), port) for n, port in zip((12, 16), ports, strict=True)
    )
    payload = segment[(words >> 4) * 4 :]
    return Packet((high << 32) + low, comment, source, target, number, heard, flags, payload)


@define
class Stream:
    """What one end of a connection has written; no byte is missing or there twice."""

    next: int = -1
    data: bytes = b""
    begins: list[tuple[int, Packet]] = Factory(list)


def streams(capture: Capture) -> dict[tuple, Stream]:
    """By (source, target): reassembled, every number checked, and every acknowledgement."""
    found: dict[tuple, Stream] = {}
    for one in capture.packets:
        mine = found.setdefault((one.source, one.target), Stream())
        other = found.setdefault((one.target, one.source), Stream())
        if one.flags & SYN:
            mine.next = one.number
        assert one.number == mine.next, one
        if one.flags & ACK and other.next >= 0:
            assert (other.next - one.heard) % (1 << 32) <= len(other.data) + 2, one
        if one.payload:
            mine.begins.append((len(mine.data), one))
        mine.data += one.payload
        mine.next = (mine.next + len(one.payload) + bool(one.flags & (SYN | FIN))) % (1 << 32)
    return found


def messages(stream: Stream) -> Iterator[tuple[int, bool, bytes, int]]:
    """(kind, whether masked, payload, when) of the WebSocket frames behind the HTTP head."""
    place = stream.data.index(b"\r\n\r\n") + 4
    times = {begin: packet.at_us for begin, packet in stream.begins}
    while place < len(stream.data):
        begin = place
        first, second = stream.data[place : place + 2]
        assert first & 0x80, "frames are whole"
        length, place = second & 0x7F, place + 2
        if length > 125:
            size = {126: 2, 127: 8}[length]
            length = int.from_bytes(stream.data[place : place + size], "big")
            place += size
        masked = bool(second & 0x80)
        mask = stream.data[place : place + 4] if masked else bytes(4)
        place += 4 * masked
        payload = stream.data[place : place + length]
        assert len(payload) == length
        yield (
            first & 0x0F,
            masked,
            bytes(byte ^ mask[n % 4] for n, byte in enumerate(payload)),
            times[begin],
        )
        place += length
