/**
 * The one way to check the password of an account, whatever asks for it: wrong ones are counted, by account and by client
 * address, and slow down those that follow (accounts supplement 4.4). Tallies of addresses are records of the platform,
 * so that no restart forgets them; they hold keyed hashes and end with their windows.
 */
import type { Account } from '../../store/account.js'
import type { User } from '../../store/users.js'
import type { Origin } from '../method.js'
import type { Node } from '../node.js'
import { clearAttempts, countAttempt, tooMany, type Backoff } from './attempts.js'
import { clientKey } from './clientAddress.js'
import { isPassword } from './password.js'
import { inTurn } from '../turns.js'

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
): Promise<boolean> {
  return withinBudget(node, clientKey(node, ip), () => slowed(node, account, user, password))
}

/** The check by the tally of the account. */
function slowed(node: Node, account: Account, user: User, password: string): Promise<boolean> {
  return inTurn(node.store, `account ${account.prefix}`, async () => {
    await countAttempt(node, account, 'password', backoff(node))
    const isRight = await isPassword(user.passwordHash, password)
    if (isRight) await clearAttempts(account, 'password')
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
  const most = node.config.get('auth.passwordAttempts.perIp.maxFailures')
  if (key === undefined || most === 0) return check()
  const { records } = node.registry
  return inTurn(node.store, `client ${key}`, async () => {
    const now = node.clock.now()
    const before = current(node, await records.get(FAMILY, key))
    if (before !== undefined && before.count >= most) throw tooMany(before.ends - now)
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
