/** Methods of webhooks: docs/interface/webhooks.md#fields, docs/interface/webhooks.md#rules. */
import { expect } from 'vitest'
import type { Permission } from '../../../src/store/model/access.js'
import { grantAccess } from '../../support/people/access.js'
import { badAddresses } from '../../support/http/badValues.js'
import { callThrough, describeMethod, type Row, type Stage } from '../../support/http/methodTable.js'
import { announced, watch } from '../../support/http/announcedChanges.js'
import { succeeding, type WebhookWithRuns } from './support.js'

const url = 'http://127.0.0.1:9/hook?token=secret'
const everything: Permission[] = [{ streamId: '*', level: 'manage' }]
const refused = [400, 'invalid-parameters-format'] as Row['gives']

/** Creates a webhook with an access of its own. */
async function createWebhook(s: Stage, body: Record<string, unknown> = {}, type: 'app' | 'shared' = 'app'): Promise<WebhookWithRuns & { token: string }> {
  const { token } = await grantAccess(s.node, s.username, everything, { type })
  const { webhook } = await succeeding(s, token, 'webhooks.create', { url, ...body })
  return { ...(webhook as WebhookWithRuns), token }
}
const read = async (s: Stage, id: string): Promise<WebhookWithRuns> => (await s.arrange('webhooks.getOne', { id }))['webhook'] as WebhookWithRuns
const ids = (result: Record<string, unknown>): string[] => (result['webhooks'] as WebhookWithRuns[]).map(({ id }) => id)
const fresh = {
  url,
  state: 'active',
  runCount: 0,
  failCount: 0,
  lastRun: { status: 0, timestamp: 0 },
  runs: [],
  currentRetries: 0,
  maxRetries: 5,
  minIntervalMs: 5000,
}

describeMethod('webhooks.get', [
  { it: 'returns an empty list', gives: 200, result: { webhooks: [] } },
  {
    it: 'lists all to the owner, by time of modification',
    given: async (s) => {
      const first = await createWebhook(s)
      await createWebhook(s, {}, 'shared')
      await s.arrange('webhooks.update', { id: first.id, update: { state: 'inactive' } })
      return {}
    },
    gives: 200,
    then: (result) => {
      const webhooks = result['webhooks'] as WebhookWithRuns[]
      expect(webhooks.map(({ state }) => state)).toEqual(['active', 'inactive'])
      expect(webhooks[0]).toMatchObject(fresh)
    },
  },
  {
    it: 'lists only own webhooks to an app or a shared access',
    given: async (s) => {
      for (const type of ['app', 'shared'] as const) {
        const { id, token } = await createWebhook(s, {}, type)
        expect(ids(await succeeding(s, token, 'webhooks.get', {}))).toEqual([id])
      }
      return {}
    },
    as: everything,
    gives: 200,
    result: { webhooks: [] },
  },
  { it: 'ignores unknown parameters', send: { nope: '1' }, as: everything, gives: 200 },
])

describeMethod('webhooks.getOne', [
  {
    it: 'returns a webhook to the owner, and to the access that created it',
    given: async (s) => {
      for (const type of ['shared', 'app'] as const) {
        const { id, token } = await createWebhook(s, {}, type)
        expect((await succeeding(s, token, 'webhooks.getOne', { id }))['webhook']).toMatchObject(fresh)
      }
      const [first] = (await s.arrange('webhooks.get', {}))['webhooks'] as WebhookWithRuns[]
      return { id: first?.id }
    },
    gives: 200,
    result: { webhook: { url, state: 'active' } },
  },
  { it: 'refuses another access', given: async (s) => ({ id: (await createWebhook(s)).id }), as: everything, gives: [403, 'forbidden'] },
  { it: 'refuses an unknown id', send: { id: 'nope' }, gives: [404, 'unknown-resource'] },
])

const scope = { diary: { kind: 'events', query: { streams: ['diary'] } } }
const withDiary = async (s: Stage): Promise<unknown> => s.arrange('streams.create', { id: 'diary', name: 'Diary' })

