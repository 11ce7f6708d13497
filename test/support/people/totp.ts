/** Codes of authenticator apps, computed independently of the node; and accounts with a second factor. */
import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import { request, type Answer, type TestNode } from '../nodes/node.js'
import type { FakeClock } from '../nodes/clock.js'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function bytesOf(base32: string): Buffer {
  let bits = ''
  for (const letter of base32) bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** Computes RFC 4226 over RFC 6238: the code of a Base32 secret at a time, in seconds. */
export function codeAt(secret: string, seconds: number, { digits = 6, period = 30 } = {}): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(seconds / period)))
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = (digest[19] ?? 0) & 15
  const number = digest.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** Returns a code that is not valid around a time. */
export function wrongCodeAt(secret: string, seconds: number): string {
  const right = [-2, -1, 0, 1, 2].map((step) => codeAt(secret, seconds + step * 30))
  for (let n = 0; ; n++) {
    const code = String(n).padStart(6, '0')
    if (!right.includes(code)) return code
  }
}

/** User of a test node whose clock stands still. */
export interface Person {
  username: string
  /** Personal token. */
  token: string
}

export const password = 'correct horse'
export const appId = 'any-app'
/** Settings with which the person may log in without an origin. */
export const trusting = { 'auth.trustedApps': '*@*' }

/** Returns the calls of the second factor by a person. */
export function callsOf(node: TestNode, { username, token }: Person) {
  const post = (path: string, body: unknown, as?: string): Promise<Answer> =>
    requestOnce(`${node.url}${username}${path}`, body, as)
  return {
    activate: (body: unknown = {}, as = token) => post('/mfa/activate', body, as),
    confirm: (mfaToken: string, code: unknown) => post('/mfa/confirm', { code }, mfaToken),
    challenge: (mfaToken: string) => post('/mfa/challenge', {}, mfaToken),
    verify: (mfaToken: string, code: unknown) => post('/mfa/verify', { code }, mfaToken),
    deactivate: (body: unknown = {}, as = token) => post('/mfa/deactivate', body, as),
    recover: (recoveryCode: unknown, more: object = {}) =>
      post('/mfa/recover', { username, password, recoveryCode, ...more }),
    login: (more: object = {}) => post('/auth/login', { username, password, appId, ...more }),
    profile: async () => (await request(`${node.url}${username}/profile/private`, { token })).body['profile'] as Record<string, unknown>,
  }
}

/** Sends a POST without following redirects: a response of 302 is returned. */
async function requestOnce(url: string, body: unknown, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: token }) },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, unknown> }
}

/** Sets up an authenticator app, confirmed by the code of the step before: the current code stays valid. */
export async function enrol(node: TestNode, person: Person, clock: FakeClock): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { activate, confirm } = callsOf(node, person)
  const opened = await activate()
  expect(opened.status).toBe(302)
  const secret = String(opened.body['secret'])
  const confirmed = await confirm(String(opened.body['mfaToken']), codeAt(secret, clock.now() - 30))
  expect({ status: confirmed.status, error: confirmed.body['error'] }).toEqual({ status: 200, error: undefined })
  return { secret, recoveryCodes: confirmed.body['recoveryCodes'] as string[] }
}

/** Returns the MFA token of a login that waits for its second factor. */
export async function waitingLogin(node: TestNode, person: Person): Promise<string> {
  const { status, body } = await callsOf(node, person).login()
  expect(status).toBe(302)
  return String(body['mfaToken'])
}
