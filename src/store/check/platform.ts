/**
 * Checks users, their names and unique values, sessions and usage of accesses, and the node's own entries.
 *
 * `compareNames` compares the names of the platform with their users in both directions, on a snapshot while the node runs
 * and without the rest of a check.
 */
import { accountOfUnique, identityField, isUnnamed, namesOf, readUser, uniqueKey, type User } from '../accounts/users.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { expectedActiveWebhookEntry } from './accessRecords.js'
import { expectAccess } from './accesses.js'
import {
  checkExpectedEntries,
  expectValue,
  objectIn,
  recordOf,
  textOf,
  type CheckContext,
  type Entry,
  type ExpectedEntry,
} from './crossReference.js'
import { createFindings, type Findings } from './findings.js'
import { expectSeriesUnused } from './series.js'

/** Numbers of node entries expected from the accounts. */
export interface Claims {
  unique: number
  tokens: number
}

const stringIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const present =
  (what: string) =>
  (text: string | undefined): string | undefined =>
    text === undefined ? what : undefined

/** Expects the claims of user names and unique values for the user of an account. */
export function expectedUserEntries(context: CheckContext, entry: Entry, claims: Claims, seal: Seal | undefined): ExpectedEntry[] {
  const { db, findings } = context
  findings.count('users')
  const { account } = entry
  const user = objectIn(textOf(entry))
  const username = stringIn(user?.['username'])
  const unique = recordOf(user?.['unique'])
  if (username === undefined || unique === undefined || !areIdentities(user?.['identities'])) {
    findings.report(`account ${account}`, 'has an unreadable user record')
    return []
  }
  const where = `account ${account}, user ${username}`
  if (!isPrimaryRight(user?.['emails'], unique['email'])) {
    findings.report(where, 'has no primary e-mail address, or one that differs from its email')
  }
  const names = namesOf(user as unknown as User)
  for (const [field, value] of names.unique) {
    claims.unique += 1
    if (seal !== undefined && accountOfUnique(db, seal, field, value) !== account) {
      findings.report(where, `has a unique ${field} without a claim`, { repair: { put: uniqueKey(seal, field, value), value: account } })
    }
  }
  return names.usernames.map((name) => {
    const isFormer = name !== username
    const holder = isFormer ? `${account}/former` : account
    return expectValue(nodeKeys.username(name), holder, where, `claim of its ${isFormer ? 'former ' : ''}user name`)
  })
}

/** Checks whether a value is a list of third-party identities, or absent. */
function areIdentities(identities: unknown): boolean {
  const isOne = (identity: unknown): boolean =>
    ['provider', 'issuer', 'subject'].every((name) => stringIn(recordOf(identity)?.[name]) !== undefined)
  return identities === undefined || (Array.isArray(identities) && identities.every(isOne))
}

/** Checks whether the list of addresses, if any, has one primary that equals the account's unique `email`. */
function isPrimaryRight(emails: unknown, email: unknown): boolean {
  if (emails === undefined) return true
  const primaries = Array.isArray(emails) ? emails.map(recordOf).filter((entry) => entry?.['primary'] === true) : []
  return primaries.length <= 1 && primaries[0]?.['value'] === email
}

/** Expects the access of a session or usage entry: `<access id>`. */
export function expectedOfAccessEntries({ findings }: CheckContext, { account, rest: id }: Entry, name: string): ExpectedEntry[] {
  findings.count(`${name}s`)
  const wrong = present(`has a ${name} but does not exist`)
  return [{ key: accountKeys.access(account, id), where: `account ${account}, access ${id}`, wrong }]
}

const FIXED = new Set<string>([nodeKeys.format, nodeKeys.lastAccount, nodeKeys.identity])
const TOKENS = nodeKeys.token('')

/**
 * Yields the expectations of the node's own entries, each with its key: user names, unique values and tokens must refer to
 * accounts that have them. The caller compares their numbers with `claims` to find missing claims.
 */
