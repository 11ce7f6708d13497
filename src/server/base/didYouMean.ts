/** Did-you-mean: the known name that is closest to a mistyped one. */

/**
 * The candidate that `word` most likely stands for, or undefined when none is close.
 * Compares without regard to case; a word without a dot is also held against the last part of dotted candidates,
 * so that `port` finds `http.port`. Among equals the first candidate wins.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const input = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(input.length / 3)) + 1
  for (const candidate of candidates) {
    const known = candidate.toLowerCase()
    const short = input.includes('.') ? known : known.slice(known.lastIndexOf('.') + 1)
    // A hit on the last part only is a weaker hint than one on the whole name.
    const distance = Math.min(editDistance(input, known), short === known ? Infinity : editDistance(input, short) + 0.5)
    if (distance < bestDistance && distance < input.length) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Number of insertions, deletions, replacements and swaps of neighbours between two words. */
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
