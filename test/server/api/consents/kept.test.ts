/**
 * Streams that the node keeps for itself hold tokens of other accounts: nobody reads them, whatever their access names
 * (docs/interface/consents.md#streams).
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { request } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { accepting, inside, invite, newRequester, quiet } from './agreeing.js'

const at = withNode()
let alice: Stage
let capabilityId: string
let offerId: string
let link: string
beforeAll(async () => {
  alice = await newRequester(at())
  const made = await invite(alice)
  capabilityId = String(made.content['capabilityId'])
  link = String(made.content['capabilityUrl'])
  const { body } = await request(`${at().url}${alice.username}/events`, { token: new URL(link).username })
  offerId = (body['events'] as { id: string }[])[0]?.id ?? ''
  await accepting(await newStage(at()), link)
  await quiet(at())
})

const api = (path: string, more: { token: string; method?: string; body?: unknown }): ReturnType<typeof request> => request(`${at().url}${alice.username}/${path}`, more)
const kept = ['', ':retries'].map((end) => `:_cmc:_internal${end}`)

describe.each(['app', 'shared'])('an access of type %s', (type) => {
  it('that names them lists none of them, reads and writes nothing there', async () => {
    const ids = [...kept, ...['offer', 'responses'].map((kind) => `:_cmc:_internal:${kind}:${capabilityId}`)]
    expect((await inside(alice, ids[3] ?? '')).length).toBe(1)
    for (const streamId of ids) {
      const made = await api('accesses', { token: alice.owner, body: { type, name: `peek ${type} ${streamId}`, permissions: [{ streamId, level: 'manage' }] } })
      expect(made.status).toBe(201)
      const { token } = made.body['access'] as { token: string }
      const streams = JSON.stringify((await api('streams?state=all', { token })).body['streams'])
      expect(streams).not.toContain('_internal')
      expect((await api('events?limit=100', { token })).body['events']).toEqual([])
      const named = await api(`events?streams=${encodeURIComponent(streamId)}`, { token })
      expect(named.body['events']).toEqual([])
      expect((await api('events', { token, body: { streamIds: [streamId], type: 'note/txt', content: 'x' } })).status).toBeGreaterThanOrEqual(400)
      expect((await api(`streams?parentId=${encodeURIComponent(streamId)}`, { token })).status).toBe(403)
    }
  })
})

it('files of what lies there are neither added, read nor removed', async () => {
  const { token } = (await api('accesses', { token: alice.owner, body: { type: 'app', name: 'all', permissions: [{ streamId: '*', level: 'manage' }] } })).body['access'] as { token: string }
  expect(offerId).not.toBe('')
  for (const authorization of [alice.owner, token]) {
    const form = new FormData()
    form.append('file', new Blob(['x']), 'x.txt')
    const added = await fetch(`${at().url}${alice.username}/events/${offerId}`, { method: 'POST', body: form, headers: { authorization } })
    expect([added.status, ((await added.json()) as { error?: { id: string } }).error?.id]).toEqual([404, 'unknown-resource'])
    expect((await api(`events/${offerId}/file`, { token: authorization })).status).toBe(404)
    expect((await api(`events/${offerId}/file`, { token: authorization, method: 'DELETE' })).status).toBe(404)
  }
})
