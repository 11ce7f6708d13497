/**
 * Check of a store, including the Automerge document of each item: on a snapshot and in time slices, since the store may be in use. A
 * second thread helps with a closed store.
 */
import { randomInt } from 'node:crypto'
import { checkStore, findingsOfCheck } from '../../../store/check/index.js'
import { digest, type ChainHead } from '../../../store/engine/commit.js'
import { openSnapshot, type Database } from '../../../store/engine/database.js'
import { isReferenced } from '../../../store/blobs/fileReferences.js'
import { nodeKeys, orderedToNumber, ORDERED_LENGTH, under } from '../../../store/engine/keys.js'
import { createYielder } from '../../../store/engine/yield.js'
import { readableUsername } from '../../../store/accounts/users.js'
import type { Problem } from '../../../store/check/findings.js'
import { listMirrors } from '../../../store/replication/peers.js'
import { createCheckHelper } from './checkHelper.js'
import { prefixOf, type WorkTarget, type WorkProgress } from './workTarget.js'

/** A problem as shown to the operator. */
interface ReportedProblem extends Problem {
  /** User name of the account, if it still has a user. */
  user?: string
  /** Suggested next command. */
  next: string
}

interface CheckAnswer {
  ok: boolean
  checked: Record<string, number>
  problems: ReportedProblem[]
  /** Total number of problems; at most a thousand are listed. */
  found: number
}

/** Longest time slice, in milliseconds. */
const SLICE_MS = 8

/** Checks the whole store, one account, or a sample of records. Never writes. */
export async function checkTarget(
  ground: WorkTarget,
  input: { user?: string | undefined; sample?: number | undefined },
  notify: (progress: WorkProgress) => void,
): Promise<CheckAnswer> {
  const { db, files, seal, isShared } = ground
  const account = input.user === undefined ? undefined : prefixOf(ground, input.user)
  const { changeComparison } = await import('../../../sync/merge/changeComparison.js')
  const findings = findingsOfCheck()
  let done = 0
  const counted = { ...findings, count: (kind: string, times = 1) => ((done += times), findings.count(kind, times)) }
  Object.defineProperty(counted, 'found', { get: () => findings.found })
  const pause = createYielder(SLICE_MS, () => notify({ work: 'check', done }))
  // Taken before the snapshot, which must contain every commit acknowledged by then.
  const mark = ground.head()
  const time = openSnapshot(db)
  const helper = isShared === true && input.sample === undefined ? createCheckHelper(db.folder) : undefined
  try {
    const { ok, checked, problems, found } = await checkStore(time.db, {
      head: (await lastLink(time.db)) ?? mark,
      mark,
      files,
      isReferred: (owner, file) => isReferenced(db, owner, file),
      comparison: changeComparison,
      pause,
      findings: counted,
      ...(helper === undefined ? {} : { helper }),
      ...(seal === undefined ? {} : { seal }),
      ...(account === undefined ? {} : { account }),
      ...(input.sample === undefined ? {} : { sample: { size: input.sample, random: () => randomInt(2 ** 32) / 2 ** 32 } }),
    })
    return { ok, checked, problems: await Promise.all(problems.map((problem) => reported(db, problem))), found }
  } finally {
    await helper?.close()
    await time.close()
  }
}

/** Reads the end of the chain in the snapshot; another commit may follow the mark. */
async function lastLink(db: Database): Promise<ChainHead | undefined> {
  const source = db.byteEntries(under(nodeKeys.commits), { reverse: true, limit: 1 })
  const [last] = await source.next(1)
  await source.close()
  if (last === undefined) return undefined
  const [key, bytes] = last
  return { sequence: orderedToNumber(key, key.length - ORDERED_LENGTH), hash: digest(bytes) }
}

/** Suggested command if no other node has a copy. */
const REPAIR_FROM_BACKUP = 'coffer store repair --from <folder of the backups>'

async function reported(db: Database, problem: Problem): Promise<ReportedProblem> {
  const account = /\baccount ([0-9a-z]+)/.exec(problem.where)?.[1]
  const user = account === undefined ? undefined : readableUsername(db, account)
  const next = account === undefined ? undefined : await mirrorOf(db, account)
  return { ...problem, ...(user === undefined ? {} : { user }), next: next === undefined ? REPAIR_FROM_BACKUP : `coffer store repair --from-peer ${/^[\w.@-]+$/.test(next) ? next : JSON.stringify(next)}` }
}

/** Returns the name of a paired node with a copy of the account; undefined when there is none. */
async function mirrorOf(db: Database, account: string): Promise<string | undefined> {
  try {
    return (await listMirrors(db, account))[0]?.name
  } catch {
    // An unreadable peer record yields no name.
    return undefined
  }
}
