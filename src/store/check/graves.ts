/** Graves of streams: each is listed among the deletions. */
import { accountKeys } from '../keys.js'
import { holding, objectIn, textOf, type CheckContext, type Demand, type Entry } from './demand.js'

const HASH = /^[0-9a-f]{64}$/

/** The grave of a stream: `<id>`. A stream of the id may live again. */
export function graveDemands({ findings }: CheckContext, entry: Entry): Demand[] {
  findings.count('graves')
  const { account, rest: id } = entry
  const where = `account ${account}, stream ${id}`
  const grave = objectIn(textOf(entry))
  const deleted = grave?.['deleted']
  if (typeof deleted !== 'number' || !areRoots(grave?.['roots'])) {
    findings.report(where, 'has a grave that cannot be read')
    return []
  }
  const listed = JSON.stringify({ id, deleted })
  return [holding(accountKeys.streamDeletion(account, deleted, id), listed, where, 'entry among the deletions')]
}

/** Whether a value is a list of hashes, sorted, each once. */
const areRoots = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((root: unknown, i) => typeof root === 'string' && HASH.test(root) && (i === 0 || String(value[i - 1]) < root))
