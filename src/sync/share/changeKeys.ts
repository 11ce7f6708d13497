/** Reads the root-map keys that a change sets or deletes, without a document. */
import { readerOf, takeBytes, takeHex, takeSigned, takeText, takeUnsigned, type Reader } from '../crdt/bytes.js'
import { HASHED_FROM } from '../crdt/encodeChange.js'

const KEY = 0x15

/**
 * Returns the keys of a change, each once.
 * @throws Failure `corrupted-data`; `change` is uncompressed and passed parseChange
 */
export function keysOf(change: Uint8Array): string[] {
  const r = readerOf(change)
  takeBytes(r, HASHED_FROM + 1)
  takeUnsigned(r) // length
  for (let left = takeUnsigned(r); left > 0; left--) takeBytes(r, 32) // changes that it builds on
  takeHex(r, takeUnsigned(r)) // actor
  takeUnsigned(r) // number
  takeUnsigned(r) // first operation
  takeSigned(r) // time
  takeBytes(r, takeUnsigned(r)) // message
  for (let left = takeUnsigned(r); left > 0; left--) takeBytes(r, takeUnsigned(r)) // other actors
  const columns: [id: number, length: number][] = []
  for (let left = takeUnsigned(r); left > 0; left--) columns.push([takeUnsigned(r), takeUnsigned(r)])
  for (const [id, length] of columns) {
    const column = takeBytes(r, length)
    if (id === KEY) return textsOf(readerOf(column))
  }
  return []
}

/** Reads the texts of a run-length column: runs of equal texts, and literal runs. */
function textsOf(column: Reader): string[] {
  const texts = new Set<string>()
  while (column.at < column.bytes.length) {
    const run = takeSigned(column)
    if (run === 0) takeUnsigned(column)
    for (let left = run > 0 ? 1 : -run; left > 0; left--) texts.add(takeText(column, takeUnsigned(column)))
  }
  return [...texts]
}
