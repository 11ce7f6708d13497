/**
 * Derives registers from the CRDT changes of a profile set of store format 1 (store/accounts/formerProfiles.ts). The stamp of a key is
 * its latest operation, even a removal that a concurrent edit survived: the register then wins over those that another mirror
 * derives from fewer changes.
 */
import { Failure } from '../../store/model/failure.js'
import { tombstoneName, type Register } from '../../store/model/profileRegisters.js'
import { compareOpIds, type OpId } from './encodeChange.js'
import { scalarToText } from './fieldText.js'
import { linksOf } from './links.js'
import { readOperations } from './readOperations.js'

const PREFIX = 'p:'

interface WrittenValue {
  operation: OpId
  text?: string
}

const nameOf = ({ counter, actor }: OpId): string => `${counter} ${actor}`

/**
 * Returns the registers of the changes of a profile set, unordered.
 * @throws Failure `corrupted-data` when a change is unreadable
 */
export function registersOf(id: string, changes: readonly Uint8Array[]): Register[] {
  const written = new Map<string, WrittenValue[]>()
  const replaced = new Set<string>()
  for (const { bytes, actor, startOp } of linksOf(changes).values()) {
    const operations = readOperations(bytes)
    if (operations === undefined) throw new Failure('corrupted-data', 'A change of a profile set cannot be read.')
    for (const [i, { key, value, pred }] of operations.entries()) {
      if (!key.startsWith(PREFIX)) continue
      for (const one of pred) replaced.add(`${nameOf(one)} ${key}`)
      const all = written.get(key) ?? []
      all.push({ operation: { counter: startOp + i, actor }, ...(typeof value === 'string' ? { text: value } : {}) })
      written.set(key, all)
    }
  }
  return [...written].map(([field, all]) => registerOf(id, field, all, replaced))
}

function registerOf(id: string, field: string, all: readonly WrittenValue[], replaced: ReadonlySet<string>): Register {
  const key = scalarToText(field.slice(PREFIX.length))
  const { operation: stamp } = last(all)
  const live = all.filter(({ operation, text }) => text !== undefined && !replaced.has(`${nameOf(operation)} ${field}`))
  const text = live.length === 0 ? undefined : last(live).text
  return text === undefined ? { removed: tombstoneName(id, key), ...stamp } : { key, text, ...stamp }
}

const last = (all: readonly WrittenValue[]): WrittenValue =>
  all.reduce((a, b) => (compareOpIds(a.operation, b.operation) < 0 ? b : a))
