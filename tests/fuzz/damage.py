"""Damage to the bytes of any file."""

import random
from collections.abc import Callable

INSERTED = [
    *(b"\0", b'"', b'""', b",", b"\t", b"\n", b"\r", b"\r\n\r\n", b"{", b"}", b"[" * 3000, b"'"),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\u0000"),
    *(b"\\ud800", b"1e400", b"NaN", b"9" * 400, b"PK\x03\x04", b"\x1f\x8b\x08", b"PAR1", b"\x1a"),
]


def cut(rng: random.Random, data: bytes) -> bytes:
    """Keep the start or the end of a file."""
    place = rng.randrange(len(data) + 1)
    return data[:place] if rng.random() < 0.8 else data[place:]


def flip(rng: random.Random, data: bytes) -> bytes:
    """Change some bytes."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 10])):
        changed[rng.randrange(len(changed))] ^= rng.randrange(1, 256)
    return bytes(changed)


def flip_near_mark(rng: random.Random, data: bytes, mark: bytes = b"PK") -> bytes:
    """Change a byte of a header, which has few bytes, but many meanings."""
    starts = [place for place in range(len(data)) if data.startswith(mark, place)]
    changed = bytearray(data)
    place = min(rng.choice(starts or [0]) + rng.randrange(60), len(data) - 1)
    changed[place] ^= rng.randrange(1, 256)
    return bytes(changed)


def copy_block(rng: random.Random, data: bytes) -> bytes:
    """Copy a block to another place, over what is there or before it."""
    start, target = rng.randrange(len(data)), rng.randrange(len(data))
    block = data[start : start + rng.choice([1, 8, 64, 512, 4096])]
    overwritten = len(block) * (rng.random() < 0.5)
    return data[:target] + block + data[target + overwritten :]


def drop_block(rng: random.Random, data: bytes) -> bytes:
    """Leave out a block."""
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.choice([1, 2, 8, 64, 512]) :]


def insert(rng: random.Random, data: bytes) -> bytes:
    """Insert bytes that mean something in some format."""
    place = rng.choice([0, len(data), rng.randrange(len(data) + 1)])
    return data[:place] + rng.choice(INSERTED) + data[place:]


WAYS: list[Callable[[random.Random, bytes], bytes]] = [cut, flip, copy_block, drop_block, insert]


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Damage a file in one or a few ways."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if data:
            data = rng.choice(WAYS)(rng, data)
    return data
