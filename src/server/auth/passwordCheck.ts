/**
 * Checks passwords of accounts, with counters of wrong ones per account and per client address that delay further attempts
 * (docs/interface/auth.md#failed-attempts). Address counters are stored in the records of this core, so that they survive restarts; they
 * contain keyed hashes and expire with their windows.
 */
import type { Account } from '../../store/engine/account.js'
import type { FailureCounter } from '../../store/accounts/credentials.js'
import type { User } from '../../store/accounts/users.js'
import type { Origin } from '../call/method.js'
import type { Context } from '../call/context.js'
import { clearAttempts, countAttempt, tooMany, withAttempt, type Backoff } from './attempts.js'
import { clientKey } from '../base/clientAddress.js'
import { isPassword } from './password.js'
import { serialiseByKey } from '../base/concurrency.js'

/** The names with which a client refers to an account. */
interface CallNames {
  /** The alias by which the call was made; absent when it was made by username. */
  alias?: string | undefined
  /** True if the username sent with the password belongs to the account. Otherwise every password is wrong. */
  isNamed?: boolean
}

/**
 * Checks the password of an account. Attempts at one account, and from one address, are serialised, so that simultaneous ones are
 * counted correctly. The caller logs failures.
 * @throws Failure `too-many-attempts` while the account or the client must wait; the password is not checked then
 */
export function checkPassword(
  node: Context,
  account: Account,
  user: User,
  password: string,
  { ip }: Pick<Origin, 'ip'>,
  { alias, isNamed = true }: CallNames = {},
): Promise<boolean> {
  const compare = async (): Promise<boolean> => (await isPassword(user.passwordHash, password)) && isNamed
  const check = alias === undefined ? () => checkWithBackoff(node, account, compare) : () => checkAliasWithBackoff(node, alias, compare)
  return withinBudget(node, clientKey(node, ip), check)
}

/** Checks with the counter of the account. */
function checkWithBackoff(node: Context, account: Account, compare: () => Promise<boolean>): Promise<boolean> {
  return serialiseByKey(node.store, `account ${account.prefix}`, async () => {
    await countAttempt(node, account, 'password', backoff(node))
    const isRight = await compare()
    if (isRight) await clearAttempts(account, 'password')
    return isRight
  })
}

const ALIAS_FAMILY = 'aliasPasswordFailures'

/**
 * Checks with a counter of the alias. Attempts by alias do not delay logins by username, which would reveal the owner of the
 * alias.
 */
function checkAliasWithBackoff(node: Context, alias: string, compare: () => Promise<boolean>): Promise<boolean> {
  const { ownRecords: records } = node.registry
  const rule = backoff(node)
  return serialiseByKey(node.store, `alias ${alias}`, async () => {
    if (rule.maxSeconds === 0) return compare()
    await records.change(ALIAS_FAMILY, alias, (known) => {
      const counter = withAttempt(known as FailureCounter | undefined, rule, node.clock.now())
      return { put: counter, expires: counter.last + Math.max(rule.windowSeconds, rule.maxSeconds), result: undefined }
    })
    const isRight = await compare()
    if (isRight) await records.change(ALIAS_FAMILY, alias, () => ({ put: null, result: undefined }))
    return isRight
  })
}

const backoff = ({ config }: Context): Backoff => ({
  freeFailures: config.get('auth.passwordAttempts.freeFailures'),
  baseSeconds: config.get('auth.passwordAttempts.baseSeconds'),
  maxSeconds: config.get('auth.passwordAttempts.maxSeconds'),
  windowSeconds: config.get('auth.passwordAttempts.windowSeconds'),
})

const FAMILY = 'passwordFailures'

/** Failures from a client address in the window that ends at `ends`, in seconds. */
interface Failures {
  count: number
  ends: number
}

/** Checks with the failures of the client's address; correct passwords neither count nor reset. */
async function withinBudget(node: Context, key: string | undefined, check: () => Promise<boolean>): Promise<boolean> {
  const max = node.config.get('auth.passwordAttempts.perIp.maxFailures')
  if (key === undefined || max === 0) return check()
  const { ownRecords: records } = node.registry
  return serialiseByKey(node.store, `client ${key}`, async () => {
    const now = node.clock.now()
    const before = current(node, await records.get(FAMILY, key))
    if (before !== undefined && before.count >= max) throw tooMany(before.ends - now)
    const isRight = await check()
    if (!isRight) await records.change(FAMILY, key, (known) => counted(node, current(node, known)))
    return isRight
  })
}

/** Returns failures of a current window; a window that ends too late started while the clock was ahead, and is ignored. */
function current(node: Context, known: unknown): Failures | undefined {
  const failures = known as Failures | undefined
  const latest = node.clock.now() + node.config.get('auth.passwordAttempts.perIp.windowSeconds')
  return failures !== undefined && failures.ends > latest ? undefined : failures
}

function counted(node: Context, known: Failures | undefined): { put: Failures; expires: number; result: undefined } {
  const window = node.config.get('auth.passwordAttempts.perIp.windowSeconds')
  const { count, ends } = known ?? { count: 0, ends: node.clock.now() + window }
  return { put: { count: count + 1, ends }, expires: ends, result: undefined }
}
