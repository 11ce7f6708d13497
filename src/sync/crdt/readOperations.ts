/** Reads the operations of a change without Automerge, in the encoding that nodes write. */
import { readerOf, skipBytes, takeHex, takeSigned, takeUnsigned, type Reader } from './bytes.js'
import {
  ACTION,
  DELETE,
  HASHED_FROM,
  INSERT,
  KEY,
  PRED_ACTOR,
  PRED_COUNT,
  PRED_COUNTER,
  SET,
  VALUE,
  VALUE_TYPE,
  type OpId,
  type Operation,
} from './encodeChange.js'
import { columnsOf, numbersOf, textsOf, UnusualEncoding, valueOf } from './parseChange.js'

const KNOWN: ReadonlySet<number> = new Set([KEY, INSERT, ACTION, VALUE_TYPE, VALUE, PRED_COUNT, PRED_ACTOR, PRED_COUNTER])

/**
 * Returns the operations, in order, of an uncompressed change that passed `parseChange`. Undefined for operations other
 * than setting and deleting scalars, and for encodings other than those of encodeChange and Automerge.
 */
export function readOperations(change: Uint8Array): Operation[] | undefined {
  try {
    return operationsIn(readerOf(change))
  } catch {
    return undefined
  }
}

function operationsIn(r: Reader): Operation[] {
  skipBytes(r, HASHED_FROM + 1)
  takeUnsigned(r) // length
  skipBytes(r, takeUnsigned(r) * 32) // changes that it builds on
  const actors = [takeHex(r, takeUnsigned(r))]
  takeUnsigned(r) // number
  takeUnsigned(r) // first operation
  takeSigned(r) // time
  skipBytes(r, takeUnsigned(r)) // message
  for (let left = takeUnsigned(r); left > 0; left--) actors.push(takeHex(r, takeUnsigned(r)))
  const columns = columnsOf(r, KNOWN)
  if (columns.size === 0) return []
  const keys = textsOf(columns.get(KEY))
  const count = keys.length
  const actions = numbersOf(columns.get(ACTION), count)
  const types = numbersOf(columns.get(VALUE_TYPE), count)
  const values = columns.get(VALUE) ?? readerOf(new Uint8Array(0))
  const preds = predsOf(columns, numbersOf(columns.get(PRED_COUNT), count), actors)
  return keys.map((key, i): Operation => {
    const value = valueOf(values, types[i] ?? 0)
    const pred = preds[i] ?? []
    if (actions[i] === DELETE) return { key, pred }
    if (actions[i] !== SET) throw new UnusualEncoding()
    return { key, value, pred }
  })
}

const lengthOf = (column: Reader | undefined): number => (column === undefined ? 0 : column.end - column.at)

/** Reads the operations that each operation replaces. */
function predsOf(columns: ReadonlyMap<number, Reader>, counts: readonly number[], actors: readonly string[]): OpId[][] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return counts.map(() => [])
  const actorColumn = columns.get(PRED_ACTOR)
  // A run of a few bytes can claim any number of operations; distinct ones take a byte each.
  if (total > lengthOf(actorColumn) + lengthOf(columns.get(PRED_COUNTER)) + counts.length) throw new UnusualEncoding()
  const actorAt = numbersOf(actorColumn, total)
  const steps = numbersOf(columns.get(PRED_COUNTER), total, takeSigned)
  let at = 0
  let counter = 0
  return counts.map((count) =>
    Array.from({ length: count }, () => {
      const actor = actors[actorAt[at] ?? -1]
      counter += steps[at] ?? 0
      at += 1
      if (actor === undefined) throw new UnusualEncoding()
      return { counter, actor }
    }),
  )
}
