/** Streams in pieces, for readers that must not care how bytes arrive. */

export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

/** The bytes in pieces of these sizes; the last piece is what is left. */
export async function* pieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0
  for (const size of sizes) {
    if (at >= bytes.length) return
    yield bytes.subarray(at, at + size)
    at += size
  }
  if (at < bytes.length) yield bytes.subarray(at)
}
