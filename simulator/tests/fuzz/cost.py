"""What an access of one warp costs, as measured on an H200.

Written from the description of the measurements, not from the simulator, so
that the two can disagree. An access is {lane: byte offset}; offsets count from
the start of an array that begins in bank 0 and at a sector.
"""

WARP = 32
BANKS = 32


def sectors(access, size):
    """Global loads and stores: distinct pieces of 32 bytes."""
    return len({byte // 32 for offset in access.values()
                for byte in (offset, offset + size - 1)})


def atomic_sectors(access):
    """Global atomics: per sector the most lanes that share one address in it."""
    lanes_at = {}
    for offset in access.values():
        lanes_at[offset] = lanes_at.get(offset, 0) + 1
    most = {}
    for offset, lanes in lanes_at.items():
        most[offset // 32] = max(most.get(offset // 32, 0), lanes)
    return sum(most.values())


def constant_passes(access):
    """Constant loads: distinct words."""
    return len({offset // 4 for offset in access.values()})


def deepest_bank(words):
    """Most distinct words in one bank."""
    banks = {}
    for word in words:
        banks.setdefault(word % BANKS, set()).add(word)
    return max(map(len, banks.values()), default=0)


def paired(access, distance):
    """Is each lane's partner inactive or at the same address?"""
    return all(access.get(lane ^ distance, offset) == offset
               for lane, offset in access.items())


def shared(access, size, store):
    """Shared loads and stores: (wavefronts, conflicts).

    8 bytes go by halves of a warp, 16 bytes by quarters; loads of a paired
    warp take two of these groups at a time.
    """
    group = {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}[size]
    if size >= 8 and not store and (paired(access, 1) or paired(access, 2)):
        group *= 2
    wavefronts = groups = 0
    for first in range(0, WARP, group):
        words = {(offset + byte) // 4
                 for lane, offset in access.items() if first <= lane < first + group
                 for byte in range(0, size, min(size, 4))}
        wavefronts += deepest_bank(words)
        groups += bool(words)
    return wavefronts, wavefronts - groups


def lanes_by_bank(access):
    banks = {}
    for lane, offset in sorted(access.items()):
        banks.setdefault(offset // 4 % BANKS, []).append(lane)
    return banks


def shared_atomic(access):
    """Integer atomics: a lane after the other in each bank."""
    wavefronts = max(map(len, lanes_by_bank(access).values()))
    return wavefronts, wavefronts - 1


def shared_float_atomic(access):
    """A loop of compare-and-swap: (iterations, [cost of the read of each]).

    All waiting lanes read; then in each bank the lowest lane gets through.
    """
    waiting, reads = dict(access), []
    while waiting:
        reads.append(shared(waiting, 4, store=False))
        for lanes in lanes_by_bank(waiting).values():
            del waiting[lanes[0]]
    return len(reads), reads