describeMethod('webhooks.create', [
  {
    it: 'creates a webhook',
    given: async (s) => (await watch(s), { url }),
    as: everything,
    gives: 201,
    then: async ({ webhook }, s) => {
      const { id, accessId, created, createdBy, modified, modifiedBy, ...rest } = webhook as WebhookWithRuns
      expect(rest).toEqual(fresh)
      expect([id, accessId]).toEqual([expect.stringMatching(/^[a-z][a-z0-9]{23}$/), createdBy])
      expect([modified, modifiedBy]).toEqual([created, createdBy])
      expect(await read(s, id)).toEqual(webhook)
      expect(announced(s)).toEqual([`webhook create ${id}`])
    },
  },
  { it: 'accepts create-only accesses', as: [{ streamId: '*', level: 'create-only' }], send: { url }, gives: 201 },
  { it: 'refuses the owner', send: { url }, gives: [403, 'forbidden'] },
  {
    it: 'refuses an access without the feature',
    as: [...everything, { feature: 'webhooks', setting: 'forbidden' }],
    send: { url },
    gives: [403, 'forbidden'],
    then: async (_, s) => expect(ids(await s.arrange('webhooks.get', {}))).toEqual([]),
  },
  { it: 'ignores read-only fields', as: everything, send: { ...fresh, runCount: 7, minIntervalMs: 1, id: 'x' }, gives: 201, result: { webhook: fresh } },
  { it: 'creates an inactive webhook', as: everything, send: { url, state: 'inactive' }, gives: 201, result: { webhook: { state: 'inactive' } } },
  ...[5, null, ['http://example.org/'], ...badAddresses].map(
    (bad): Row => ({ it: `refuses the url ${String(bad).slice(0, 30)}`, as: everything, send: { url: bad }, gives: refused }),
  ),
  { it: 'refuses a missing url', as: everything, send: {}, gives: refused },
  { it: 'refuses an unknown state', as: everything, send: { url, state: 'asleep' }, gives: refused },
  { it: 'refuses unknown keys', as: everything, send: { url, nope: 1 }, gives: refused },
  {
    it: 'accepts a url that another access uses',
    given: async (s) => (await createWebhook(s), { url }),
    as: everything,
    gives: 201,
  },
  {
    it: 'stores scopes unchanged',
    given: async (s) => (await withDiary(s), { url, scopes: { ...scope, streams: { kind: 'streams', query: { streams: ['diary'] } }, all: {} } }),
    as: everything,
    gives: 201,
    then: async ({ webhook }, s) => {
      const scopes = { ...scope, streams: { kind: 'streams', query: { streams: ['diary'] } }, all: { kind: 'events', query: {} } }
      expect((webhook as WebhookWithRuns).scopes).toEqual(scopes)
      expect((await read(s, (webhook as WebhookWithRuns).id)).scopes).toEqual(scopes)
    },
  },
  { it: 'treats an empty map as no scopes', as: everything, send: { url, scopes: {} }, gives: 201, then: ({ webhook }) => expect(webhook).not.toHaveProperty('scopes') },
  { it: 'refuses scopes that are not a map', as: everything, send: { url, scopes: [] }, gives: refused },
  { it: 'refuses an unknown kind', as: everything, send: { url, scopes: { a: { kind: 'x' } } }, gives: [400, 'invalid-request-structure'] },
  { it: 'refuses an unknown stream', as: everything, send: { url, scopes: scope }, gives: [400, 'unknown-referenced-resource'] },
  {
    it: 'refuses a stream without read permission',
    given: async (s) => (await withDiary(s), { url, scopes: scope }),
    as: [{ streamId: 'other', level: 'read' }],
    gives: [403, 'forbidden'],
  },
  { it: 'refuses scopes of accesses', as: everything, send: { url, scopes: { a: { kind: 'accesses', query: { types: ['app'] } } } }, gives: [403, 'forbidden'] },
])

describeMethod('webhooks.create', [
  {
    it: 'refuses a duplicate url, and too many webhooks of an access',
    given: async (s) => {
      const { token } = await createWebhook(s)
      const again = await callThrough('batch', s, token, 'webhooks.create', { url })
      expect(again).toMatchObject({ status: 409, body: { error: { id: 'item-already-exists', data: { url } } } })
      const calls = Array.from({ length: 100 }, (_, n) => ({ method: 'webhooks.create', params: { url: `${url}${n}` } }))
      const { results } = await succeeding(s, token, 'callBatch', calls)
      const failed = (results as { error?: { id: string } }[]).filter(({ error }) => error !== undefined)
      expect(failed).toEqual([{ error: expect.objectContaining({ id: 'invalid-operation' }) as unknown }])
      return { url }
    },
    gives: [403, 'forbidden'],
    only: ['http'],
  },
])

const changing = (update: unknown, type: 'app' | 'shared' = 'app') => async (s: Stage) => {
  const { id } = await createWebhook(s, {}, type)
  await watch(s)
  return { id, update }
}

