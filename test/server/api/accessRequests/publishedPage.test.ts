/**
 * Calls of the published sign-in pages, with the values that they read and post back: poll, accesses.checkApp, then
 * accesses.create, or accesses.update or accesses.delete of the mismatching access (docs/interface/access-requests.md#pages).
 */
import { describe, expect, it } from 'vitest'
import { APP, keyOf, pollOf, post } from '../../../support/people/accessRequests.js'
import { request } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'

type Json = Record<string, unknown>

const heart = { streamId: 'heart', level: 'read', defaultName: 'Heart' }
/** Access requests with permissions only, and with all fields that are copied to the access. */
const requestBodies: Json[] = [{}, { clientData: { a: { b: 1 } }, deviceName: 'phone', expireAfter: 3600, token: 'own-token' }]
const transports: Transport[] = ['http', 'form', 'batch', 'socket']
const cases = transports.flatMap((transport) => requestBodies.map((requestBody) => [transport, requestBody] as const))

describe('a published page', () => {
  const node = withNode()

  const call = async (transport: Transport, stage: Stage, method: string, params: unknown): Promise<Json> => {
    const { status, body } = await callThrough(transport, stage, stage.owner, method, params)
    if (status >= 300) throw new Error(`${method} answers ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** Reads a new request and checks which access its app has. */
  async function checkNewRequest(transport: Transport, stage: Stage, requestBody: Json): Promise<{ key: string; accessRequest: Json; check: Json }> {
    const key = await keyOf(node(), { requestedPermissions: [heart], ...requestBody })
    const { body: accessRequest } = await pollOf(node(), key)
    const { requestingAppId, requestedPermissions, deviceName, clientData } = accessRequest
    const check = await call(transport, stage, 'accesses.checkApp', { requestingAppId, requestedPermissions, deviceName, clientData })
    return { key, accessRequest, check }
  }

  /** Creates an access with the checked permissions, as the page does. */
  const create = async (transport: Transport, stage: Stage, { requestingAppId: name, deviceName, token, expireAfter, clientData }: Json, check: Json): Promise<Json> =>
    (await call(transport, stage, 'accesses.create', { name, type: 'app', permissions: check['checkedPermissions'], deviceName, token, expireAfter, clientData }))['access'] as Json

  /** Reports the access, and uses it as the app does. */
  async function reportAndUse(stage: Stage, key: string, access: Json): Promise<void> {
    const { token, apiEndpoint } = access
    expect((await post(node(), key, { status: 'ACCEPTED', username: stage.username, token, apiEndpoint })).status).toBe(200)
    const { body } = await pollOf(node(), key)
    const info = await request(`${node().url}${stage.username}/access-info`, { token: String(body['token']) })
    expect([info.status, info.body['name']]).toEqual([200, APP])
  }

  /** Lets the access of the app expire. */
  async function expire(stage: Stage, access: Json): Promise<void> {
    await stage.arrange('accesses.update', { id: access['id'], update: { expireAfter: 0 } })
    expect((await request(`${node().url}${stage.username}/access-info`, { token: String(access['token']) })).status).toBe(403)
  }

  async function withExpired(transport: Transport, requestBody: Json): Promise<{ stage: Stage; first: Json }> {
    const stage = await newStage(node())
    const { key, accessRequest, check } = await checkNewRequest(transport, stage, requestBody)
    expect(check).not.toHaveProperty('mismatchingAccess')
    const first = await create(transport, stage, accessRequest, check)
    await reportAndUse(stage, key, first)
    expect((await checkNewRequest(transport, stage, requestBody)).check).toMatchObject({ matchingAccess: { id: first['id'] } })
    await expire(stage, first)
    return { stage, first }
  }

  it.each(cases)('creates an access, and a new one after it has expired (%s, %j)', async (transport, requestBody) => {
    const { stage, first } = await withExpired(transport, requestBody)
    const { key, accessRequest, check } = await checkNewRequest(transport, stage, requestBody)
    expect(check).not.toHaveProperty('matchingAccess')
    expect(check['mismatchingAccess']).toMatchObject({ token: first['token'] })
    await reportAndUse(stage, key, await create(transport, stage, accessRequest, check))
    const { accesses } = await stage.arrange('accesses.get', { includeExpired: true })
    expect((accesses as Json[]).filter(({ name }) => name === APP)).toHaveLength(1)
  })

  it.each(cases)('deletes the expired access and creates a new one (%s, %j)', async (transport, requestBody) => {
    const { stage } = await withExpired(transport, requestBody)
    const { key, accessRequest, check } = await checkNewRequest(transport, stage, requestBody)
    await call(transport, stage, 'accesses.delete', { id: (check['mismatchingAccess'] as Json)['id'] })
    await reportAndUse(stage, key, await create(transport, stage, accessRequest, check))
  })

  it.each(cases)('updates the expired access (%s, %j)', async (transport, requestBody) => {
    const { stage, first } = await withExpired(transport, requestBody)
    const { key, accessRequest, check } = await checkNewRequest(transport, stage, requestBody)
    const { deviceName, expireAfter } = accessRequest
    const update = { permissions: check['checkedPermissions'], deviceName, ...(expireAfter === undefined ? { expires: null } : { expireAfter }) }
    const { access } = await call(transport, stage, 'accesses.update', { id: (check['mismatchingAccess'] as Json)['id'], update })
    expect(access).toMatchObject({ token: first['token'] })
    await reportAndUse(stage, key, access as Json)
    expect((await checkNewRequest(transport, stage, requestBody)).check).toHaveProperty('matchingAccess')
  })

  it('accepts a shared access posted back with the fields that were read', async () => {
    const stage = await newStage(node())
    const { access } = await stage.arrange('accesses.create', { name: 'Doctor', permissions: [], clientData: {} })
    const { id: _id, token: _token, ...read } = access as Json
    expect(await stage.arrange('accesses.create', { ...read, name: 'Nurse' })).toMatchObject({ access: { name: 'Nurse' } })
  })
})
