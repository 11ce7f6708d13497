/**
 * Revocation of clients and keys: immediate, without effect on others (docs/interface/oauth.md#clients,
 * docs/interface/oauth.md#dpop).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient, revokeClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { noteKey, revokedKeys, revokeKey, restoreKey, knownKeys } from '../../../../src/server/api/oauth/dpopKeys.js'
import { CLIENTS, REVOKED_CLIENTS, REVOKED_KEYS } from '../../../../src/server/auth/dpop/families.js'
import { createRevocations } from '../../../../src/server/auth/dpop/revocations.js'
import type { Records } from '../../../../src/server/platform/registry/port.js'
import { grantAccess } from '../../../support/people/access.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { newProofKey } from '../../../support/http/dpop.js'
import { request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Stage } from '../../../support/http/methodTable.js'
import { connectSocket, refusalOf } from '../../../support/http/socket.js'

const REVOKED = ['invalid-access-token', 'The application access has been revoked.']
const redirectUris = ['https://app.example/cb']
const clock = fakeClock()
let node: TestNode
let stage: Stage
let clients = 0
let clientId: string
beforeAll(async () => {
  node = await startTestNode({}, { clock })
  stage = await newStage(node)
})
afterAll(() => node.stop())
beforeEach(async () => {
  clients += 1
  clientId = `client-${clients}`
  await createClient(node.node, { redirectUris, clientId })
  clock.pass(1)
})

const grant = async (name = `oauth:${clientId}`, more: object = {}): Promise<{ token: string; id: string }> =>
  grantAccess(node, stage.username, [{ streamId: '*', level: 'manage' }], { name, deviceName: node.node.newId(), ...more })
const call = async (token: string): Promise<unknown[]> => {
  const { status, body } = await request(`${node.url}${stage.username}/events`, { token })
  const { id, message } = (body['error'] ?? {}) as Record<string, unknown>
  return status === 200 ? [200] : [status, id, message]
}
const revoke = async (): Promise<void> => {
  expect(await revokeClient(node.node, clientId)).toBe(true)
  clock.pass(1)
}

describe('an access of a revoked client', () => {
  it.each(['http', 'form', 'batch', 'socket'] as const)('is refused by %s', async (transport) => {
    const { token } = await grant()
    expect((await callThrough(transport, stage, token, 'streams.get', {})).status).toBe(200)
    await revoke()
    const { body } = await callThrough(transport, stage, token, 'streams.get', {})
    expect(body['error']).toMatchObject({ id: REVOKED[0], message: REVOKED[1] })
  })

  it('is refused with a challenge', async () => {
    const { token } = await grant()
    await revoke()
    const { headers } = await request(`${node.url}${stage.username}/events`, { token })
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
  })

  it('revokes the accesses that it shared', async () => {
    const { id } = await grant()
    const shared = await grant('a share', { type: 'shared', manager: id, deviceName: undefined })
    expect(await call(shared.token)).toEqual([200])
    await revoke()
    expect(await call(shared.token)).toEqual([403, ...REVOKED])
  })

  it('stays refused after the client is registered again, unlike new accesses', async () => {
    const { token } = await grant()
    await revoke()
    const late = await grant()
    expect(await call(late.token)).toEqual([403, ...REVOKED])
    clock.pass(1)
    await createClient(node.node, { redirectUris, clientId })
    expect(await call(token)).toEqual([403, ...REVOKED])
    expect(await call(late.token)).toEqual([403, ...REVOKED])
    expect(await call((await grant()).token)).toEqual([200])
  })

  it('is disconnected from its websocket, and cannot connect another', async () => {
    const { token } = await grant()
    const others = await Promise.all([connectSocket(node, stage.username, { token: stage.owner }), connectSocket(node, stage.username, { token: (await grant('oauth:another')).token })])
    const { io } = await connectSocket(node, stage.username, { token })
    const disconnected = new Promise<string>((resolve) => io.once('disconnect', resolve))
    await revoke()
    expect(await disconnected).toBe('io server disconnect')
    expect((await refusalOf(connectSocket(node, stage.username, { token }))).data).toMatchObject({ message: REVOKED[1] })
    for (const other of others) {
      expect((await other.call('streams.get', {})).error).toBeNull()
      other.close()
    }
  })
})

describe('the revocation of a client does not affect', () => {
  it.each<[string, () => Promise<string>]>([
    ['accesses of other clients', async () => (await grant('oauth:another')).token],
    ['accesses of a client whose id starts with its id', async () => (await grant(`oauth:${clientId}0`)).token],
    ['accesses without a client', async () => (await grant(clientId)).token],
    ['shared accesses of this name', async () => (await grant(undefined, { type: 'shared', deviceName: undefined })).token],
    ['the owner', () => Promise.resolve(stage.owner)],
  ])('%s', async (_, createToken) => {
    const token = await createToken()
    await revoke()
    expect(await call(token)).toEqual([200])
  })
})

describe('an access of a client', () => {
  const update = async (id: string, change: object): Promise<number> =>
    (await request(`${node.url}${stage.username}/accesses/${id}`, { method: 'PUT', token: stage.owner, body: change })).status
  const dpop = { jkt: newProofKey().jkt }

  it('cannot be renamed', async () => {
    const { id } = await grant()
    expect(await update(id, { name: 'free' })).toBe(403)
    expect(await update(id, { name: `oauth:${clientId}` })).toBe(200)
    const other = await grant('no client')
    expect(await update(other.id, { name: 'still none' })).toBe(200)
  })

  it.each<[string, object, object, number]>([
    ['removes it', { dpop }, {}, 403],
    ['removes all client data', { dpop }, { clientData: null }, 403],
    ['replaces it by another field', { dpop }, { clientData: { a: 1 } }, 403],
    ['changes it', { dpop }, { clientData: { dpop: { jkt: newProofKey().jkt } } }, 403],
    ['adds a field to it', { dpop }, { clientData: { dpop: { ...dpop, more: 1 } } }, 403],
    ['sets it to null', { dpop }, { clientData: { dpop: null } }, 403],
    ['adds it', { a: 1 }, { clientData: { dpop } }, 403],
    ['adds it without other client data', {}, { clientData: { dpop } }, 403],
    ['keeps it', { dpop, a: 1 }, { clientData: { dpop, b: 2 } }, 200],
    ['does not touch it', { dpop }, { deviceName: 'new' }, 200],
  ])('has a protected key: an update that %s', async (title, clientData, change, status) => {
    const { id } = await grant(undefined, { clientData })
    expect(await update(id, title === 'removes it' ? { clientData: {} } : change)).toBe(status)
  })
})

describe('DPoP keys', () => {
  it('are listed by client, the latest first', async () => {
    const [a, b] = [newProofKey().jkt, newProofKey().jkt]
    const first = Math.floor(clock.now() * 1000)
    await noteKey(node.node, { clientId, jkt: a })
    clock.pass(1)
    await noteKey(node.node, { clientId, jkt: b })
    clock.pass(1)
    await noteKey(node.node, { clientId, jkt: a })
    expect(await knownKeys(node.node, clientId)).toEqual([
      { clientId, jkt: a, firstSeenAt: first, lastSeenAt: first + 2000 },
      { clientId, jkt: b, firstSeenAt: first + 1000, lastSeenAt: first + 1000 },
    ])
    expect(await knownKeys(node.node, 'no-such')).toEqual([])
  })

  it('are revoked by thumbprint, once, and restored', async () => {
    for (const jkt of ['', 'x', `${newProofKey().jkt}x`, 'é'.repeat(43), '../'.repeat(14) + 'x']) {
      await expect(revokeKey(node.node, jkt)).rejects.toMatchObject({ id: 'invalid-parameters-format' })
      await expect(restoreKey(node.node, jkt)).rejects.toMatchObject({ id: 'invalid-parameters-format' })
    }
    const { jkt } = newProofKey()
    await expect(restoreKey(node.node, jkt)).rejects.toMatchObject({ id: 'unknown-resource' })
    await revokeKey(node.node, jkt)
    const revokedAt = Math.floor(clock.now() * 1000)
    clock.pass(1)
    await revokeKey(node.node, jkt)
    expect(await revokedKeys(node.node)).toContainEqual({ jkt, revokedAt })
    await restoreKey(node.node, jkt)
    expect(await revokedKeys(node.node)).not.toContainEqual({ jkt, revokedAt })
  })
})

describe('a revocation by another core', () => {
  it('is known after the next refresh; failed refreshes keep the former state', async () => {
    const errors: string[] = []
    const stored = new Map<string, unknown>()
    let isDown = false
    const records = {
      get: (family: string, id: string) => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(stored.get(`${family}/${id}`))),
      list: (family: string) =>
        isDown
          ? Promise.reject(new Error('down'))
          : Promise.resolve([...stored].filter(([key]) => key.startsWith(`${family}/`)).map(([key, value]) => ({ id: key.slice(family.length + 1), value }))),
      watch: () => () => {},
    } as unknown as Records
    const log = { error: (message: string) => void errors.push(message) } as unknown as TestNode['node']['log']
    isDown = true
    const revocations = await createRevocations({ records, log, clientSeconds: 0.01, keySeconds: 0.01 })
    const access = { client: { id: 'app', since: 5 } }
    expect([revocations.isClientRevoked(access), revocations.isKeyRevoked('k')]).toEqual([false, false])
    expect(errors.length).toBeGreaterThan(0)
    isDown = false
    stored.set(`${CLIENTS}/app`, {}).set(`${REVOKED_CLIENTS}/app`, { revokedAt: 5001 }).set(`${REVOKED_KEYS}/k`, 'corrupt')
    await expect.poll(() => [revocations.isClientRevoked(access), revocations.isKeyRevoked('k')]).toEqual([true, true])
    expect(revocations.isClientRevoked({ client: { id: 'app', since: 5.001 } })).toBe(false)
    isDown = true
    const before = errors.length
    await expect.poll(() => errors.length).toBeGreaterThan(before)
    expect([revocations.isClientRevoked(access), revocations.isKeyRevoked('k')]).toEqual([true, true])
    isDown = false
    stored.clear()
    await expect.poll(() => [revocations.isClientRevoked(access), revocations.isKeyRevoked('k')]).toEqual([false, false])
    revocations.stop()
  })
})
