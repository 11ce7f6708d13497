/**
 * The calls of the published sign-in pages, with what they read and post back: poll, accesses.checkApp, then accesses.create, or
 * accesses.update or accesses.delete of the access that does not match (docs/interface/access-requests.md#pages).
 */
import { describe, expect, it } from 'vitest'
import { APP, keyOf, pollOf, post } from '../../../support/people/accessRequests.js'
import { request } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Door, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'

type Json = Record<string, unknown>

const heart = { streamId: 'heart', level: 'read', defaultName: 'Heart' }
/** What an app asks for: nothing but permissions, or all that goes on to its access. */
const askings: Json[] = [{}, { clientData: { a: { b: 1 } }, deviceName: 'phone', expireAfter: 3600, token: 'own-token' }]
const doors: Door[] = ['http', 'form', 'batch', 'socket']
const cases = doors.flatMap((door) => askings.map((asking) => [door, asking] as const))

describe('a published page', () => {
  const node = withNode()

  const call = async (door: Door, stage: Stage, method: string, params: unknown): Promise<Json> => {
    const { status, body } = await callThrough(door, stage, stage.owner, method, params)
    if (status >= 300) throw new Error(`${method} answers ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** Reads a request and asks which access its app has. */
  async function begun(door: Door, stage: Stage, asking: Json): Promise<{ key: string; asked: Json; check: Json }> {
    const key = await keyOf(node(), { requestedPermissions: [heart], ...asking })
    const { body: asked } = await pollOf(node(), key)
    const { requestingAppId, requestedPermissions, deviceName, clientData } = asked
    const check = await call(door, stage, 'accesses.checkApp', { requestingAppId, requestedPermissions, deviceName, clientData })
    return { key, asked, check }
  }

  /** Creates what was checked, as the page does. */
  const create = async (door: Door, stage: Stage, { requestingAppId: name, deviceName, token, expireAfter, clientData }: Json, check: Json): Promise<Json> =>
    (await call(door, stage, 'accesses.create', { name, type: 'app', permissions: check['checkedPermissions'], deviceName, token, expireAfter, clientData }))['access'] as Json

  /** Reports the access, and uses it as the app does. */
  async function used(stage: Stage, key: string, access: Json): Promise<void> {
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

  async function withExpired(door: Door, asking: Json): Promise<{ stage: Stage; first: Json }> {
    const stage = await newStage(node())
    const { key, asked, check } = await begun(door, stage, asking)
    expect(check).not.toHaveProperty('mismatchingAccess')
    const first = await create(door, stage, asked, check)
    await used(stage, key, first)
    expect((await begun(door, stage, asking)).check).toMatchObject({ matchingAccess: { id: first['id'] } })
    await expire(stage, first)
    return { stage, first }
  }

  it.each(cases)('creates an access, and another once that has expired (%s, %j)', async (door, asking) => {
    const { stage, first } = await withExpired(door, asking)
    const { key, asked, check } = await begun(door, stage, asking)
    expect(check).not.toHaveProperty('matchingAccess')
    expect(check['mismatchingAccess']).toMatchObject({ token: first['token'] })
    await used(stage, key, await create(door, stage, asked, check))
    const { accesses } = await stage.arrange('accesses.get', { includeExpired: true })
    expect((accesses as Json[]).filter(({ name }) => name === APP)).toHaveLength(1)
  })

  it.each(cases)('deletes the expired access first (%s, %j)', async (door, asking) => {
    const { stage } = await withExpired(door, asking)
    const { key, asked, check } = await begun(door, stage, asking)
    await call(door, stage, 'accesses.delete', { id: (check['mismatchingAccess'] as Json)['id'] })
    await used(stage, key, await create(door, stage, asked, check))
  })

  it.each(cases)('changes the expired access (%s, %j)', async (door, asking) => {
    const { stage, first } = await withExpired(door, asking)
    const { key, asked, check } = await begun(door, stage, asking)
    const { deviceName, expireAfter } = asked
    const update = { permissions: check['checkedPermissions'], deviceName, ...(expireAfter === undefined ? { expires: null } : { expireAfter }) }
    const { access } = await call(door, stage, 'accesses.update', { id: (check['mismatchingAccess'] as Json)['id'], update })
    expect(access).toMatchObject({ token: first['token'] })
    await used(stage, key, access as Json)
    expect((await begun(door, stage, asking)).check).toHaveProperty('matchingAccess')
  })

  it('posts a shared access back as it was read', async () => {
    const stage = await newStage(node())
    const { access } = await stage.arrange('accesses.create', { name: 'Doctor', permissions: [], clientData: {} })
    const { id: _id, token: _token, ...read } = access as Json
    expect(await stage.arrange('accesses.create', { ...read, name: 'Nurse' })).toMatchObject({ access: { name: 'Nurse' } })
  })
})
