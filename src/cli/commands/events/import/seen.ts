/** Counts the occurrences of digests in a few bytes each. */

interface DigestCounter {
  /** Returns how often the digest occurred before, and counts it. */
  count(digest: Buffer): number
}

/**
 * Counts digests by their first 64 bits. With ten million different digests, a collision occurs once in a few hundred
 * thousand imports. Takes 16 to 32 bytes per digest.
 */
export function createDigestCounter(capacity = 4096): DigestCounter {
  /** Two words of the digest and a count, by slot; a count of 0 marks an empty slot. */
  let high = new Uint32Array(capacity)
  let low = new Uint32Array(capacity)
  let counts = new Uint32Array(capacity)
  let used = 0

  function slotOf(first: number, second: number): number {
    let slot = first % counts.length
    while (counts[slot] !== 0 && (high[slot] !== first || low[slot] !== second)) slot = (slot + 1) % counts.length
    return slot
  }

  function grow(): void {
    const former = { high, low, counts }
    const size = counts.length * 2
    high = new Uint32Array(size)
    low = new Uint32Array(size)
    counts = new Uint32Array(size)
    for (const [index, count] of former.counts.entries()) {
      if (count === 0) continue
      const first = former.high[index] ?? 0
      const second = former.low[index] ?? 0
      const slot = slotOf(first, second)
      high[slot] = first
      low[slot] = second
      counts[slot] = count
    }
  }

  return {
    count(digest) {
      if (used * 4 >= counts.length * 3) grow()
      const first = digest.readUInt32LE(0)
      const second = digest.readUInt32LE(4)
      const slot = slotOf(first, second)
      const before = counts[slot] ?? 0
      if (before === 0) {
        high[slot] = first
        low[slot] = second
        used += 1
      }
      counts[slot] = before + 1
      return before
    },
  }
}