export async function* expectedNodeEntries(context: CheckContext, found: Claims): AsyncGenerator<[key: string, demand: ExpectedEntry]> {
  const { db, findings } = context
  for await (const [key, text] of each(db.entries(under('!')))) {
    if (key.startsWith(nodeKeys.usernames)) {
      findings.count('user names')
      yield [key, expectUserNamed(key.slice(nodeKeys.usernames.length), text)]
    } else if (key.startsWith(nodeKeys.uniques)) {
      findings.count('unique values')
      found.unique += 1
      const [field = ''] = key.slice(nodeKeys.uniques.length).split('/')
      yield [key, expectUserWithValue(field, text)]
    } else if (key.startsWith(TOKENS)) {
      findings.count('tokens')
      found.tokens += 1
      const [account = '', id = ''] = text.split('/')
      const where = `the token of access ${id} of account ${account}`
      yield [key, { key: accountKeys.access(account, id), where, wrong: present('refers to a missing access') }]
    } else if (key.startsWith(nodeKeys.aliases)) {
      findings.count('aliases')
      const [account = '', id = ''] = text.split('/')
      yield [key, expectAccess(key, account, id, `the alias ${key.slice(nodeKeys.aliases.length)}`)]
    } else if (key.startsWith(nodeKeys.consentDues)) {
      findings.count('messages due')
    } else if (key.startsWith(nodeKeys.seriesDues)) {
      findings.count('durations due')
    } else if (key.startsWith(nodeKeys.nameMarks)) {
      findings.count('unconfirmed changes of names')
    } else if (key.startsWith(nodeKeys.arrivings)) {
      findings.count('accounts on their way in')
    } else if (key.startsWith(nodeKeys.erasingsSeries)) {
      findings.count('series being erased')
      const [account = '', event = '', epoch = ''] = key.slice(nodeKeys.erasingsSeries.length).split('/')
      yield [key, expectSeriesUnused(account, event, Number.parseInt(epoch, 36))]
    } else if (key.startsWith(nodeKeys.activeWebhooks)) {
      yield [key, expectedActiveWebhookEntry(context, key.slice(nodeKeys.activeWebhooks.length))]
    } else if (!FIXED.has(key) && !key.startsWith(nodeKeys.commits) && !key.startsWith(nodeKeys.erasings)) {
      findings.report(`key ${JSON.stringify(key)}`, 'has an unknown key prefix', { repair: { remove: key } })
    }
  }
}

/** Expects the user who has or had a user name. */
function expectUserNamed(username: string, holder: string): ExpectedEntry {
  const [account = '', former] = holder.split('/')
  const hasName = (user: Record<string, unknown> | undefined): boolean => {
    if (former === undefined) return user?.['username'] === username
    const names = user?.['formerUsernames']
    return Array.isArray(names) && names.includes(username)
  }
  return {
    key: accountKeys.user(account),
    where: `user name ${username}`,
    wrong: (text) => (hasName(objectIn(text)) ? undefined : `does not belong to account ${account}`),
  }
}

/** Expects a user with a value of the unique field. */
function expectUserWithValue(field: string, account: string): ExpectedEntry {
  return {
    key: accountKeys.user(account),
    where: `a unique ${field}`,
    wrong(text) {
      const user = objectIn(text)
      const held = recordOf(user?.['unique'])
      const identities = Array.isArray(user?.['identities']) ? user['identities'].map(recordOf) : []
      const isHeld =
        held?.[field] !== undefined ||
        (field === 'email' && Array.isArray(user?.['emails'])) ||
        identities.some((identity) => identityField(stringIn(identity?.['provider']) ?? '') === field)
      return !isHeld ? `is claimed for account ${account}, which has none` : undefined
    },
  }
}

interface NamesCompared {
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
      return expectUserNamed(username, text)
    })
    await checkExpectedEntries(context, demands)
  }
  for await (const page of paged(db, nodeKeys.uniques)) {
    const demands = page.map(([key, text]) => {
      findings.count('unique values')
      unique += 1
      const [field = ''] = key.slice(nodeKeys.uniques.length).split('/')
      return expectUserWithValue(field, text)
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
