/** An account with items of every kind, and the answers of its methods for comparison. */
import { eventPart, filePart, sendParts } from '../../support/http/multipart.js'
import type { Stage } from '../../support/http/methodTable.js'
import { callThrough } from '../../support/http/methodTable.js'
import { callAll } from '../../support/people/fillAccount.js'

type Json = Record<string, unknown>

const at = (n: number): number => 1_700_000_000 + n

/** Fills an account; `next` returns random numbers from 0 to 1. Returns the token of an app with access to all streams. */
export async function fillAll(s: Stage, next: () => number): Promise<{ app: string }> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  await callAll(s, [
    ['streams.create', { id: 'body', name: 'Body — ünï', clientData: { app: { colour: 'red', n: 1 } } }],
    ['streams.create', { id: 'heart', name: 'Heart', parentId: 'body' }],
    ['streams.create', { id: 'aaa-below', name: 'Below', parentId: 'heart' }],
    ['streams.create', { id: 'diary', name: 'Diary', childrenHidden: true }],
    ['streams.create', { id: 'old', name: 'Old' }],
    ['streams.create', { id: 'gone', name: 'Gone' }],
  ])
  const streams = ['body', 'heart', 'aaa-below', 'diary', 'old']
  const events: [string, Json][] = Array.from({ length: 40 }, (_, n) => [
    'events.create',
    {
      streamIds: next() < 0.3 ? [...new Set([pick(streams), pick(streams)])] : [pick(streams)],
      type: pick(['note/txt', 'mass/kg', 'activity/plain', 'test/any']),
      time: at(Math.floor(next() * 100_000)) + (next() < 0.5 ? 0.5 : 0),
      ...(next() < 0.3 ? { duration: pick([null, 0, 60, 3600.25]) } : {}),
      ...(next() < 0.3 ? { tags: ['b', 'a'] } : {}),
      ...(next() < 0.3 ? { description: 'say "what"\n' } : {}),
      ...(next() < 0.3 ? { clientData: { n, deep: { a: [1, null, 'x'] } } } : {}),
    },
  ])
  for (const [, params] of events) {
    const { type } = params
    if (type === 'note/txt') params['content'] = `text ${next()}`
    else if (type === 'mass/kg') params['content'] = next() * 100
    else if (type === 'test/any') params['content'] = { some: [1, 'two', { three: null }], '': 0 }
  }
  const made = (await callAll(s, events)).map((result) => String((result['event'] as Json)['id']))
  await callAll(s, [
    ...made.slice(0, 8).map((id, n): [string, Json] => ['events.update', { id, update: { description: `first ${n}` } }]),
    ...made.slice(0, 3).map((id): [string, Json] => ['events.update', { id, update: { clientData: { again: true } } }]),
    ...made.slice(8, 12).map((id): [string, Json] => ['events.delete', { id }]),
    ...made.slice(10, 12).map((id): [string, Json] => ['events.delete', { id }]),
    ['streams.delete', { id: 'old' }],
    ['streams.delete', { id: 'gone' }],
    ['streams.delete', { id: 'gone', mergeEventsWithParent: false }],
    ['account.update', { update: { language: 'fr' } }],
    ['profile.update', { id: 'public', update: { name: 'Ana', list: [1] } }],
    ['profile.update', { id: 'private', update: { secret: 'x' } }],
    ['profile.update', { id: 'private', update: { secret: 'y', more: { a: 1 } } }],
    ['followedSlices.create', { name: 'Ben', url: 'https://ben.example.org/', accessToken: 'ben-token' }],
  ])
  const [holder] = await callAll(s, [['events.create', { streamIds: ['heart'], type: 'series:mass/kg', time: at(5) }]])
  const series = String(((holder as Json)['event'] as Json)['id'])
  const points = Array.from({ length: 50 }, (_, n) => [n * 1.5, next() * 10])
  await s.arrange('series.add', { id: series, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  await s.arrange('events.update', { id: series, update: { duration: 100 } })
  for (const [n, bytes] of [Buffer.from('first file'), Buffer.from('second file'), Buffer.from('first file')].entries()) {
    const event = eventPart({ streamIds: ['diary'], type: 'picture/attached', time: at(n) })
    const { status, body } = await sendParts(s, '/events', [event, filePart(`a "${n}".png`, bytes, 'image/png')])
    if (status !== 201) throw new Error(JSON.stringify(body))
  }
  const { access } = (await s.arrange('accesses.create', { type: 'app', name: 'reader', permissions: [{ streamId: '*', level: 'manage' }], clientData: { kept: 1 } })) as { access: Json }
  const app = String(access['token'])
  const updated = (await s.arrange('accesses.update', { id: access['id'], update: { clientData: { kept: 2 } } })) as { access: Json }
  const call = async (id: string, params: Json): Promise<Json> => {
    const { status, body } = await callThrough('http', s, app, id, params)
    if (status >= 300) throw new Error(`${id}: ${JSON.stringify(body)}`)
    return body
  }
  await call('webhooks.create', { url: 'http://127.0.0.1:9/hook', state: 'inactive', scopes: { all: { kind: 'events', query: { streams: ['body'] } } } })
  await call('profile.update', { id: 'app', update: { theme: 'dark' } })
  await call('accesses.create', { name: 'shared one', permissions: [{ streamId: 'heart', level: 'read' }] })
  const { access: lost } = (await s.arrange('accesses.create', { type: 'shared', name: 'lost', permissions: [{ streamId: 'diary', level: 'read' }] })) as { access: Json }
  await s.arrange('accesses.delete', { id: lost['id'] })
  return { app: String(updated.access['token'] ?? app) }
}

/** Returns the answers of the methods of an account, without values that must differ. */
export async function answersOf(s: Stage, app: string): Promise<Record<string, unknown>> {
  const all = { fromTime: -1e12, toTime: 1e12, state: 'all', limit: 10_000, sortAscending: true }
  const events = (await s.arrange('events.get', all)) as { events: Json[] }
  const ofOwner = events.events.filter(({ id }) => !String(id).startsWith(':'))
  const histories: Json[] = []
  for (const { id } of ofOwner) histories.push(await s.arrange('events.getOne', { id, includeHistory: true }))
  const series: Json[] = []
  for (const { id, type } of ofOwner) if (String(type).startsWith('series:')) series.push(await s.arrange('series.get', { id }))
  const files: string[] = []
  for (const { id, attachments } of ofOwner) {
    for (const file of (attachments ?? []) as Json[]) {
      const path = `events/${String(id)}/${String(file['id'])}?readToken=${String(file['readToken'])}`
      files.push(await (await fetch(`${s.node.url}${s.username}/${path}`)).text())
    }
  }
  const { account } = (await s.arrange('account.get', {})) as { account: Json }
  const byApp = (id: string, params: Json): Promise<unknown> => callThrough('http', s, app, id, params).then(({ body }) => body)
  return plain({
    account: { ...account, username: '', email: '', emails: '', storageUsed: (account['storageUsed'] as Json)['attachedFiles'] },
    fields: events.events.filter(({ id }) => String(id).startsWith(':')).map(({ id, content }) => (String(id) === ':system:email' || String(id) === ':_system:dbDocuments' ? [id] : [id, content])).sort(),
    histories,
    series,
    files,
    deletions: await s.arrange('events.get', { ...all, modifiedSince: -1, includeDeletions: true }).then(({ eventDeletions }) => eventDeletions),
    streams: await s.arrange('streams.get', { state: 'all', includeDeletionsSince: -1 }),
    accesses: await s.arrange('accesses.get', { includeExpired: true, includeDeletions: true }),
    public: await s.arrange('profile.get', { id: 'public' }),
    private: await s.arrange('profile.get', { id: 'private' }),
    app: await byApp('profile.get', { id: 'app' }),
    webhooks: await byApp('webhooks.get', {}),
    slices: await s.arrange('followedSlices.get', {}),
  }) as Record<string, unknown>
}

/** Removes values that differ for each answer or node. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !['meta', 'readToken', 'apiEndpoint', 'lastUsed', 'calls'].includes(key))
  return Object.fromEntries(entries.map(([key, member]) => [key, plain(member)]))
}
