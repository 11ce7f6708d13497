/** Passwords: Argon2id hashes, and the rules that they must meet (accounts supplement 6). */
import { hash, verify } from '@node-rs/argon2'
import { Failure } from '../../store/model/failure.js'
import { MAX_FORMER_PASSWORDS, type User } from '../../store/accounts/users.js'
import type { Config } from '../config/config.js'
import { limitConcurrency } from '../base/concurrency.js'

/** Hashing takes 19 MB and a thread of the pool that the database reads with: however many ask, two at a time. */
const inTurn = limitConcurrency(2)

/** The hash of a password; takes tens of milliseconds of another thread. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password))

/** Whether a password is the one of a hash. */
export const isPassword = (passwordHash: string, password: string): Promise<boolean> =>
  inTurn(() => verify(passwordHash, password))

const CATEGORIES = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/]

/** Refuses a new password that is too short or mixes too few kinds of characters. */
export function assertPasswordStrength(config: Config, password: string): void {
  const min = config.get('auth.passwordComplexityMinLength')
  if (password.length < min) throw weak(`it has ${password.length} characters, at least ${min} are required`)
  const kinds = config.get('auth.passwordComplexityMinCharCategories')
  const found = CATEGORIES.filter((category) => category.test(password)).length
  if (found < kinds) throw weak(`it mixes ${found} kinds of characters, at least ${kinds} are required`)
}

function weak(detail: string): Failure {
  return new Failure('invalid-parameters-format', `The password does not meet the complexity rules: ${detail}.`, [detail])
}

const DAY = 86_400

/** When a password can be changed, and when logins with it end; in seconds, as far as there are rules. */
export function passwordAges(config: Config, user: User): { canBeChanged?: number; expires?: number } {
  const after = (days: number): number => user.passwordChanged + days * DAY
  const min = config.get('auth.passwordAgeMinDays')
  const max = config.get('auth.passwordAgeMaxDays')
  return {
    ...(min > 0 ? { canBeChanged: after(min) } : {}),
    ...(max > 0 ? { expires: after(max) } : {}),
  }
}

/** Refuses to change a password that is too young. */
export function assertPasswordAge(config: Config, user: User, now: number): void {
  const { canBeChanged = 0 } = passwordAges(config, user)
  if (canBeChanged <= now) return
  const days = config.get('auth.passwordAgeMinDays')
  throw new Failure(
    'invalid-operation',
    `The password does not meet the age rules: it can be changed ${days} days after it was set at the earliest.`,
  )
}

/** Refuses a login with a password that is too old; told only to who has shown the password. */
export function assertPasswordNotExpired(config: Config, user: User, now: number): void {
  const { expires = Infinity } = passwordAges(config, user)
  if (expires > now) return
  const since = new Date(expires * 1000).toISOString()
  throw new Failure('invalid-credentials', `Password expired since ${since}.`, { expiredTime: expires })
}

/** Refuses a new password that is the present one of a user, or one of those before it. */
export async function assertPasswordNotReused(config: Config, user: User, password: string): Promise<void> {
  const length = config.get('auth.passwordPreventReuseHistoryLength')
  const hashes = [user.passwordHash, ...(user.formerPasswords ?? []).map((former) => former.hash)].slice(0, length)
  const same = await Promise.all(hashes.map((each) => isPassword(each, password)))
  if (!same.includes(true)) return
  throw new Failure(
    'invalid-operation',
    `The password does not meet the reuse rules: it must differ from the last ${length} passwords.`,
  )
}

/** A user with a new password, the present one being a former one. */
export function withPassword(user: User, passwordHash: string, now: number): User {
  const { passwordHash: former, passwordChanged, formerPasswords = [] } = user
  return {
    ...user,
    passwordHash,
    passwordChanged: now,
    // The present password counts for the rule too.
    formerPasswords: [{ hash: former, changed: passwordChanged }, ...formerPasswords].slice(0, MAX_FORMER_PASSWORDS - 1),
  }
}
