/** Report of data that no source has, and that the repaired store lacks. */
import type { Problem } from '../../../store/check/findings.js'
import type { Database } from '../../../store/engine/database.js'
import { accountKeys, ORDERED_LENGTH } from '../../../store/engine/keys.js'

export interface LossReport {
  add(problem: Problem): void
  /**
   * Notes an entry that is dropped because the item it refers to is missing. It counts as lost unless that item is restored or
   * was deleted.
   */
  suspect(db: Database, key: string): void
  /** Decides which suspected entries are lost. */
  settle(db: Database): void
  readonly all: readonly Problem[]
}

/** The item that an entry refers to. */
interface Principal {
  where: string
  /** Key of the item, and of its deletion record. */
  key: string
  deletion?: string
}

export function createLossReport(): LossReport {
  const lossesByPlace = new Map<string, Problem>()
  const suspected = new Map<string, Principal>()
  return {
    add: (problem) => void lossesByPlace.set(problem.where, problem),
    suspect(db, key) {
      const principal = principalOf(db, key)
      if (principal !== undefined) suspected.set(principal.key, principal)
    },
    settle(db) {
      for (const { where, key, deletion } of suspected.values()) {
        const isThere = db.get(key) !== undefined || (deletion !== undefined && db.get(deletion) !== undefined)
        if (!isThere && !lossesByPlace.has(where)) lossesByPlace.set(where, { where, what: 'is lost' })
      }
    },
    get all() {
      return [...lossesByPlace.values()]
    },
  }
}

function principalOf(db: Database, key: string): Principal | undefined {
  const [account = '', family = '', ...more] = key.split('/')
  const rest = more.join('/')
  if (account === '!t') return accessOf(...(placeIn(db.get(key)) ?? ['', '']))
  switch (family) {
    case 'n':
      return accessOf(account, db.get(key) ?? '')
    case 'A':
      return accessOf(account, rest)
    case 's':
    case 'r':
    case 'm':
      return eventOf(account, rest.slice(rest.lastIndexOf('/') + 1).slice(ORDERED_LENGTH))
    case 'E':
      return eventOf(account, more[0] ?? '')
    case 'F':
      return eventOf(account, more[1] ?? '')
    case 'Q':
      return { where: `account ${account}, webhook ${rest}`, key: accountKeys.webhook(account, rest) }
    default:
      return undefined
  }
}

function placeIn(text: string | undefined): [string, string] | undefined {
  const [account, id] = text?.split('/') ?? []
  return account === undefined || id === undefined ? undefined : [account, id]
}

const accessOf = (account: string, id: string): Principal | undefined =>
  id === ''
    ? undefined
    : { where: `account ${account}, access ${id}`, key: accountKeys.access(account, id), deletion: accountKeys.accessDeleted(account, id) }

const eventOf = (account: string, id: string): Principal => ({
  where: `account ${account}, event ${id}`,
  key: accountKeys.eventPlace(account, id),
})
