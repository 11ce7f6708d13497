/** `GET /metrics`: counters follow the calls, and names and labels are limited to the documented ones. */
import { describe, expect, it } from 'vitest'
import { methods } from '../../../src/server/api/methods.js'
import { NO_METHOD, vocabulary } from '../../../src/server/metrics/vocabulary.js'
import { productVersion } from '../../../src/server/base/version.js'
import { putTask } from '../../../src/store/accesses/consentTasks.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { callAt, pairSides, sidesInSync, startSide } from '../../support/sync/pairedNodes.js'
import { parseMetrics, valueOf, type Family } from '../../support/oracles/prometheus.js'
import { startReceiver } from '../../support/services/webhookReceiver.js'
import { connectSocket } from '../../support/http/socket.js'
import { KEY, operator, withNode } from '../api/system/support.js'

const node = withNode({ 'webhooks.minIntervalMs': 10, 'webhooks.maxRetries': 0 })

async function read(of: TestNode = node(), token = KEY): Promise<Map<string, Family>> {
  const response = await fetch(`${of.url}metrics`, { headers: { authorization: token } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return parseMetrics(await response.text())
}

const calls = (families: Map<string, Family>, method: string, outcome: string): number =>
  valueOf(families, 'coffer_calls_total', { method, outcome })

/** Reads the metrics until they satisfy a condition. */
async function eventually(isSo: (families: Map<string, Family>) => boolean): Promise<Map<string, Family>> {
  for (let tries = 0; tries < 500; tries++) {
    const families = await read()
    if (isSo(families)) return families
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('The metrics did not satisfy the condition in time.')
}

describe('GET /metrics', () => {
  it('counts calls of all transports by method and outcome', async () => {
    const token = await makeAccount(node(), 'anna1')
    const root = `${node().url}anna1`
    const before = await read()
    await request(`${root}/streams`, { token, body: { id: 'diary', name: 'Diary' } })
    await request(`${root}/streams`, { token, body: { id: 'diary', name: 'Diary' } })
    await request(`${root}/streams`, { token: 'wrong', body: { id: 'other', name: 'Other' } })
    await request(`${root}/streams`, { token, body: '{broken' })
    await request(`${root}/no/such/thing`, { token })
    await request(`${root}/auth/login`, { body: { username: 'anna1', password: 'wrong', appId: 'app-id' }, headers: { origin: 'http://localhost' } })
    await request(root, { token, body: [{ method: 'events.get', params: {} }, { method: 'events.get', params: { limit: -1 } }] })
    const socket = await connectSocket(node(), 'anna1', { token })
    await socket.call('streams.get', {})
    await request(`${node().url}system/admin/cores`)
    const after = await read()
    const grown = (method: string, outcome: string): number => calls(after, method, outcome) - calls(before, method, outcome)
    expect(grown('streams.create', 'ok')).toBe(1)
    expect(grown('streams.create', 'refused')).toBe(3)
    expect(grown('streams.get', 'ok')).toBe(1)
    expect(grown('events.get', 'ok')).toBe(1)
    expect(grown('events.get', 'refused')).toBe(1)
    expect(grown('callBatch', 'ok')).toBe(1)
    expect(grown('auth.login', 'refused')).toBe(1)
    expect(grown(NO_METHOD, 'refused')).toBe(1)
    expect(grown(methods.find(({ http }) => http.path === '/system/admin/cores')?.id ?? '', 'refused')).toBe(1)
    expect(grown('metrics.get', 'ok')).toBe(1)
    // Durations include calls that ran: a duplicate name is detected while running, a wrong token before.
    const took = (method: string): number => valueOf(after, 'coffer_call_duration_seconds_count', { method })
    expect(took('streams.create')).toBe(2)
    expect(valueOf(after, 'coffer_call_duration_seconds_sum', { method: 'streams.create' })).toBeGreaterThan(0)
    expect(valueOf(after, 'coffer_websockets_open')).toBe(1)
    socket.close()
    await eventually((families) => valueOf(families, 'coffer_websockets_open') === 0)
  })

  it('counts errors of OAuth as refusals', async () => {
    await request(`${node().url}oauth2/token`, { body: { grant_type: 'nonsense' } })
    const families = await read()
    expect(calls(families, 'oauth.token', 'refused')).toBe(1)
    expect(calls(families, 'oauth.token', 'failed')).toBe(0)
  })

  it('counts commits and their entries', async () => {
    const token = await makeAccount(node(), 'ben01')
    const before = await read()
    await request(`${node().url}ben01/streams`, { token, body: { id: 'diary', name: 'Diary' } })
    const after = await read()
    const grown = (name: string): number => valueOf(after, name) - valueOf(before, name)
    expect(grown('coffer_commits_total')).toBeGreaterThan(0)
    expect(grown('coffer_commit_duration_seconds_count')).toBe(grown('coffer_commits_total'))
    expect(grown('coffer_commit_entries_sum')).toBe(1)
    expect(valueOf(after, 'coffer_store_state', { state: 'writable' })).toBe(1)
    expect(valueOf(after, 'coffer_store_state', { state: 'read-only' })).toBe(0)
  })

  it('counts calls of webhooks and stopped webhooks', async () => {
    const receiver = await startReceiver(200)
    const owner = await makeAccount(node(), 'carla')
    const root = `${node().url}carla`
    await request(`${root}/streams`, { token: owner, body: { id: 'diary', name: 'Diary' } })
    const made = await request(`${root}/accesses`, { token: owner, body: { type: 'app', name: 'app', permissions: [{ streamId: 'diary', level: 'read' }] } })
    const { token } = made.body['access'] as { token: string }
    await request(`${root}/webhooks`, { token, body: { url: receiver.url } })
    const event = { streamIds: ['diary'], type: 'note/txt', content: 'x' }
    await request(`${root}/events`, { token: owner, body: event })
    const of = (families: Map<string, Family>, result: string): number => valueOf(families, 'coffer_webhook_calls_total', { result })
    await eventually((families) => of(families, 'sent') > 0)
    receiver.answer = 503
    await request(`${root}/events`, { token: owner, body: event })
    await eventually((families) => of(families, 'failed') === 1 && valueOf(families, 'coffer_webhooks_stopped_total') === 1)
    await receiver.stop()
  })

  it('counts pending messages between accounts', async () => {
    await makeAccount(node(), 'doris')
    const account = (await node().node.accounts.find('doris'))?.account
    const { store, clock, consents } = node().node
    await account?.write((t) => putTask(t, store.seal, { id: 'a-task', kind: 'notice', attempts: 0, due: clock.now() + 500 }))
    consents.wake(account?.prefix ?? '', 'a-task')
    expect(valueOf(await read(), 'coffer_consent_messages_waiting')).toBe(1)
    await consents.settled(account?.prefix ?? '', 'a-task')
    expect(valueOf(await read(), 'coffer_consent_messages_waiting')).toBe(1)
  })

  it('reports the states of peers and the bytes exchanged with them', async () => {
    const [here, there] = [await startSide({ 'auth.adminAccessKey': KEY }), await startSide()]
    await callAt(here, 'streams.create', { id: 'diary', name: 'Diary' })
    expect(valueOf(await read(here.node), 'coffer_sync_sent_bytes_total')).toBe(0)
    await pairSides(here, there)
    await sidesInSync(here, there)
    const families = await read(here.node)
    expect(valueOf(families, 'coffer_sync_peers', { state: 'in-sync' })).toBe(1)
    expect(valueOf(families, 'coffer_sync_peers', { state: 'offline' })).toBe(0)
    expect(valueOf(families, 'coffer_sync_behind_entries')).toBe(0)
    expect(valueOf(families, 'coffer_sync_sent_bytes_total')).toBeGreaterThan(100)
    expect(valueOf(families, 'coffer_sync_received_bytes_total')).toBeGreaterThan(100)
    await here.node.stop()
    await there.node.stop()
  })

  it('contains only documented names and labels, and no user data', async () => {
    const families = await read()
    expect([...families.keys()]).toEqual(Object.keys(vocabulary).sort())
    const ids = [...methods.map(({ id }) => id), NO_METHOD]
    for (const [name, { type, help, lines }] of families) {
      const known = vocabulary[name as keyof typeof vocabulary]
      expect({ type, help }).toEqual({ type: known.type, help: known.help })
      const values: Record<string, unknown> = known.labels
      for (const { labels } of lines) {
        const { le: _, ...others } = labels
        expect(Object.keys(others)).toEqual(Object.keys(values))
        for (const [label, value] of Object.entries(others)) {
          const allowed = values[label] === 'methods' ? ids : values[label] === 'version' ? [productVersion()] : values[label]
          expect(allowed, `${name} ${label}`).toContain(value)
        }
      }
    }
    const text = String((await operator(node(), 'metrics')).body['text'])
    for (const name of ['anna1', 'ben01', 'carla', 'doris', 'diary']) expect(text).not.toContain(name)
  })

  it('answers 404 when it is disabled, and reserves its username', async () => {
    const silent = await startTestNode({ 'auth.adminAccessKey': KEY, 'metrics.active': false })
    const answer = await request(`${silent.url}metrics`, { token: KEY })
    expect(answer).toMatchObject({ status: 404, body: { error: { id: 'unknown-resource' } } })
    await silent.stop()
    const account = { username: 'metrics', password: 'correct horse', email: 'm@example.org', appId: 'test-app' }
    expect((await request(`${node().url}users`, { body: account })).body).toMatchObject({ error: { id: 'item-already-exists' } })
  })
})
