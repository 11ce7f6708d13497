/**
 * Compares the names of the platform with their users in both directions, on a snapshot while the node runs and without
 * the rest of a check.
 */
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { isUnnamed, readUser } from '../accounts/users.js'
import { expectedUserEntries, userHolding, userNamed, type Claims } from './accounts.js'
import { checkExpectedEntries, type CheckContext, type ExpectedEntry } from './crossReference.js'
import { createFindings, type Findings } from './findings.js'

export interface NamesCompared {
  /** Problems of users: names that do not refer to their account; counts `users`. */
  users: Findings
  /** Problems of names without a matching user; counts `user names`, including former ones, and `unique values`. */
  names: Findings
  /** Number of user names in use, without former ones. */
  presentNames: number
  /** Ids of accounts whose names were released and replaced by their ids; the first of them. */
  unnamed: string[]
}

const PAGE = 500
const MAX_PROBLEMS = 1000
const MAX_UNNAMED = 1000

/** Compares names and users. Never writes; writers may continue. */
export async function compareNames(db: Database, seal: Seal): Promise<NamesCompared> {
  const snapshot = db.snapshot()
  const still: Database = {
    ...db,
    get: (key) => db.get(key, snapshot),
    getMany: (keys) => db.getMany(keys, snapshot),
    keys: (range, options) => db.keys(range, options, snapshot),
    entries: (range, options) => db.entries(range, options, snapshot),
  }
  try {
    const users = createFindings(MAX_PROBLEMS)
    const names = createFindings(MAX_PROBLEMS)
    const unnamed: string[] = []
    const held = await checkUsers({ db: still, findings: users }, seal, unnamed)
    const { unique, presentNames } = await checkNames({ db: still, findings: names })
    if (unique !== held) names.report('the platform', `claims ${unique} unique values, but users have ${held}`)
    return { users, names, presentNames, unnamed }
  } finally {
    await snapshot.close()
  }
}

/** Checks that every name of a user refers to its account. Returns the number of unique values; adds ids of unnamed users. */
async function checkUsers(context: CheckContext, seal: Seal, unnamed: string[]): Promise<number> {
  const { db } = context
  const held: Claims = { unique: 0, tokens: 0 }
  const last = Number.parseInt(db.get(nodeKeys.lastAccount) ?? '0', 36)
  let demands: ExpectedEntry[] = []
  // Account numbers are consecutive, so reading them one by one finds accounts without a name.
  for (let number = 1; number <= last; number++) {
    const account = number.toString(36)
    const text = db.get(nodeKeys.erasing(account)) === undefined ? db.get(accountKeys.user(account)) : undefined
    const user = text === undefined ? undefined : readUser({ get: () => text }, account)
    if (user !== undefined && isUnnamed(user) && unnamed.length < MAX_UNNAMED) unnamed.push(user.id)
    if (text !== undefined) demands.push(...expectedUserEntries(context, { account, rest: '', bytes: Buffer.from(text) }, held, seal))
    if (demands.length < PAGE && number % PAGE !== 0) continue
    await checkExpectedEntries(context, demands)
    demands = []
  }
  await checkExpectedEntries(context, demands)
  return held.unique
}

/** Checks that every name refers to a user who has it. */
async function checkNames(context: CheckContext): Promise<{ unique: number; presentNames: number }> {
  const { db, findings } = context
  let unique = 0
  let presentNames = 0
  for await (const page of paged(db, nodeKeys.usernames)) {
    const demands = page.map(([key, text]) => {
      findings.count('user names')
      const username = key.slice(nodeKeys.usernames.length)
      if (readUser(db, text)?.username === username) presentNames += 1
      return userNamed(username, text)
    })
    await checkExpectedEntries(context, demands)
  }
  for await (const page of paged(db, nodeKeys.uniques)) {
    const demands = page.map(([key, text]) => {
      findings.count('unique values')
      unique += 1
      const [field = ''] = key.slice(nodeKeys.uniques.length).split('/')
      return userHolding(field, text)
    })
    await checkExpectedEntries(context, demands)
  }
  return { unique, presentNames }
}

async function* paged(db: Database, prefix: string): AsyncGenerator<[string, string][]> {
  let page: [string, string][] = []
  for await (const entry of each(db.entries(under(prefix)), PAGE)) {
    if (page.push(entry) < PAGE) continue
    yield page
    page = []
  }
  yield page
}
