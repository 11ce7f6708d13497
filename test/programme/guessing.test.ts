/**
 * Response times of refusals reveal nothing about tokens, passwords and secrets. Welch's test compares the times of two kinds
 * of alternating calls. Part of the long run: LONG=1.
 */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { registerUser, request } from '../support/nodes/node.js'
import { withNode } from '../support/nodes/started.js'
import { LONG } from './support/needs.js'

/** Usual threshold of Welch's t for timing leaks. */
const DIFFERENT = 4.5

/** Returns Welch's t of two samples, each without its slowest tenth to exclude other load. */
function welch(a: readonly number[], b: readonly number[]): number {
  const of = (all: readonly number[]): { mean: number; error: number } => {
    const trimmed = [...all].sort((x, y) => x - y).slice(0, Math.floor(all.length * 0.9))
    const mean = trimmed.reduce((sum, x) => sum + x, 0) / trimmed.length
    const variance = trimmed.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (trimmed.length - 1)
    return { mean, error: variance / trimmed.length }
  }
  const [x, y] = [of(a), of(b)]
  return (x.mean - y.mean) / Math.sqrt(x.error + y.error)
}

/** Alternates two calls in changing order; returns the times of each. */
async function timed(one: () => Promise<unknown>, other: () => Promise<unknown>, times: number): Promise<[number[], number[]]> {
  const durations: [number[], number[]] = [[], []]
  for (let n = 0; n < times; n++) {
    for (const which of n % 2 === 0 ? [0, 1] : [1, 0]) {
      const began = performance.now()
      await (which === 0 ? one : other)()
      durations[which === 0 ? 0 : 1].push(performance.now() - began)
    }
  }
  return durations
}

/** Checks that one of three measurements shows no difference; a real difference shows in all. */
async function expectSameTime(one: () => Promise<unknown>, other: () => Promise<unknown>, times: number): Promise<void> {
  const found: number[] = []
  while (found.length < 3 && !(Math.abs(found.at(-1) ?? Infinity) < DIFFERENT)) found.push(welch(...(await timed(one, other, times))))
  expect(Math.abs(found.at(-1) ?? Infinity), found.join()).toBeLessThan(DIFFERENT)
}

describe.runIf(LONG)('the time of a refusal', () => {
  const off = { 'auth.passwordAttempts.maxSeconds': 0, 'auth.passwordAttempts.perIp.maxFailures': 0, 'auth.trustedApps': '*@*' }
  const at = withNode(off)

  it('is distinguished by the test if there is a difference', async () => {
    const wait = (ms: number) => (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
    expect(Math.abs(welch(...(await timed(wait(2), wait(3), 100))))).toBeGreaterThan(DIFFERENT)
  })

  it('is the same for a token with a correct prefix and a random one', { timeout: 120_000 }, async () => {
    const token = await registerUser(at(), 'alice')
    // Each token is new, because repeated ones are faster.
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
    await expectSameTime(near, far, 3000)
  })

  it('is the same for different wrong passwords', { timeout: 120_000 }, async () => {
    await registerUser(at(), 'bobby')
    const login = (password: string) => async (): Promise<void> => {
      const body = { username: 'bobby', password, appId: 'test-app' }
      const { status } = await request(`${at().url}bobby/auth/login`, { body, headers: { origin: at().url } })
      expect(status).toBe(401)
    }
    await expectSameTime(login('correct horsf'), login('x'), 150)
  })

  it('is the same for secrets with an early and a late difference', { timeout: 120_000 }, async () => {
    const token = await registerUser(at(), 'carol')
    const body = { ttl: 3600, title: 'x', onConsumed: { message: 'gone', returnUrl: 'https://app.example/' }, secret: { a: 1 } }
    const made = await request(`${at().url}carol/shared-secrets`, { token, body })
    const { key } = made.body['sharedSecret'] as { key: string }
    const [id = '', half = ''] = key.split('.')
    const retrieve = (wrong: string) => async (): Promise<void> => {
      const { status } = await request(`${at().url}carol/shared-secrets/retrieve`, { body: { key: wrong } })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    const flipped = (at_: number): string => `${id}.${half.slice(0, at_)}${half[at_] === 'a' ? 'b' : 'a'}${half.slice(at_ + 1)}`
    const [early, late] = [retrieve(flipped(0)), retrieve(flipped(half.length - 1))]
    await timed(early, late, 200)
    await expectSameTime(early, late, 1500)
  })
})
