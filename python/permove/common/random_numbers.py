"""Random numbers from hashes: the same on every machine and with every version of every library."""

import hashlib

import numpy as np
from numpy.typing import NDArray

BITS = 64


def draw(seed: int, name: str) -> int:
    """Return a random 64-bit number for a name."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=BITS // 8).digest(), "little")


def share(seed: int, name: str) -> float:
    """Return a random number in [0, 1) for a name."""
    return (draw(seed, name) >> 11) / 2**53


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finalizer of SplitMix64: every bit of the result depends on every bit of the value."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def stream(seed: int, name: str, count: int) -> NDArray[np.uint64]:
    """Return `count` random 64-bit numbers for a name. A shorter stream is a prefix of a longer one."""
    return mix(np.uint64(draw(seed, name)) ^ mix(np.arange(count, dtype=np.uint64)))
