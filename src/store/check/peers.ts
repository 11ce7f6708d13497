/** Checks the node's identity and the records of its peers. */
import { accountKeys, nodeKeys } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { objectIn, recordOf, textOf, type CheckContext, type Entry } from './crossReference.js'

const isNode = (value: unknown): boolean => typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value)
const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)

/** Checks the key pair that identifies this node to others: it is readable and can be decrypted. */
export function checkIdentity({ db, findings }: CheckContext, seal: Seal | undefined): void {
  const text = db.get(nodeKeys.identity)
  if (text === undefined) return
  findings.count('identities')
  const where = 'the identity of the node'
  const { node, seed } = objectIn(text) ?? {}
  if (!isNode(node) || typeof seed !== 'string') return findings.report(where, 'cannot be read')
  if (seal === undefined) return
  try {
    if (/^[A-Za-z0-9_-]{43}$/.test(seal.open(seed, nodeKeys.identity))) return
  } catch {
    // Reported below.
  }
  findings.report(where, 'has a secret key that this node key cannot decrypt')
}

const DIRECTIONS = ['send', 'receive', 'both']

function isScope(value: unknown): boolean {
  const { is, streams, direction, grantor } = recordOf(value) ?? {}
  if (is === 'mirror') return true
  const areStreams = Array.isArray(streams) && streams.length > 0 && streams.every((id) => typeof id === 'string')
  return is === 'share' && areStreams && DIRECTIONS.includes(String(direction)) && (grantor === 'us' || grantor === 'them')
}

/** Checks a paired node, `<number>`; the number 0 stores the last assigned number. */
export function checkPeer({ db, findings }: CheckContext, entry: Entry): void {
  const record = objectIn(textOf(entry))
  const where = `account ${entry.account}, peer ${entry.rest}`
  if (entry.rest === '0') {
    if (!Number.isSafeInteger(record?.['last'])) findings.report(where, 'has no number')
    return
  }
  findings.count('peers')
  const isWhole =
    record !== undefined &&
    record['number'] === Number.parseInt(entry.rest, 36) &&
    typeof record['name'] === 'string' &&
    /^[A-Za-z0-9_-]{22}$/.test(String(record['pairing'])) &&
    isNode(record['node']) &&
    isScope(record['scope']) &&
    isTime(record['paired'])
  if (!isWhole) return findings.report(where, 'has a record that cannot be read')
  const last = objectIn(db.get(accountKeys.peer(entry.account, 0)))?.['last']
  if (!(Number(last) >= Number(record['number']))) findings.report(where, 'has a number that may be assigned to another peer')
}
