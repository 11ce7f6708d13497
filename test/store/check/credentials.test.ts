import { describe, expect, it } from 'vitest'
import { checkCredential, checkFailureCounter } from '../../../src/store/check/accountRecords.js'
import { sealTotpSecret } from '../../../src/store/accounts/credentials.js'
import { Secret } from '../../../src/store/model/secret.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { createFindings, type Findings } from '../../../src/store/check/findings.js'
import type { CheckContext, Entry } from '../../../src/store/check/crossReference.js'

function findingsOf(check: (context: CheckContext, entry: Entry) => void, rest: string, text: string): Findings {
  const findings = createFindings(10)
  // These checks read nothing but the entry.
  check({ findings } as CheckContext, { account: '1', rest, bytes: Buffer.from(text) })
  return findings
}

const token = { digest: 'a'.repeat(64), expires: 5 }

const factor = { id: 'x', method: 'sms', content: { phone: '+41791234567' }, recoveryCodes: ['a'.repeat(64)] }
const totp = { secret: 'sealed', algorithm: 'sha1', digits: 6, periodSeconds: 30, confirmedAt: 1, lastUsedStep: 1 }

describe('a check of credentials', () => {
  it.each([
    ['reset', { requests: [] }],
    ['reset', { requests: [1.5, 2], token }],
    ['other', { anything: 1 }],
    ['mfa', factor],
    ['mfa', { ...factor, method: 'totp', content: {}, totp }],
  ])('accepts %s %j', (name, value) => {
    const { found, checked } = findingsOf(checkCredential, name, JSON.stringify(value))
    expect({ found, checked }).toEqual({ found: 0, checked: { credentials: 1 } })
  })

  it.each([
    ['reset', '{'],
    ['other', '[]'],
    ['reset', JSON.stringify({ token })],
    ['reset', JSON.stringify({ token, requests: ['x'] })],
    ['reset', JSON.stringify({ token: 5, requests: [] })],
    ['reset', JSON.stringify({ token: { ...token, digest: 'x' }, requests: [] })],
    ['reset', JSON.stringify({ token: { digest: token.digest }, requests: [] })],
    ['mfa', JSON.stringify({ ...factor, id: undefined })],
    ['mfa', JSON.stringify({ ...factor, method: 'totp' })],
    ['mfa', JSON.stringify({ ...factor, totp })],
    ['mfa', JSON.stringify({ ...factor, recoveryCodes: ['in clear'] })],
  ])('reports %s %s', (name, text) => {
    expect(findingsOf(checkCredential, name, text).problems).toEqual([
      { where: `account 1, credential ${name}`, what: 'has a record that cannot be read' },
    ])
  })
})

it('reports a secret sealed for another account', async () => {
  const seal = await createSeal(new Secret(new Uint8Array(32)))
  const record = (account: string): string =>
    JSON.stringify({ ...factor, method: 'totp', content: {}, totp: { ...totp, secret: sealTotpSecret(seal, account, 'ABC') } })
  const problems = (text: string): number =>
    findingsOf((context, entry) => checkCredential(context, entry, seal), 'mfa', text).problems.length
  expect([problems(record('1')), problems(record('2'))]).toEqual([0, 1])
})

describe('a check of failure counters', () => {
  it('accepts a counter', () => expect(findingsOf(checkFailureCounter, 'password', '{"failures":1,"last":2}').found).toBe(0))
  it.each(['', '{}', '{"failures":1}', '5'])('reports %j', (text) => {
    expect(findingsOf(checkFailureCounter, 'password', text).problems).toHaveLength(1)
  })
})
