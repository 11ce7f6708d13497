/**
 * Mailed codes that verify an address at registration (docs/interface/registration.md#e-mail-codes). Stores a keyed hash of the
 * code and counters, under a keyed hash of the address. A guess is counted in the transaction that checks it, so simultaneous
 * guesses cannot exceed the limit.
 */
import { randomInt } from 'node:crypto'
import { constantTimeEqual } from '../../../store/model/constantTimeEqual.js'
import { Failure } from '../../../store/model/failure.js'
import { normalEmail } from '../../../store/model/emails.js'
import { tooMany } from '../../auth/attempts.js'
import type { Context } from '../../call/context.js'
import { addressKey } from './emailProof.js'
import type { MailDeps } from '../../mail/mailer.js'

const CODES = 'email-code'
const LIMITS = 'email-limit'
/** Excludes characters that look alike: 0 and O, 1 and I. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const LENGTH = 8
const DAY_SECONDS = 86_400

interface StoredCode {
  digest: string
  /** Wrong guesses so far. */
  failures: number
  /** Expiry in seconds. */
  expires: number
}

/** Result of a guess; a number is how many more are allowed. */
type Outcome = 'right' | 'none' | 'exhausted' | number

/** Codes and failures of an address within a day. Times in seconds. */
interface AddressCounter {
  /** Start of the day. */
  since: number
  sent: number
  failures: number
  /** Time of the latest code; absent when sending failed. */
  last?: number
}

/** Returns a new code: eight characters, 40 random bits. */
const newCode = (): string => Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** Formats a code for the mail: `ABCD-EFGH`. */
const formatted = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

/** Normalizes an entered code: any case, any separators. */
const normalized = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '')

const digestOf = (node: Context, email: string, code: string): string =>
  node.registry.platformSeal.digest(`registration code ${normalEmail(email)} ${code}`)

/**
 * Mails a new code to an address, replacing the former one.
 * @throws Failure `too-many-attempts` by the limits of the address; errors of the mailer, after the count and cooldown are
 * reverted
 */
export async function sendCode(node: Context & MailDeps, email: string, language: string | undefined): Promise<void> {
  const { records } = node.registry
  const key = addressKey(node, email)
  const now = node.clock.now()
  await countSending(node, key, now)
  const code = newCode()
  const digest = digestOf(node, email, code)
  const maxAgeMs = node.config.get('account.emailVerification.registrationCodeMaxAgeMs')
  const expires = now + maxAgeMs / 1000
  const stored: StoredCode = { digest, failures: 0, expires }
  await records.change(CODES, key, () => ({ put: stored, expires, result: undefined }))
  const minutes = String(Math.max(1, Math.round(maxAgeMs / 60_000)))
  try {
    await node.mail.send({
      kind: 'emailChallenge',
      to: email.trim(),
      ...(language === undefined ? {} : { language }),
      substitutions: { CODE: formatted(code), EMAIL: email.trim(), CODE_MAX_AGE_MINUTES: minutes },
    })
  } catch (error) {
    await records.change(CODES, key, (found) =>
      (found as StoredCode | undefined)?.digest === digest ? { put: null, result: undefined } : { result: undefined },
    )
    await changeTally(node, key, now, ({ last, ...rest }) => (last === now ? rest : undefined))
    throw error
  }
}

/** Counts a code before it is sent; only one of several simultaneous requests passes. */
function countSending(node: Context, key: string, now: number): Promise<void> {
  const { config } = node
  const cooldown = config.get('account.emailVerification.registrationCodeResendCooldownMs') / 1000
  const maxSent = config.get('account.emailVerification.registrationCodeDailyLimit')
  const maxFailures = config.get('account.emailVerification.registrationCodeFailuresPerDay')
  return changeTally(node, key, now, (tally) => {
    const tomorrow = tally.since + DAY_SECONDS - now
    if (tally.failures >= maxFailures) throw limited('failure-budget', tomorrow)
    if (tally.sent >= maxSent) throw limited('daily-limit', tomorrow)
    const wait = (tally.last ?? -Infinity) + cooldown - now
    if (wait > 0) throw limited('cooldown', wait)
    return { ...tally, sent: tally.sent + 1, last: now }
  })
}

function changeTally(node: Context, key: string, now: number, step: (tally: AddressCounter) => AddressCounter | undefined): Promise<void> {
  return node.registry.records.change(LIMITS, key, (found) => {
    const tally = (found as AddressCounter | undefined) ?? { since: now, sent: 0, failures: 0 }
    const next = step(tally)
    if (next === undefined) return { result: undefined }
    return { put: next, expires: next.since + DAY_SECONDS, result: undefined }
  })
}

function limited(reason: 'cooldown' | 'daily-limit' | 'failure-budget', seconds: number): Failure {
  const { message, data } = tooMany(seconds)
  return new Failure('too-many-attempts', message, { reason, ...(data as object) })
}

/**
 * Checks a code and consumes it when correct.
 * @throws Failure `invalid-access-token` with the remaining attempts; `too-many-attempts`, `exhausted`, when none remain: only a
 * new code helps then
 */
export async function checkCode(node: Context, email: string, text: string): Promise<void> {
  const key = addressKey(node, email)
  const now = node.clock.now()
  const max = node.config.get('account.emailVerification.registrationCodeMaxAttempts')
  const guess = digestOf(node, email, normalized(text))
  const outcome = await node.registry.records.change<Outcome>(CODES, key, (found) => {
    const stored = found as StoredCode | undefined
    if (stored === undefined) return { result: 'none' }
    if (stored.failures >= max) return { result: 'exhausted' }
    if (constantTimeEqual(guess, stored.digest)) return { put: null, result: 'right' }
    const put: StoredCode = { ...stored, failures: stored.failures + 1 }
    return { put, expires: put.expires, result: max - put.failures }
  })
  if (outcome === 'right') return
  if (typeof outcome === 'number') {
    await changeTally(node, key, now, (tally) => ({ ...tally, failures: tally.failures + 1 }))
  }
  if (outcome === 'exhausted' || outcome === 0) {
    throw new Failure('too-many-attempts', 'Too many attempts for this code: request a new one.', {
      reason: 'exhausted',
    })
  }
  const attemptsRemaining = outcome === 'none' ? 0 : outcome
  throw new Failure('invalid-access-token', 'The code is wrong or has expired.', { attemptsRemaining })
}
