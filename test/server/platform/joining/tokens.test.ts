/** Tests of the life cycle of join tokens. */
import { createHash } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { consumeToken, listTokens, mintToken, releaseToken, revokeToken, revokeTokens, tokenState, verifyToken } from '../../../../src/server/platform/joining/tokens.js'
import { fakeRegistry, type FakeRegistry } from './support.js'

const NOW = 1e9
let platform: FakeRegistry
let records: FakeRegistry['registry']['records']
beforeEach(() => {
  platform = fakeRegistry()
  platform.at(NOW)
  records = platform.registry.records
})

it('a token is 32 random bytes, of which only the digest is stored', async () => {
  const { token, expiresAt } = await mintToken(records, 'core-b', NOW)
  expect(token.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(expiresAt).toBe(NOW + 86_400)
  const stored = await records.list('join')
  expect(stored).toEqual([{ id: createHash('sha256').update(token.reveal()).digest('hex'), value: { coreId: 'core-b', issuedAt: NOW, expiresAt } }])
  expect(JSON.stringify(stored)).not.toContain(token.reveal())
  expect(await verifyToken(records, token.reveal(), NOW + 1)).toMatchObject({ coreId: 'core-b' })
})

it.each(['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}=`, `${'x'.repeat(42)}/`])('refuses %j by its form', async (token) => {
  expect(await verifyToken(records, token, NOW)).toBe('invalid-format')
  expect(await consumeToken(records, token, { now: NOW })).toBe('invalid-format')
})

it('an unknown token is refused', async () => {
  expect(await verifyToken(records, 'x'.repeat(43), NOW)).toBe('unknown')
  expect(await consumeToken(records, 'x'.repeat(43), { now: NOW })).toBe('unknown')
})

it('of many uses at once exactly one succeeds', async () => {
  const { token } = await mintToken(records, 'core-b', NOW)
  const results = await Promise.all(Array.from({ length: 50 }, (_, at) => consumeToken(records, token.reveal(), { now: NOW + 5, ip: `192.0.2.${at}` })))
  expect(results.filter((result) => typeof result !== 'string')).toHaveLength(1)
  expect(results.filter((result) => result === 'already-consumed')).toHaveLength(49)
  expect(await listTokens(records)).toEqual([{ coreId: 'core-b', issuedAt: NOW, expiresAt: NOW + 86_400, consumedAt: NOW + 5, consumerIp: '192.0.2.0' }])
})

it('expires, is remembered as expired, and is removed afterwards', async () => {
  const { token, expiresAt } = await mintToken(records, 'core-b', NOW, 60)
  expect(await verifyToken(records, token.reveal(), expiresAt - 1)).toMatchObject({ coreId: 'core-b' })
  expect(await verifyToken(records, token.reveal(), expiresAt)).toBe('expired')
  expect(await consumeToken(records, token.reveal(), { now: expiresAt })).toBe('expired')
  platform.at(expiresAt + 7 * 86_400)
  expect(await verifyToken(records, token.reveal(), expiresAt + 7 * 86_400)).toBe('unknown')
  expect(await listTokens(records)).toEqual([])
})

it('a used token stays used after its expiry', async () => {
  const { token, expiresAt } = await mintToken(records, 'core-b', NOW, 60)
  await consumeToken(records, token.reveal(), { now: NOW })
  expect(await verifyToken(records, token.reveal(), expiresAt + 1)).toBe('already-consumed')
})

it('can be used again after a use that failed', async () => {
  const { token } = await mintToken(records, 'core-b', NOW)
  await consumeToken(records, token.reveal(), { now: NOW, ip: '192.0.2.1' })
  await releaseToken(records, token.reveal())
  expect(await consumeToken(records, token.reveal(), { now: NOW })).toEqual({ coreId: 'core-b', issuedAt: NOW, expiresAt: NOW + 86_400 })
})

it('is revoked with all tokens of its core, and then unknown', async () => {
  const [first, second, other] = await Promise.all([mintToken(records, 'core-b', NOW), mintToken(records, 'core-b', NOW), mintToken(records, 'core-c', NOW)])
  await consumeToken(records, first.token.reveal(), { now: NOW })
  expect(await revokeTokens(records, 'core-b', NOW)).toBe(1)
  for (const { token } of [first, second]) expect(await verifyToken(records, token.reveal(), NOW)).toBe('unknown')
  expect(await verifyToken(records, other.token.reveal(), NOW)).toMatchObject({ coreId: 'core-c' })
  const kept = await mintToken(records, 'core-c', NOW)
  expect(await revokeTokens(records, 'core-c', NOW, kept.token)).toBe(1)
  expect(await verifyToken(records, kept.token.reveal(), NOW)).toMatchObject({ coreId: 'core-c' })
  await revokeToken(records, kept.token)
  expect(await listTokens(records)).toEqual([])
})

it('are listed with the newest first, and their state', async () => {
  await mintToken(records, 'core-b', NOW, 10)
  const { token } = await mintToken(records, 'core-c', NOW + 1, 100)
  await mintToken(records, 'core-d', NOW + 2, 100)
  await consumeToken(records, token.reveal(), { now: NOW + 3 })
  const tokens = await listTokens(records)
  expect(tokens.map((each) => [each.coreId, tokenState(each, NOW + 20)])).toEqual([['core-d', 'open'], ['core-c', 'consumed'], ['core-b', 'expired']])
})
