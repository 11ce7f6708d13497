/** Slicing of paged records, and merging of two sequences. */
import { recordTime } from '../model/eventRecord.js'

/** Returns pages without the first `skip` records, and with at most `limit` of the rest. */
export async function* sliced(pages: AsyncIterable<string[]>, skip: number, limit: number): AsyncGenerator<string[]> {
  let toSkip = skip
  let left = limit
  for await (const found of pages) {
    let page = found
    if (toSkip > 0) {
      page = found.slice(toSkip)
      toSkip -= found.length - page.length
    }
    if (page.length >= left) {
      yield page.slice(0, left)
      return
    }
    left -= page.length
    yield page
  }
}

interface Reading {
  pages: AsyncIterator<string[]>
  page: string[]
  at: number
  isOver: boolean
}

/** Reads until a record is available or none is left. */
async function fill(reading: Reading): Promise<void> {
  while (!reading.isOver && reading.at >= reading.page.length) {
    const next = await reading.pages.next()
    reading.isOver = next.done === true
    reading.page = next.done === true ? [] : next.value
    reading.at = 0
  }
}

/** Merges two sequences by time. Closes both when the consumer stops. */
export async function* mergedByTime(
  one: AsyncGenerator<string[]>,
  other: AsyncGenerator<string[]>,
  ascending: boolean,
): AsyncGenerator<string[]> {
  const [a, b]: [Reading, Reading] = [
    { pages: one, page: [], at: 0, isOver: false },
    { pages: other, page: [], at: 0, isOver: false },
  ]
  try {
    for (;;) {
      await fill(a)
      await fill(b)
      const merged: string[] = []
      for (;;) {
        const first = a.page[a.at]
        const second = b.page[b.at]
        if (first === undefined || second === undefined) break
        const isFirst = ascending ? recordTime(first) <= recordTime(second) : recordTime(first) >= recordTime(second)
        merged.push(isFirst ? first : second)
        if (isFirst) a.at += 1
        else b.at += 1
      }
      // Once one sequence ends, the other's pages pass through unchanged.
      for (const [rest, ended] of [[a, b], [b, a]] as const) {
        if (!ended.isOver) continue
        merged.push(...rest.page.slice(rest.at))
        rest.at = rest.page.length
      }
      yield merged
      if (a.isOver && b.isOver) return
    }
  } finally {
    await one.return(undefined)
    await other.return(undefined)
  }
}
