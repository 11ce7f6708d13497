/**
 * What the operator revokes ends at once, and what else there is stays (docs/interface/oauth.md#clients,
 * docs/interface/oauth.md#dpop).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient, revokeClient } from '../../../../src/server/api/oauth/clientChanges.js'
import { noteKey, revokedKeys, revokeKey, restoreKey, knownKeys } from '../../../../src/server/api/oauth/dpopKeys.js'
import { CLIENTS, REVOKED_CLIENTS, REVOKED_KEYS } from '../../../../src/server/auth/dpop/families.js'
import { createRevocations } from '../../../../src/server/auth/dpop/revocations.js'
import type { Records } from '../../../../src/sync/registry/port.js'
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
  it.each(['http', 'form', 'batch', 'socket'] as const)('is refused by %s', async (door) => {
    const { token } = await grant()
    expect((await callThrough(door, stage, token, 'streams.get', {})).status).toBe(200)
    await revoke()
    const { body } = await callThrough(door, stage, token, 'streams.get', {})
    expect(body['error']).toMatchObject({ id: REVOKED[0], message: REVOKED[1] })
  })

  it('is refused with a challenge', async () => {
    const { token } = await grant()
    await revoke()
    const { headers } = await request(`${node.url}${stage.username}/events`, { token })
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
  })

  it('takes what it has shared with it', async () => {
    const { id } = await grant()
    const shared = await grant('a share', { type: 'shared', manager: id, deviceName: undefined })
    expect(await call(shared.token)).toEqual([200])
    await revoke()
    expect(await call(shared.token)).toEqual([403, ...REVOKED])
  })

  it('stays refused when the client is registered again; new ones call', async () => {
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

  it('loses its websocket, and gets none', async () => {
    const { token } = await grant()
    const others = await Promise.all([connectSocket(node, stage.username, { token: stage.owner }), connectSocket(node, stage.username, { token: (await grant('oauth:another')).token })])
    const { io } = await connectSocket(node, stage.username, { token })
    const ended = new Promise<string>((resolve) => io.once('disconnect', resolve))
    await revoke()
    expect(await ended).toBe('io server disconnect')
    expect((await refusalOf(connectSocket(node, stage.username, { token }))).data).toMatchObject({ message: REVOKED[1] })
    for (const other of others) {
      expect((await other.call('streams.get', {})).error).toBeNull()
      other.close()
    }
  })
})

describe('revoking a client leaves alone', () => {
  it.each<[string, () => Promise<string>]>([
    ['accesses of other clients', async () => (await grant('oauth:another')).token],
    ['those of one whose id it begins', async () => (await grant(`oauth:${clientId}0`)).token],
    ['those that are of no client', async () => (await grant(clientId)).token],
    ['what somebody shares by this name', async () => (await grant(undefined, { type: 'shared', deviceName: undefined })).token],
    ['the owner', () => Promise.resolve(stage.owner)],
  ])('%s', async (_, make) => {
    const token = await make()
    await revoke()
    expect(await call(token)).toEqual([200])
  })
})

describe('an access of a client', () => {
  const update = async (id: string, change: object): Promise<number> =>
    (await request(`${node.url}${stage.username}/accesses/${id}`, { method: 'PUT', token: stage.owner, body: change })).status
  const dpop = { jkt: newProofKey().jkt }

  it('keeps its name', async () => {
    const { id } = await grant()
    expect(await update(id, { name: 'free' })).toBe(403)
    expect(await update(id, { name: `oauth:${clientId}` })).toBe(200)
    const other = await grant('no client')
    expect(await update(other.id, { name: 'still none' })).toBe(200)
  })

  it.each<[string, object, object, number]>([
    ['drops it', { dpop }, {}, 403],
    ['drops it with all else', { dpop }, { clientData: null }, 403],
    ['drops it for something else', { dpop }, { clientData: { a: 1 } }, 403],
    ['alters it', { dpop }, { clientData: { dpop: { jkt: newProofKey().jkt } } }, 403],
    ['adds to it', { dpop }, { clientData: { dpop: { ...dpop, more: 1 } } }, 403],
    ['nulls it', { dpop }, { clientData: { dpop: null } }, 403],
    ['adds it', { a: 1 }, { clientData: { dpop } }, 403],
    ['adds it where nothing was', {}, { clientData: { dpop } }, 403],
    ['keeps it', { dpop, a: 1 }, { clientData: { dpop, b: 2 } }, 200],
    ['does not touch it', { dpop }, { deviceName: 'new' }, 200],
  ])('keeps its key: an update that %s', async (what, clientData, change, status) => {
    const { id } = await grant(undefined, { clientData })
    expect(await update(id, what === 'drops it' ? { clientData: {} } : change)).toBe(status)
  })
})

describe('the keys', () => {
  it('that were seen are told by client, the latest first', async () => {
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

  it('are revoked by thumbprints alone, once, and restored', async () => {
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

describe('what another core revokes', () => {
  it('is known by the next reading; what cannot be read is as it was', async () => {
    const told: string[] = []
    const kept = new Map<string, unknown>()
    let isDown = false
    const records = {
      get: (family: string, id: string) => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(kept.get(`${family}/${id}`))),
      list: (family: string) =>
        isDown
          ? Promise.reject(new Error('down'))
          : Promise.resolve([...kept].filter(([key]) => key.startsWith(`${family}/`)).map(([key, value]) => ({ id: key.slice(family.length + 1), value }))),
      watch: () => () => {},
    } as unknown as Records
    const log = { error: (message: string) => void told.push(message) } as unknown as TestNode['node']['log']
    isDown = true
    const revocations = await createRevocations({ records, log, clientSeconds: 0.01, keySeconds: 0.01 })
    const held = { client: { id: 'app', since: 5 } }
    expect([revocations.isClientRevoked(held), revocations.isKeyRevoked('k')]).toEqual([false, false])
    expect(told.length).toBeGreaterThan(0)
    isDown = false
    kept.set(`${CLIENTS}/app`, {}).set(`${REVOKED_CLIENTS}/app`, { revokedAt: 5001 }).set(`${REVOKED_KEYS}/k`, 'corrupt')
    await expect.poll(() => [revocations.isClientRevoked(held), revocations.isKeyRevoked('k')]).toEqual([true, true])
    expect(revocations.isClientRevoked({ client: { id: 'app', since: 5.001 } })).toBe(false)
    isDown = true
    const before = told.length
    await expect.poll(() => told.length).toBeGreaterThan(before)
    expect([revocations.isClientRevoked(held), revocations.isKeyRevoked('k')]).toEqual([true, true])
    isDown = false
    kept.clear()
    await expect.poll(() => [revocations.isClientRevoked(held), revocations.isKeyRevoked('k')]).toEqual([false, false])
    revocations.stop()
  })
})
