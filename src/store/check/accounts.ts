/** Checks users, their names and unique values, sessions and usage of accesses, and the node's own entries. */
import { each } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { accountOfUnique, identityField, namesOf, uniqueKey, type User } from '../accounts/users.js'
import { leading } from './accesses.js'
import { seriesGone } from './series.js'
import { holding, objectIn, recordOf, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'
import { expectedActiveWebhookEntry } from './webhooks.js'

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
    return holding(nodeKeys.username(name), holder, where, `claim of its ${isFormer ? 'former ' : ''}user name`)
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
      yield [key, userNamed(key.slice(nodeKeys.usernames.length), text)]
    } else if (key.startsWith(nodeKeys.uniques)) {
      findings.count('unique values')
      found.unique += 1
      const [field = ''] = key.slice(nodeKeys.uniques.length).split('/')
      yield [key, userHolding(field, text)]
    } else if (key.startsWith(TOKENS)) {
      findings.count('tokens')
      found.tokens += 1
      const [account = '', id = ''] = text.split('/')
      const where = `the token of access ${id} of account ${account}`
      yield [key, { key: accountKeys.access(account, id), where, wrong: present('refers to a missing access') }]
    } else if (key.startsWith(nodeKeys.aliases)) {
      findings.count('aliases')
      const [account = '', id = ''] = text.split('/')
      yield [key, leading(key, account, id, `the alias ${key.slice(nodeKeys.aliases.length)}`)]
    } else if (key.startsWith(nodeKeys.consentDues)) {
      findings.count('messages due')
    } else if (key.startsWith(nodeKeys.seriesDues)) {
      findings.count('durations due')
    } else if (key.startsWith(nodeKeys.arrivings)) {
      findings.count('accounts on their way in')
    } else if (key.startsWith(nodeKeys.erasingsSeries)) {
      findings.count('series being erased')
      const [account = '', event = '', epoch = ''] = key.slice(nodeKeys.erasingsSeries.length).split('/')
      yield [key, seriesGone(account, event, Number.parseInt(epoch, 36))]
    } else if (key.startsWith(nodeKeys.activeWebhooks)) {
      yield [key, expectedActiveWebhookEntry(context, key.slice(nodeKeys.activeWebhooks.length))]
    } else if (!FIXED.has(key) && !key.startsWith(nodeKeys.commits) && !key.startsWith(nodeKeys.erasings)) {
      findings.report(`key ${JSON.stringify(key)}`, 'has an unknown key prefix', { repair: { remove: key } })
    }
  }
}

/** Expects the user who has or had a user name. */
export function userNamed(username: string, holder: string): ExpectedEntry {
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
export function userHolding(field: string, account: string): ExpectedEntry {
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
