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

/**
 * Returns the candidates close to `word`, the closest first: those within a few typing errors, and those that `word` is the
 * beginning of. Case-insensitive.
 * @param limits `count`, the maximum number of results; `distance`, the maximum number of typing errors, which defaults to
 * a third of the word
 */
export function nearestNames(word: string, candidates: Iterable<string>, limits: { count?: number; distance?: number } = {}): string[] {
  const { count = 3 } = limits
  const input = word.toLowerCase()
  const max = Math.min(limits.distance ?? Math.max(2, Math.floor(input.length / 3)), input.length - 1)
  const scored = [...new Set(candidates)].flatMap((candidate) => {
    const known = candidate.toLowerCase()
    const isBeginning = input.length >= MIN_BEGINNING && known.startsWith(input)
    // Lengths differ by at most the distance, which spares most comparisons.
    const distance = isBeginning ? 1 : Math.abs(known.length - input.length) > max ? Infinity : editDistance(input, known)
    return distance <= max ? [{ candidate, distance }] : []
  })
  return scored.sort((a, b) => a.distance - b.distance).slice(0, count).map(({ candidate }) => candidate)
}

/** Returns the question for names: `Did you mean heart, heard or hearts?` */
export function didYouMean(names: readonly string[]): string {
  const [last = '', ...before] = [...names].reverse()
  return `Did you mean ${before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`}?`
}

/** Minimum length of a word that is compared with the beginning of names. */
const MIN_BEGINNING = 3

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
