/**
 * How long a refusal takes tells nothing: whether an account is there, whether a token begins as a right one does. Welch's
 * test compares the times of two kinds of calls that take turns. Part of the long programme: LONG=1.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { registerUser, request } from '../support/nodes/node.js'
import { withNode } from '../support/nodes/started.js'
import { LONG } from './support/needs.js'

/** Beyond this two means differ, by all usage of the test for leaks of time. */
const DIFFERENT = 4.5

/** Welch's t of two samples, each without its slowest tenth: what else the machine does is no part of it. */
function welch(a: readonly number[], b: readonly number[]): number {
  const of = (all: readonly number[]): { mean: number; error: number } => {
    const kept = [...all].sort((x, y) => x - y).slice(0, Math.floor(all.length * 0.9))
    const mean = kept.reduce((sum, x) => sum + x, 0) / kept.length
    const variance = kept.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (kept.length - 1)
    return { mean, error: variance / kept.length }
  }
  const [x, y] = [of(a), of(b)]
  return (x.mean - y.mean) / Math.sqrt(x.error + y.error)
}

/** Calls in turns, in an order that changes; answers the times of each. */
async function timed(one: () => Promise<unknown>, other: () => Promise<unknown>, times: number): Promise<[number[], number[]]> {
  const took: [number[], number[]] = [[], []]
  for (let n = 0; n < times; n++) {
    for (const which of n % 2 === 0 ? [0, 1] : [1, 0]) {
      const began = performance.now()
      await (which === 0 ? one : other)()
      took[which === 0 ? 0 : 1].push(performance.now() - began)
    }
  }
  return took
}

/** Expects no difference, in one of three tries: one that is there shows in all, one of the machine does not. */
async function expectAlike(one: () => Promise<unknown>, other: () => Promise<unknown>, times: number): Promise<void> {
  const found: number[] = []
  while (found.length < 3 && !(Math.abs(found.at(-1) ?? Infinity) < DIFFERENT)) found.push(welch(...(await timed(one, other, times))))
  expect(Math.abs(found.at(-1) ?? Infinity), found.join()).toBeLessThan(DIFFERENT)
}

describe.runIf(LONG)('the time of a refusal', () => {
  const off = { 'auth.passwordAttempts.maxSeconds': 0, 'auth.passwordAttempts.perIp.maxFailures': 0, 'auth.trustedApps': '*@*' }
  const at = withNode(off)

  it('is seen by the test where there is a difference', async () => {
    const wait = (ms: number) => (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
    expect(Math.abs(welch(...(await timed(wait(2), wait(3), 100))))).toBeGreaterThan(DIFFERENT)
  })

  it('does not tell a token that begins as a right one from another', { timeout: 120_000 }, async () => {
    const token = await registerUser(at(), 'alice')
    // Each is a new one: to ask again with the same takes less for any token, right at its beginning or not.
    const random = (length: number): string => randomBytes(length).toString('hex').slice(0, length)
    const ENDING = 8
    const guesses = (count: number, guess: () => string): (() => Promise<void>) => {
      const all = Array.from({ length: count }, guess)
      return async () => {
        const { status } = await request(`${at().url}alice/access-info`, { token: all.pop() ?? guess() })
        expect(status).toBe(403)
      }
    }
    const near = guesses(9300, () => token.slice(0, -ENDING) + random(ENDING))
    const far = guesses(9300, () => random(token.length))
    await timed(near, far, 300)
    await expectAlike(near, far, 3000)
  })

  it('does not tell one wrong password from another', { timeout: 120_000 }, async () => {
    await registerUser(at(), 'bobby')
    const login = (password: string) => async (): Promise<void> => {
      const body = { username: 'bobby', password, appId: 'test-app' }
      const { status } = await request(`${at().url}bobby/auth/login`, { body, headers: { origin: at().url } })
      expect(status).toBe(401)
    }
    await expectAlike(login('correct horsf'), login('x'), 150)
  })

  it('does not tell a secret whose first half is right from one that is not there', { timeout: 120_000 }, async () => {
    const token = await registerUser(at(), 'carol')
    const body = { ttl: 3600, title: 'x', onConsumed: { message: 'gone', returnUrl: 'https://app.example/' }, secret: { a: 1 } }
    const made = await request(`${at().url}carol/shared-secrets`, { token, body })
    const { key } = made.body['sharedSecret'] as { key: string }
    const [id = '', half = ''] = key.split('.')
    const redeem = (wrong: string) => async (): Promise<void> => {
      const { status } = await request(`${at().url}carol/shared-secrets/retrieve`, { body: { key: wrong } })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    const flipped = (at_: number): string => `${id}.${half.slice(0, at_)}${half[at_] === 'a' ? 'b' : 'a'}${half.slice(at_ + 1)}`
    const [early, late] = [redeem(flipped(0)), redeem(flipped(half.length - 1))]
    await timed(early, late, 200)
    await expectAlike(early, late, 1500)
  })
})
