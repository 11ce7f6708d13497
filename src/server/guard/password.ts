/** Passwords: Argon2id hashes, and the rules that new ones must meet (accounts supplement 6). */
import { hash, verify } from '@node-rs/argon2'
import { Failure } from '../../store/model/failure.js'
import type { Config } from '../config.js'
import { createTurns } from '../turns.js'

/** Hashing takes 19 MB and a thread of the pool that the database reads with: however many ask, two at a time. */
const inTurn = createTurns(2)

/** The hash of a password; takes tens of milliseconds of another thread. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password))

/** Whether a password is the one of a hash. */
export const isPassword = (passwordHash: string, password: string): Promise<boolean> =>
  inTurn(() => verify(passwordHash, password))

const CATEGORIES = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/]

/** Refuses a new password that is too short or mixes too few kinds of characters. */
export function refuseWeakPassword(config: Config, password: string): void {
  const least = config.get('auth.passwordComplexityMinLength')
  if (password.length < least) throw weak(`it has ${password.length} characters, at least ${least} are required`)
  const kinds = config.get('auth.passwordComplexityMinCharCategories')
  const found = CATEGORIES.filter((category) => category.test(password)).length
  if (found < kinds) throw weak(`it mixes ${found} kinds of characters, at least ${kinds} are required`)
}

function weak(detail: string): Failure {
  return new Failure('invalid-parameters-format', `The password does not meet the complexity rules: ${detail}.`, [detail])
}
