/** Any scope of clients is accepted, or refused with a failure of the catalogue, and accepted ones can be matched. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Changes } from '../../src/server/notifications/notifier.js'
import { getSubscriptions } from '../../src/server/websocket/getSubscriptions.js'
import { subscribe } from '../../src/server/websocket/subscribe.js'
import { unsubscribe } from '../../src/server/websocket/unsubscribe.js'
import type { Connection } from '../../src/server/websocket/connection.js'
import { Failure } from '../../src/store/model/failure.js'
import { compileScope } from '../../src/store/model/permission.js'
import { createSystemStreams } from '../../src/store/model/systemStreams.js'
import { createTree } from '../../src/store/model/tree.js'

const RUNS = process.env['LONG'] === '1' ? 20_000 : 500
const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
const stream = { id: 'A', name: 'A', parentId: null, ...tracking }
const REFUSALS = ['invalid-request-structure', 'invalid-parameters-format', 'unknown-referenced-resource', 'forbidden']

function connection(isPersonal: boolean): Connection {
  const access = isPersonal
    ? { id: 'x', type: 'personal' as const, name: 'n', ...tracking }
    : { id: 'x', type: 'app' as const, name: 'n', permissions: [{ streamId: 'A', level: 'read' as const }], ...tracking }
  return {
    node: { systemStreams: createSystemStreams([]) },
    account: { tree: createTree([stream]) },
    caller: { access, scope: compileScope(access) },
  } as unknown as Connection
}

const event = { id: 'e', streamIds: ['A'], type: 'mass/kg', content: { a: [1] }, time: 1, tags: ['t'], ...tracking }
const entry = { account: 'u', sequence: 1, action: 'update' as const, id: 'i' }
const changes: Changes = [
  { ...entry, kind: 'event', about: { event: { before: event, after: { ...event, content: 'x' } } } },
  { ...entry, kind: 'stream', about: { stream: { before: stream, after: { ...stream, parentId: 'gone' } } } },
  { ...entry, kind: 'access', about: { access: { after: { id: 'c', type: 'app', name: 'n', ...tracking } } } },
  { ...entry, kind: 'user' },
]

const text = fc.oneof(
  fc.constantFrom('A', 'A!', '*', '*!', '#*', ':', '::', ':_system:account', ':_audit:', '__proto__', 'constructor', '', '\0', 'mass/*', '["A"]', '{"any":["A"]}', '{', '[', 'null', 'personal', '$', 'c:1'),
  fc.string(),
)
const names = ['streams', 'types', 'content', 'clientData', 'accessIds', 'any', 'all', 'not', 'path', 'eq', 'in', 'gt', 'kind', 'query', 'key', 'keys', 'scopes', '__proto__']
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    text,
    fc.constantFrom(null, true, false, 0, -1, 1e308),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), text), tie('value'), { maxKeys: 3 }),
  ),
}))
const query = fc.oneof(
  fc.record({ streams: value, types: value, content: value, clientData: value, accessIds: value }, { requiredKeys: [] }),
  value,
)
const scope = fc.oneof(
  fc.record({ kind: fc.constantFrom('events', 'streams', 'accesses', 'toString'), query }, { requiredKeys: [] }),
  value,
)
const content = fc.oneof(
  fc.record({ scopes: fc.dictionary(text, scope, { maxKeys: 3 }) }),
  fc.record({ key: text, kind: fc.constantFrom('events', 'streams', 'accesses'), query }, { requiredKeys: ['key'] }),
  value,
)

it('scope messages are accepted or refused, and never break later ones', () => {
  const message = fc.tuple(fc.constantFrom(subscribe, subscribe, unsubscribe, getSubscriptions), content)
  const run = fc.property(fc.boolean(), fc.array(message, { minLength: 1, maxLength: 4 }), (isPersonal, messages) => {
    const to = connection(isPersonal)
    for (const [send, asked] of messages) {
      try {
        send(to, asked)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        expect(REFUSALS).toContain((error as Failure).id)
      }
    }
    const keys = Object.keys((getSubscriptions(to, null) as { scopes: object }).scopes)
    for (const key of to.scopes?.match(changes, changes) ?? []) expect(keys).toContain(key)
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('kind')
  })
  fc.assert(run, { numRuns: RUNS })
}, 600_000)
