/** Argon2id password hashes, and the password rules (docs/interface/account.md#password-rules). */
import { hash, verify } from '@node-rs/argon2'
import { Failure } from '../../store/model/failure.js'
import { MAX_FORMER_PASSWORDS, type User } from '../../store/accounts/users.js'
import type { Config } from '../config/config.js'
import { limitConcurrency } from '../base/concurrency.js'

/** Hashing takes 19 MB and a thread of the pool that the database uses: two at a time. */
const inTurn = limitConcurrency(2)

/** Hashes a password; takes tens of milliseconds in another thread. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password))

/** Checks whether a password matches a hash. */
export const isPassword = (passwordHash: string, password: string): Promise<boolean> =>
  inTurn(() => verify(passwordHash, password))

const CATEGORIES = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/]

/** Length of every password, in characters. */
const LENGTH = { min: 6, max: 100 }

/** Rules of new passwords: length in characters, and number of character categories. */
interface PasswordRules {
  minLength: number
  maxLength: number
  categories: number
}

/** Returns the rules of new passwords. */
export const passwordRules = (config: Config): PasswordRules => ({
  minLength: Math.max(LENGTH.min, config.get('auth.passwordComplexityMinLength')),
  maxLength: LENGTH.max,
  categories: config.get('auth.passwordComplexityMinCharCategories'),
})

/** Throws for a new password that is too short or has too few character categories. */
export function assertPasswordStrength(config: Config, password: string): void {
  const min = config.get('auth.passwordComplexityMinLength')
  if (password.length < min) throw weak(`it has ${password.length} characters, at least ${min} are required`)
  const kinds = config.get('auth.passwordComplexityMinCharCategories')
  const found = CATEGORIES.filter((category) => category.test(password)).length
  if (found < kinds) throw weak(`it has ${found} character categories, at least ${kinds} are required`)
}

function weak(detail: string): Failure {
  return new Failure('invalid-parameters-format', `The password does not meet the complexity rules: ${detail}.`, [detail])
}

const DAY = 86_400

/** Returns the earliest change and the expiry of a password in seconds, as far as rules apply. */
export function passwordAges(config: Config, user: User): { canBeChanged?: number; expires?: number } {
  const after = (days: number): number => user.passwordChanged + days * DAY
  const min = config.get('auth.passwordAgeMinDays')
  const max = config.get('auth.passwordAgeMaxDays')
  return {
    ...(min > 0 ? { canBeChanged: after(min) } : {}),
    ...(max > 0 ? { expires: after(max) } : {}),
  }
}

/** Throws when a password is too recent to be changed. */
export function assertPasswordAge(config: Config, user: User, now: number): void {
  const { canBeChanged = 0 } = passwordAges(config, user)
  if (canBeChanged <= now) return
  const days = config.get('auth.passwordAgeMinDays')
  throw new Failure(
    'invalid-operation',
    `The password does not meet the age rules: it can be changed ${days} days after it was set at the earliest.`,
  )
}

/** Throws when a password has expired. Called after the password was verified. */
export function assertPasswordNotExpired(config: Config, user: User, now: number): void {
  const { expires = Infinity } = passwordAges(config, user)
  if (expires > now) return
  const since = new Date(expires * 1000).toISOString()
  throw new Failure('invalid-credentials', `Password expired since ${since}.`, { expiredTime: expires })
}

/** Throws for a new password that equals the current or a recent one of a user. */
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

/** Returns the user with a new password; the current one is added to the former ones. */
export function withPassword(user: User, passwordHash: string, now: number): User {
  const { passwordHash: former, passwordChanged, formerPasswords = [] } = user
  return {
    ...user,
    passwordHash,
    passwordChanged: now,
    // The current password counts for the rule, too.
    formerPasswords: [{ hash: former, changed: passwordChanged }, ...formerPasswords].slice(0, MAX_FORMER_PASSWORDS - 1),
  }
}
