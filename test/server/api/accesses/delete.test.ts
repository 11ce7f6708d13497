/** Behaviour of accesses.delete: docs/interface/accesses.md#deletion. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Permission } from '../../../../src/store/model/access.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { describeMethod, newStage, type Stage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share } from '../../../support/people/shares.js'
import { announcedAll, watch } from '../../../support/http/announcedChanges.js'

const on = (streamId: string, level: string): Permission => ({ streamId, level }) as Permission
const readAll = [on('*', 'read')]
const refusesToken = async (s: Stage, token: string): Promise<void> => {
  const answer = await ask(s, token, 'GET', '/access-info')
  expect([answer.status, errorOf(answer).id]).toEqual([403, 'invalid-access-token'])
}

describeMethod('accesses.delete', [
  {
    it: 'deletes a shared access',
    given: async (s) => {
      const { id } = await share(s, { permissions: readAll, token: 'to-go' })
      await watch(s)
      return { id }
    },
    gives: 200,
    then: async (result, s) => {
      const { accessDeletion } = result as { accessDeletion: { id: string } }
      expect(accessDeletion).toEqual({ id: expect.stringMatching(/^[a-z0-9]{24}$/) as string })
      expect(result).not.toHaveProperty('relatedDeletions')
      expect(announcedAll(s)).toContain(`access delete ${accessDeletion.id}`)
      await refusesToken(s, 'to-go')
    },
  },
  {
    it: 'deletes a personal access, but no access created by it',
    given: async (s) => {
      await share(s, { permissions: readAll, token: 'stays' })
      return { id: (await s.arrange('getAccessInfo', {}))['id'] }
    },
    gives: 200,
    then: async (result, s) => {
      expect(result).not.toHaveProperty('relatedDeletions')
      await refusesToken(s, s.owner)
      expect((await ask(s, 'stays', 'GET', '/access-info')).status).toBe(200)
    },
  },
  {
    it: 'deletes an access to account streams',
    given: async (s) => ({ id: (await share(s, { permissions: [on(':_system:account', 'read')] })).id }),
    gives: 200,
  },
  {
    it: 'deletes the accesses shared by an app, except expired ones',
    given: async (s) => {
      const app = await share(s, { type: 'app', permissions: readAll, token: 'app' })
      await share(s, { permissions: readAll, token: 'related' }, app.token)
      await share(s, { name: 'old', permissions: readAll, expireAfter: 0 }, app.token)
      await share(s, { permissions: readAll, token: 'unrelated' })
      return { id: app.id }
    },
    gives: 200,
    then: async (result, s) => {
      expect(result['relatedDeletions']).toEqual([{ id: expect.any(String) as string }])
      await refusesToken(s, 'app')
      await refusesToken(s, 'related')
      expect((await ask(s, 'unrelated', 'GET', '/access-info')).status).toBe(200)
      const { accesses } = await s.arrange('accesses.get', { includeExpired: true })
      expect((accesses as { name: string }[]).map(({ name }) => name)).toContain('old')
    },
  },
  { it: 'refuses unknown ids', send: { id: 'nothing' }, gives: [404, 'unknown-resource'] },
  {
    it: 'refuses an access that is already deleted',
    given: async (s) => {
      const { id } = await share(s, { permissions: [] })
      await s.arrange('accesses.delete', { id })
      return { id }
    },
    gives: [404, 'unknown-resource'],
  },
  {
    it: 'refuses the id of an outdated version',
    given: async (s) => {
      const { id } = await share(s, { permissions: [] })
      await s.arrange('accesses.update', { id, update: { name: `n ${id}` } })
      return { id }
    },
    gives: [409, 'stale-resource'],
    then: (body) => expect((body['error'] as { data: unknown }).data).toMatchObject({ currentSerial: 1 }),
  },
  ...[readAll, [on('a', 'create-only')]].map((as) => ({
    it: `refuses an app an access that it did not create (${as[0] && 'level' in as[0] ? as[0].level : ''})`,
    as,
    given: async (s: Stage) => ({ id: (await share(s, { permissions: [] })).id }),
    gives: [403, 'forbidden'] as [number, 'forbidden'],
  })),
])

describe('accesses.delete', () => {
  const clock = fakeClock()
  let node: TestNode
  let s: Stage
  beforeAll(async () => {
    node = await startTestNode({}, { clock })
    s = await newStage(node)
  })
  afterAll(() => node.stop())
  const remove = (id: string, token: string): ReturnType<typeof ask> => ask(s, token, 'DELETE', `/accesses/${id}`)

  it('lets an app delete only accesses that it shared', async () => {
    const app = await share(s, { type: 'app', permissions: readAll })
    const other = await share(s, { type: 'app', permissions: readAll })
    const own = await share(s, { permissions: readAll }, app.token)
    const foreign = await share(s, { permissions: readAll }, other.token)
    for (const { id } of [other, foreign]) expect((await remove(id, app.token)).status).toBe(403)
    expect((await remove(own.id, app.token)).body).toMatchObject({ accessDeletion: { id: own.id } })
    expect((await remove('nothing', app.token)).status).toBe(404)
  })

  it('lets every access delete itself, unless selfRevoke is forbidden', async () => {
    const forbidden = { feature: 'selfRevoke', setting: 'forbidden' }
    for (const type of ['app', 'shared']) {
      const restricted = await share(s, { type, permissions: [...readAll, forbidden] })
      const answer = await remove(restricted.id, restricted.token)
      expect([answer.status, errorOf(answer).id]).toEqual([403, 'forbidden'])
      for (const permissions of [readAll, [...readAll, { ...forbidden, setting: 'allowed' }], [on('x', 'create-only')]]) {
        const unrestricted = await share(s, { type, permissions })
        expect((await remove(unrestricted.id, unrestricted.token)).status).toBe(200)
        const again = await remove(unrestricted.id, unrestricted.token)
        expect([again.status, errorOf(again).id]).toEqual([403, 'invalid-access-token'])
      }
    }
  })

  it('deletes all versions of an access', async () => {
    const { id } = await share(s, { permissions: readAll })
    await s.arrange('accesses.update', { id, update: { clientData: { a: 1 } } })
    expect((await remove(`${id}:1`, s.owner)).body).toMatchObject({ accessDeletion: { id: `${id}:1` } })
    for (const one of [id, `${id}:0`, `${id}:1`]) {
      expect((await ask(s, s.owner, 'GET', `/accesses/${one}`)).status).toBe(404)
    }
  })

  it('does not affect an access of another account with the same token', async () => {
    const username = `${s.username}-b`
    const token = await registerUser(node, username)
    const other: Stage = { ...s, username, owner: token }
    const { id } = await share(s, { permissions: [], token: 'both' })
    await share(other, { permissions: [], token: 'both' })
    await remove(id, s.owner)
    await refusesToken(s, 'both')
    expect((await ask(other, 'both', 'GET', '/access-info')).status).toBe(200)
  })
})
