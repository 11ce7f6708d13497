/**
 * The one way to check the password of an account, whatever asks for it: wrong ones are counted, by account and by client
 * address, and slow down those that follow (accounts supplement 4.4). Tallies of addresses are records of the platform,
 * so that no restart forgets them; they hold keyed hashes and end with their windows.
 */
import type { Account } from '../../store/engine/account.js'
import type { FailureCounter } from '../../store/accounts/rateLimitCounters.js'
import type { User } from '../../store/accounts/users.js'
import type { Origin } from '../method.js'
import type { Node } from '../node.js'
import { clearAttempts, countAttempt, tooMany, withAttempt, type Backoff } from './attempts.js'
import { clientKey } from './clientAddress.js'
import { isPassword } from './password.js'
import { serialiseByKey } from '../base/concurrency.js'

/** The names by which a client asks for an account. */
export interface AskedNames {
  /** The alias of an access in whose place the call was made; absent when it was made by a user name. */
  alias?: string | undefined
  /** True if the user name sent with the password belongs to the account. Otherwise every password is wrong. */
  isNamed?: boolean
}

/**
 * Whether a password is that of an account. Attempts at one account, and from one address, take turns: simultaneous ones
 * share no slot, and right ones are not refused for each other. What is refused for it, the caller logs.
 * @throws Failure `too-many-attempts` while the account or the client has to wait; the password is not looked at then
 */
export function checkPassword(
  node: Node,
  account: Account,
  user: User,
  password: string,
  { ip }: Pick<Origin, 'ip'>,
  { alias, isNamed = true }: AskedNames = {},
): Promise<boolean> {
  const compare = async (): Promise<boolean> => (await isPassword(user.passwordHash, password)) && isNamed
  const check = alias === undefined ? () => slowed(node, account, compare) : () => slowedAtAlias(node, alias, compare)
  return withinBudget(node, clientKey(node, ip), check)
}

/** The check by the tally of the account. */
function slowed(node: Node, account: Account, compare: () => Promise<boolean>): Promise<boolean> {
  return serialiseByKey(node.store, `account ${account.prefix}`, async () => {
    await countAttempt(node, account, 'password', backoff(node))
    const isRight = await compare()
    if (isRight) await clearAttempts(account, 'password')
    return isRight
  })
}

const ALIAS_FAMILY = 'aliasPasswordFailures'

/**
 * The check by a tally of the alias. Attempts at an alias do not delay logins at the address of the user name, which would
 * show whose the alias is.
 */
function slowedAtAlias(node: Node, alias: string, compare: () => Promise<boolean>): Promise<boolean> {
  const { records } = node.registry
  const rule = backoff(node)
  return serialiseByKey(node.store, `alias ${alias}`, async () => {
    if (rule.maxSeconds === 0) return compare()
    await records.change(ALIAS_FAMILY, alias, (known) => {
      const put = withAttempt(known as FailureCounter | undefined, rule, node.clock.now())
      return { put, expires: put.last + Math.max(rule.windowSeconds, rule.maxSeconds), result: undefined }
    })
    const isRight = await compare()
    if (isRight) await records.change(ALIAS_FAMILY, alias, () => ({ put: null, result: undefined }))
    return isRight
  })
}

const backoff = ({ config }: Node): Backoff => ({
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

/** The check by the failures from the client's address; right passwords neither count nor clear. */
async function withinBudget(node: Node, key: string | undefined, check: () => Promise<boolean>): Promise<boolean> {
  const max = node.config.get('auth.passwordAttempts.perIp.maxFailures')
  if (key === undefined || max === 0) return check()
  const { records } = node.registry
  return serialiseByKey(node.store, `client ${key}`, async () => {
    const now = node.clock.now()
    const before = current(node, await records.get(FAMILY, key))
    if (before !== undefined && before.count >= max) throw tooMany(before.ends - now)
    const isRight = await check()
    if (!isRight) await records.change(FAMILY, key, (known) => counted(node, current(node, known)))
    return isRight
  })
}

/** Failures whose window goes on; one that ends later than any does began when the clock was ahead. */
function current(node: Node, known: unknown): Failures | undefined {
  const failures = known as Failures | undefined
  const latest = node.clock.now() + node.config.get('auth.passwordAttempts.perIp.windowSeconds')
  return failures !== undefined && failures.ends > latest ? undefined : failures
}

function counted(node: Node, known: Failures | undefined): { put: Failures; expires: number; result: undefined } {
  const window = node.config.get('auth.passwordAttempts.perIp.windowSeconds')
  const { count, ends } = known ?? { count: 0, ends: node.clock.now() + window }
  return { put: { count: count + 1, ends }, expires: ends, result: undefined }
}