describeMethod('webhooks.update', [
  {
    it: 'deactivates a webhook for the owner',
    given: changing({ state: 'inactive' }),
    gives: 200,
    then: async ({ webhook }, s) => {
      const { id, state, created, modified } = webhook as WebhookWithRuns
      expect(state).toBe('inactive')
      expect(modified).toBeGreaterThan(created)
      expect(await read(s, id)).toEqual(webhook)
      expect(announced(s)).toEqual([`webhook update ${id}`])
    },
  },
  {
    it: 'deactivates and activates a webhook for the access that created it, app or shared',
    given: async (s) => {
      for (const type of ['app', 'shared'] as const) {
        const { id, token } = await createWebhook(s, {}, type)
        for (const state of ['inactive', 'active']) {
          const { webhook } = await succeeding(s, token, 'webhooks.update', { id, update: { state } })
          expect(webhook).toMatchObject({ state })
        }
      }
      return { id: 'nope', update: { state: 'active' } }
    },
    gives: [404, 'unknown-resource'],
  },
  { it: 'changes nothing with an empty update', given: changing({}), gives: 200, result: { webhook: fresh }, then: (_, s) => expect(announced(s)).toEqual([]) },
  ...(['url', 'id', 'accessId', 'maxRetries', 'runs', 'created'] as const).map(
    (field): Row => ({ it: `refuses ${field}`, given: changing({ state: 'inactive', [field]: 'x' }), gives: [403, 'forbidden'] }),
  ),
  { it: 'refuses an invalid state', given: changing({ state: 5 }), gives: refused },
  { it: 'refuses scopes that are not a map', given: changing({ scopes: 'x' }), gives: refused },
  { it: 'refuses unknown keys', given: changing({ nope: 1 }), gives: refused },
  { it: 'refuses another access', given: changing({ state: 'inactive' }), as: everything, gives: [403, 'forbidden'] },
  {
    it: 'replaces scopes as a whole, and removes them with null',
    given: async (s) => {
      await withDiary(s)
      const { id, token } = await createWebhook(s, { scopes: { old: {} } })
      const { webhook } = await succeeding(s, token, 'webhooks.update', { id, update: { scopes: scope } })
      expect((webhook as WebhookWithRuns).scopes).toEqual(scope)
      return { id, update: { scopes: null } }
    },
    gives: 200,
    then: ({ webhook }) => expect(webhook).not.toHaveProperty('scopes'),
  },
  {
    it: 'limits scopes to the permissions of the access that created the webhook, also for the owner',
    given: async (s) => {
      await withDiary(s)
      const { token } = await grantAccess(s.node, s.username, [{ streamId: 'other', level: 'read' }])
      const { webhook } = await succeeding(s, token, 'webhooks.create', { url })
      return { id: (webhook as WebhookWithRuns).id, update: { scopes: scope } }
    },
    gives: [403, 'forbidden'],
  },
  {
    it: 'does not activate a webhook whose access has expired',
    given: async (s) => {
      const { id, accessId } = await createWebhook(s)
      await s.arrange('accesses.update', { id: accessId, update: { expireAfter: 0 } })
      await succeeding(s, s.owner, 'webhooks.update', { id, update: { state: 'inactive' } })
      return { id, update: { state: 'active' } }
    },
    gives: [400, 'invalid-operation'],
  },
], { 'updates.ignoreProtectedFields': true })

describeMethod('webhooks.delete', [
  {
    it: 'deletes a webhook once',
    given: async (s) => {
      const { id } = await createWebhook(s)
      await watch(s)
      return { id }
    },
    gives: 200,
    then: async ({ webhookDeletion }, s) => {
      const { id } = webhookDeletion as { id: string }
      expect(webhookDeletion).toEqual({ id, deleted: expect.any(Number) as number })
      expect(announced(s)).toEqual([`webhook delete ${id}`])
      expect((await callThrough('http', s, s.owner, 'webhooks.delete', { id })).status).toBe(404)
      expect(ids(await s.arrange('webhooks.get', {}))).toEqual([])
    },
  },
  {
    it: 'deletes a webhook for the access that created it, which may create it again',
    given: async (s) => {
      const { id, token } = await createWebhook(s)
      await succeeding(s, token, 'webhooks.delete', { id })
      await succeeding(s, token, 'webhooks.create', { url })
      return { id }
    },
    gives: [404, 'unknown-resource'],
  },
  { it: 'refuses another access', given: async (s) => ({ id: (await createWebhook(s)).id }), as: everything, gives: [403, 'forbidden'] },
])
