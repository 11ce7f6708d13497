/**
 * Internal streams, which contain tokens of other accounts: no access can read them, even if its permissions name them
 * (docs/interface/consents.md#streams).
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { request } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { acceptLink, internalEvents, invite, newRequester, deliverDue } from './consentFlow.js'

const at = withNode()
let alice: Stage
let capabilityId: string
let offerId: string
let link: string
beforeAll(async () => {
  alice = await newRequester(at())
  const invited = await invite(alice)
  capabilityId = String(invited.content['capabilityId'])
  link = String(invited.content['capabilityUrl'])
  const { body } = await request(`${at().url}${alice.username}/events`, { token: new URL(link).username })
  offerId = (body['events'] as { id: string }[])[0]?.id ?? ''
  await acceptLink(await newStage(at()), link)
  await deliverDue(at())
})

const api = (path: string, more: { token: string; method?: string; body?: unknown }): ReturnType<typeof request> => request(`${at().url}${alice.username}/${path}`, more)
const fixedStreams = ['', ':retries'].map((end) => `:_cmc:_internal${end}`)

describe.each(['app', 'shared'])('an access of type %s', (type) => {
  it('can neither list, read nor write internal streams named in its permissions', async () => {
    const ids = [...fixedStreams, ...['offer', 'responses'].map((kind) => `:_cmc:_internal:${kind}:${capabilityId}`)]
    expect((await internalEvents(alice, ids[3] ?? '')).length).toBe(1)
    for (const streamId of ids) {
      const created = await api('accesses', { token: alice.owner, body: { type, name: `peek ${type} ${streamId}`, permissions: [{ streamId, level: 'manage' }] } })
      expect(created.status).toBe(201)
      const { token } = created.body['access'] as { token: string }
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

it('files of events in internal streams cannot be added, read or deleted', async () => {
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
