/** Did-you-mean suggestions: the known name closest to a mistyped one. */

/**
 * Returns the candidate closest to `word`, or undefined when none is close.
 * Case-insensitive; a word without a dot is also compared with the last segment of dotted candidates,
 * so that `port` finds `http.port`. The first of equally close candidates wins.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const input = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(input.length / 3)) + 1
  for (const candidate of candidates) {
    const known = candidate.toLowerCase()
    const short = input.includes('.') ? known : known.slice(known.lastIndexOf('.') + 1)
    // A match on the last segment scores half a point lower than one on the whole name.
    const distance = Math.min(editDistance(input, known), short === known ? Infinity : editDistance(input, short) + 0.5)
    if (distance < bestDistance && distance < input.length) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Returns the Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? a.length
}
