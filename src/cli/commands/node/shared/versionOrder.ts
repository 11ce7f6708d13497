/** Order of versions, by the rules of Semantic Versioning 2.0.0. */

/** Checks whether a version precedes another: `0.9.1` precedes `0.10.0`, and `1.0.0-rc.2` precedes `1.0.0`. Missing numbers are 0. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)]
  for (const [at, number] of a.numbers.entries()) {
    const other = b.numbers[at] ?? 0
    if (number !== other) return number < other
  }
  if (a.preview === b.preview) return false
  if (a.preview === '') return false
  if (b.preview === '') return true
  return a.preview.localeCompare(b.preview, 'en', { numeric: true }) < 0
}

function partsOf(version: string): { numbers: [number, number, number]; preview: string } {
  const match = /^[^\d]*(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\w.-]+))?/.exec(version)
  const number = (at: number): number => Number(match?.[at] ?? 0)
  return { numbers: [number(1), number(2), number(3)], preview: match?.[4] ?? '' }
}
