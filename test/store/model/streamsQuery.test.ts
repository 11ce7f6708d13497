import { describe, expect, it } from 'vitest'
import type { Access, AccessType, Level, Permission } from '../../../src/store/model/access.js'
import { Failure } from '../../../src/store/model/failure.js'
import { compileScope } from '../../../src/store/model/permission.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { matches, MAX_NAMED_STREAMS, parseStreamsQuery, resolveStreamsQuery } from '../../../src/store/model/streamsQuery.js'
import { createTree } from '../../../src/store/model/tree.js'

function stream(id: string, parentId: string | null = null, trashed = false): Stream {
  const plain = { id, name: id, parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
  return trashed ? { ...plain, trashed: true } : plain
}

function access(permissions: Permission[], type: AccessType = 'app'): Access {
  return { id: 'acc', type, name: 'n', permissions, created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
}

const streamsOfA = [stream('A'), stream('B', 'A'), stream('C', 'A')]
const checkedStreams = [...streamsOfA, stream('D'), stream('E', 'D'), stream('F', 'D')]
const reserved = [
  stream(':_shared-secrets:'),
  stream(':_shared-secrets:acc', ':_shared-secrets:'),
  stream(':_emails:'),
  stream(':_cmc:'),
  stream(':_cmc:inbox', ':_cmc:'),
  stream(':_cmc:_internal', ':_cmc:'),
  stream(':_cmc:_internal:offer:K', ':_cmc:_internal'),
]
const checked = createTree([...checkedStreams, stream('T', null, true)])
const usage = [':_system:storageUsed', ':_system:dbDocuments', ':_system:attachedFiles']
const account = [':_system:account', ':_system:language', ...usage, ':system:email']
const systemStreams = {
  all: account,
  isReadable: (id: string) => account.includes(id),
  known: (id: string) => account.includes(id) || id === ':_system:appId',
}

const personal = compileScope(access([], 'personal'))
const starRead = compileScope(access([{ streamId: '*', level: 'read' }]))
const limited = (...permissions: Permission[]) => compileScope(access(permissions))
const on = (streamId: string, level: Level): Permission => ({ streamId, level })

interface QueryContext {
  scope?: ReturnType<typeof compileScope>
  tree?: ReturnType<typeof createTree>
  state?: 'default' | 'trashed' | 'all'
}

function resolve(raw: unknown, { scope = starRead, tree = checked, state = 'default' }: QueryContext = {}) {
  return resolveStreamsQuery(parseStreamsQuery(raw, 'json'), { scope, tree, state, systemStreams })
}

/** Names of events; 'ad' is in A and D. */
const events = ['ad', 'be', 'fc', 'a', 'b', 'c', 'd', 'e', 'f', 't']

function found(raw: unknown, setting?: QueryContext): string[] {
  const resolved = resolve(raw, setting)
  return events.filter((name) => matches(resolved, [...name.toUpperCase()]))
}

/** Returns those of the ids, each the only stream of an event, that the query matches. */
function covered(ids: string[], raw: unknown, setting?: QueryContext): string[] {
  const resolved = resolve(raw, setting)
  return ids.filter((id) => matches(resolved, [id]))
}

function failureOf(act: () => unknown): Failure {
  try {
    act()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('was accepted')
}

const outsideT = ['ad', 'be', 'fc', 'a', 'b', 'c', 'd', 'e', 'f']

const queries: [string, unknown, string[]][] = [
  ['one id', 'A', ['ad', 'be', 'fc', 'a', 'b', 'c']],
  ['ids', ['A'], ['ad', 'be', 'fc', 'a', 'b', 'c']],
  ['several ids', ['A', 'D'], outsideT],
  ['nothing', undefined, outsideT],
  ['*', '*', outsideT],
  ['no ids', [], []],
  ['all but D', { any: ['*'], not: ['D'] }, ['a', 'b', 'c']],
  ['all but B and E', { any: ['*'], not: ['B', 'E'] }, ['ad', 'fc', 'a', 'c', 'd', 'f']],
  ['A and E', { any: ['A'], all: ['E'] }, ['be']],
  ['A without B', { any: ['A'], not: ['B'] }, ['ad', 'fc', 'a', 'c']],
  ['A without D', { any: ['A'], not: ['D'] }, ['a', 'b', 'c']],
  ['A without D alone', { any: ['A'], not: ['D!'] }, ['be', 'fc', 'a', 'b', 'c']],
  ['B, or D without E', [{ any: ['B'] }, { any: ['D'], not: ['E'] }], ['ad', 'be', 'fc', 'b', 'd', 'f']],
  ['A alone', ['A!'], ['ad', 'a']],
  ['a trashed stream', ['T'], []],
  ['a trashed stream alone', ['T!'], []],
  ['an unknown stream in all', { any: ['A'], all: ['Z'] }, []],
  ['an unknown stream in not', { any: ['A'], not: ['Z'] }, ['ad', 'be', 'fc', 'a', 'b', 'c']],
  ['several members of all', { any: ['A', 'D'], all: ['A', 'E'] }, ['be']],
  ['a stream both in any and not', { any: ['A', 'B'], not: ['B'] }, ['ad', 'be', 'fc', 'a', 'b', 'c']],
  ['a stream alone both in any and not', { any: ['B'], not: ['B!'] }, ['be', 'b']],
  ['a child of a stream in not', { any: ['B'], not: ['A'] }, ['be', 'b']],
  ['a member of all cut by not', { any: ['A', 'D'], all: ['D'], not: ['E'] }, ['ad', 'fc', 'd', 'f']],
  ['undefined lists', { any: ['B'], all: undefined, not: undefined }, ['be', 'b']],
]

describe('the checked queries', () => {
  it.each(queries)('%s, with read on *', (_, raw, names) => {
    expect(found(raw)).toEqual(names)
    if (raw !== undefined) expect(found(JSON.stringify(raw))).toEqual(names)
  })

  it.each(queries)('%s, with a personal token', (_, raw, names) => {
    expect(found(raw, { scope: personal })).toEqual(names)
  })

  it('search the trash on request', () => {
    for (const state of ['trashed', 'all'] as const) {
      expect(found(['T'], { state })).toEqual(['t'])
      expect(found('*', { state })).toEqual(events)
      expect(found('*', { state, scope: personal })).toEqual(events)
    }
  })
})

describe('parseStreamsQuery', () => {
  it('reads every form', () => {
    const one = [{ any: ['A'], all: [], not: [] }]
    const texts = ['A', '["A"]', '"A"', '{"any":["A"]}', ' [{"any":["A"]}]']
    for (const raw of [...texts, ['A'], { any: ['A'] }, [{ any: ['A'] }]]) {
      expect(parseStreamsQuery(raw, 'json')).toEqual(one)
      if (typeof raw === 'string') expect(parseStreamsQuery(raw, 'query')).toEqual(one)
    }
    expect(parseStreamsQuery(['A', 'B'], 'query')).toEqual([{ any: ['A', 'B'], all: [], not: [] }])
  })

  it('reads text that is neither list nor object as an id', () => {
    for (const raw of ['123', 'true', 'a b', 'é', 'A{']) {
      expect(parseStreamsQuery(raw, 'query')).toEqual([{ any: [raw], all: [], not: [] }])
    }
  })

  it('regroups ids by store', () => {
    const anyOf = (ids: string[]) => parseStreamsQuery(ids, 'json').map(({ any }) => any)
    expect(anyOf(['A', ':_audit:', 'B', ':system:email', ':_system:language'])).toEqual([
      ['A', 'B'],
      [':_audit:'],
      [':system:email', ':_system:language'],
    ])
    expect(anyOf(['*', ':_audit:'])).toEqual([['*'], [':_audit:']])
  })

  it('excludes account streams from *', () => {
    expect(parseStreamsQuery({ any: ['*'], not: [':_system:language', 'A'] }, 'json')).toHaveLength(1)
  })

  const unstructured = 'should be an array of streamIds or JSON logical query'
  it.each<[unknown, string]>([
    [{ all: ['A', 'Z'] }, "must contain at least one of 'any'"],
    [{ any: [] }, "must contain at least one of 'any'"],
    [{}, "must contain at least one of 'any'"],
    [{ any: ['A', 'Z', true] }, 'must be streamIds'],
    [{ any: ['A', null] }, 'must be streamIds'],
    [{ any: ['*'], not: ['A', ['B']] }, 'must be streamIds'],
    [{ any: true }, 'must be an array'],
    [{ any: '*', not: 'B' }, 'must be an array'],
    [{ any: ['A'], all: null }, 'must be an array'],
    [{ any: ['A'], not: {} }, 'must be an array'],
    [{ any: ['A'], zz: ['A'] }, 'unknown property'],
    [JSON.parse('{"any":["A"],"__proto__":["A"]}'), 'unknown property'],
    [['A', { any: ['B'] }], 'streams queries and streamIds cannot be mixed'],
    [['A', null], 'streams queries and streamIds cannot be mixed'],
    [[null, { any: ['A'] }], unstructured],
    [[['A']], unstructured],
    [null, unstructured],
    ['null', unstructured],
    [5, unstructured],
    ['{"any":', unstructured],
    ['[A]', unstructured],
    ['"A', unstructured],
    [{ any: ['*', 'B'] }, "'*'"],
    [['*', 'B'], "'*'"],
    [{ any: ['*'], all: ['D'] }, "'*'"],
    [{ any: ['A'], all: ['*'] }, "'*'"],
    [{ any: ['A'], not: ['*'] }, "'*'"],
    ['#*', "'*'"],
    [{ any: ['A'], not: ['#*'] }, "'*'"],
    ['*!', "'*'"],
    [{ any: ['A', ':_audit:'] }, 'one store'],
    [{ any: ['A'], all: [':system:email'] }, 'one store'],
    [{ any: ['*'], not: [':_audit:action-x'] }, 'one store'],
    [{ any: [':dummy:a'], not: [':other:a'] }, 'one store'],
    [['a"b'], 'forbidden character'],
    [["a'b"], 'forbidden character'],
    ['a\\b', 'forbidden character'],
    [{ any: ['A'], not: ['a\nb'] }, 'forbidden character'],
  ])('refuses %j', (raw, text) => {
    for (const transport of ['json', 'query'] as const) {
      if (transport === 'query' && typeof raw === 'object') continue
      const failure = failureOf(() => parseStreamsQuery(raw, transport))
      expect(failure.id).toBe('invalid-request-structure')
      expect(failure.message).toContain("Error in 'streams' parameter")
      expect(failure.message).toContain(text)
    }
  })

  it('reads a list of queries out of brackets in a query string', () => {
    expect(parseStreamsQuery([{ any: ['A'] }, { any: ['B'], not: ['C'] }], 'query')).toEqual([
      { any: ['A'], all: [], not: [] },
      { any: ['B'], all: [], not: ['C'] },
    ])
    expect(failureOf(() => parseStreamsQuery(['A', { any: ['B'] }], 'query')).id).toBe('invalid-request-structure')
  })

  const bracketed = [{ any: ['A'] }, [['A']], null]
  it.each(bracketed)('refuses %j out of brackets in a query string', (raw) => {
    const failure = failureOf(() => parseStreamsQuery(raw, 'query'))
    expect(failure.id).toBe('invalid-request-structure')
    expect(failure.message).toContain(unstructured)
  })

  it('refuses very deep nesting', () => {
    let deep: unknown = []
    for (let i = 0; i < 50_000; i++) deep = [deep]
    expect(failureOf(() => parseStreamsQuery(deep, 'json')).id).toBe('invalid-request-structure')
  })
})

describe('unknown and unreadable streams', () => {
  it('lists the unknown ones', () => {
    for (const scope of [personal, starRead]) {
      const failure = failureOf(() => resolve([{ any: ['A', 'Z', 'B'] }, { any: ['Y!', 'Z'] }], { scope }))
      expect([failure.id, failure.data]).toEqual(['unknown-referenced-resource', { streams: ['Z', 'Y'] }])
    }
    expect(failureOf(() => resolve([':dummy:a'], { scope: personal })).id).toBe('unknown-referenced-resource')
    expect(failureOf(() => resolve([':_audit:nonsense'], { scope: personal })).id).toBe('unknown-referenced-resource')
    expect(failureOf(() => resolve([':_system:nonsense'], { scope: personal })).id).toBe('unknown-referenced-resource')
  })

  it.each<[string, Permission[], string[]]>([
    ['without permission', [on('A', 'read')], ['D']],
    ['at none', [on('*', 'read'), on('B', 'none')], ['B']],
    ['below none', [on('*', 'read'), on('A', 'none')], ['B']],
    ['at create-only', [on('B', 'create-only')], ['B']],
    ['of which one is without permission', [on('A', 'read')], ['A', 'D']],
    ['of the account', [on('*', 'manage')], [':_system:language']],
    ['of the account, unknown', [on('*', 'manage')], [':_system:nonsense']],
    ['of the account, hidden', [on(':_system:account', 'read')], [':_system:appId']],
    ['of the audit', [on('*', 'manage')], [':_audit:actions']],
    ['of the audit of another', [on('*', 'manage')], [':_audit:access-other']],
    ['of the audit without an own one', [{ feature: 'selfAudit', setting: 'forbidden' }], [':_audit:']],
  ])('refuses streams %s', (_, permissions, ids) => {
    expect(failureOf(() => resolve(ids, { scope: limited(...permissions) })).id).toBe('forbidden')
  })

  it('distinguishes hidden account streams from unknown ones only for readers of the account', () => {
    expect(failureOf(() => resolve([':_system:appId'], { scope: personal })).id).toBe('forbidden')
  })
})

describe('permissions', () => {
  it.each<[string, Permission[], unknown, string[]]>([
    ['narrow *', [on('B', 'read')], '*', ['be', 'b']],
    ['narrow nothing', [on('B', 'read'), on('D', 'manage')], undefined, ['ad', 'be', 'fc', 'b', 'd', 'e', 'f']],
    ['match nothing without any', [], undefined, []],
    ['exclude none from all streams', [on('*', 'read'), on('B', 'none')], '*', ['ad', 'fc', 'a', 'c', 'd', 'e', 'f']],
    ['exclude none from a named stream', [on('*', 'read'), on('B', 'none')], ['E'], ['e']],
    ['exclude streams below none', [on('*', 'read'), on('A', 'none')], '*', ['d', 'e', 'f']],
    ['exclude create-only', [on('A', 'contribute'), on('B', 'create-only')], ['A'], ['ad', 'fc', 'a', 'c']],
    ['do not read where they create', [on('A', 'read'), on('D', 'create-only')], '*', ['a', 'b', 'c']],
    ['give nothing to create-only', [on('*', 'create-only')], '*', []],
    ['raise a child of none', [on('A', 'none'), on('B', 'read')], '*', ['be', 'b']],
    ['raise a child of none on *', [on('*', 'none'), on('B', 'read')], '*', ['b']],
    ['let streams without grant pass', [on('A', 'read')], '*', ['ad', 'be', 'fc', 'a', 'b', 'c']],
    ['stay under not', [on('A', 'read'), on('B', 'read')], { any: ['*'], not: ['A'] }, []],
    ['let all name unreadable streams', [on('A', 'read')], { any: ['A'], all: ['D'] }, ['ad', 'be', 'fc']],
  ])('%s', (_, permissions, raw, names) => {
    expect(found(raw, { scope: limited(...permissions) })).toEqual(names)
  })

  it('include a raised stream below none when its ancestor is queried', () => {
    const tree = createTree([stream('A'), stream('B', 'A'), stream('C', 'B'), stream('D', 'C')])
    const scope = limited(on('A', 'read'), on('B', 'none'), on('C', 'read'))
    for (const raw of ['*', 'A']) expect(covered(['A', 'B', 'C', 'D'], raw, { scope, tree })).toEqual(['A', 'C', 'D'])
  })

  it('hide events through trashed streams too', () => {
    const tree = createTree([stream('A'), stream('B', 'A', true)])
    const scope = limited(on('*', 'read'), on('B', 'none'))
    expect(matches(resolve('*', { scope, tree }), ['A', 'B'])).toBe(false)
    expect(matches(resolve('A', { scope, tree }), ['A', 'B'])).toBe(false)
  })

  it('add forced streams to every query', () => {
    const forced = { feature: 'forcedStreams', setting: 'allowed', streams: ['D'] } as Permission
    const scope = limited(on('*', 'read'), forced)
    expect(found('*', { scope })).toEqual(['ad', 'be', 'fc', 'd', 'e', 'f'])
    expect(found(['A'], { scope })).toEqual(['ad', 'be', 'fc'])
  })
})

describe('audit lists at none', () => {
  it('do not hide a stream that is named', () => {
    const scope = limited(on(':_audit:accesses', 'none'))
    const record = [':_audit:access-acc', ':_audit:action-events.get']
    expect(matches(resolve([':_audit:access-acc'], { scope }), record)).toBe(true)
    const all = limited(on(':_audit:', 'read'), on(':_audit:accesses', 'none'))
    expect(matches(resolve([':_audit:'], { scope: all }), [':_audit:access-other', record[1] ?? ''])).toBe(false)
  })
})

describe('a query of everything', () => {
  const tree = createTree(checkedStreams)

  it('is marked as everything, without a list of streams', () => {
    expect(resolve('*', { scope: personal, tree })).toEqual([
      { any: 'everything', account: new Set(account), all: [], not: new Set() },
    ])
    expect(resolve(undefined, { scope: starRead, tree })).toEqual([
      { any: 'everything', account: new Set(), all: [], not: new Set() },
    ])
    expect(resolve({ any: ['*'], not: ['D!', ':_system:language'] }, { scope: personal, tree })[0]).toMatchObject({
      any: 'everything',
      account: new Set(account.filter((id) => id !== ':_system:language')),
    })
  })

  it('excludes trashed streams', () => {
    for (const scope of [personal, starRead]) {
      expect(resolve('*', { scope })[0]?.any).toEqual({ except: new Set(['T']) })
      expect(resolve('*', { scope, state: 'all' })[0]?.any).toBe('everything')
    }
    expect(matches(resolve('*'), ['A', 'T'])).toBe(true)
  })

  it('removes from not the streams that any names', () => {
    expect(resolve({ any: ['B'], not: ['A', 'D!'] }, { tree })).toEqual([
      { any: new Set(['B']), account: new Set(), all: [], not: new Set(['A', 'C', 'D']) },
    ])
  })

  it('covers streams that left the tree, and no other store', () => {
    const ids = ['gone', ':_audit:access-x', ':dummy:x', ':_cmc:apps:x', ':_system:language', ':_system:appId']
    expect(covered(ids, '*', { scope: personal, tree })).toEqual(['gone', ':_cmc:apps:x', ':_system:language'])
    expect(covered(ids, '*', { scope: starRead, tree })).toEqual(['gone', ':_cmc:apps:x'])
  })
})

describe('account streams', () => {
  it.each<[string, Permission[] | 'personal', unknown, string[]]>([
    ['are included in * for personal tokens', 'personal', '*', account],
    ['are not included in read on *', [on('*', 'read')], '*', []],
    ['are all included with the account', [on(':_system:account', 'read')], '*', account],
    ['are all included by the name of the account', [on(':_system:account', 'read')], [':_system:account'], account],
    ['exclude children with !', 'personal', [':_system:account!'], [':_system:account']],
    ['are included one by one', [on(':system:email', 'read')], '*', [':system:email']],
    ['are included by their name', [on('*', 'read'), on(':system:email', 'contribute')], [':system:email'], [':system:email']],
    ['of usage come together', [on(':_system:storageUsed', 'read')], undefined, usage],
    ['of usage come by name', 'personal', [':_system:storageUsed'], usage],
    [
      'at none stay away',
      [on(':_system:account', 'read'), on(':_system:storageUsed', 'none')],
      '*',
      [':_system:account', ':_system:language', ':system:email'],
    ],
    [
      'can be taken away',
      'personal',
      { any: ['*'], not: [':_system:storageUsed'] },
      [':_system:account', ':_system:language', ':system:email'],
    ],
    [
      'can be taken from the account',
      'personal',
      { any: [':_system:account'], not: [':_system:storageUsed'] },
      [':_system:account', ':_system:language', ':system:email'],
    ],
  ])('%s', (_, permissions, raw, ids) => {
    for (const tree of [checked, createTree(checkedStreams)]) {
      const scope = permissions === 'personal' ? personal : limited(...permissions)
      expect(covered([...account, ':_system:appId'], raw, { scope, tree })).toEqual(ids)
    }
  })
})

describe('the audit', () => {
  const record = [':_audit:access-acc', ':_audit:action-events.get']
  const other = [':_audit:access-other', ':_audit:action-events.get']
  const seen = (raw: unknown, scope = personal): boolean[] =>
    [record, other].map((ids) => matches(resolve(raw, { scope }), ids))

  it('is searched by its root, lists and streams', () => {
    for (const id of [':_audit:', ':_audit:accesses', ':_audit:actions', ':_audit:action-events.get']) {
      expect(seen([id])).toEqual([true, true])
    }
    expect(seen([':_audit:access-acc'])).toEqual([true, false])
    expect(seen({ any: [':_audit:'], not: [':_audit:access-acc'] })).toEqual([false, true])
    expect(seen([':_audit:action-streams.get'])).toEqual([false, false])
    expect(seen('*')).toEqual([false, false])
  })

  it('is restricted to the own stream for other tokens', () => {
    expect(seen([':_audit:'], starRead)).toEqual([true, false])
    expect(seen([':_audit:access-acc'], starRead)).toEqual([true, false])
    expect(seen('*', starRead)).toEqual([false, false])
    const combined = { any: [':_audit:access-acc'], all: [':_audit:action-events.get'] }
    expect(seen(combined, starRead)).toEqual([true, false])
  })
})

describe('reserved areas', () => {
  const ids = ['A', ...reserved.map(({ id }) => id)]
  const open = ['A', ':_cmc:', ':_cmc:inbox']
  const plain = createTree([...checkedStreams, ...reserved])
  const withTrash = createTree([...checkedStreams, ...reserved, stream('T', null, true)])

  it.each([plain, withTrash])('are not covered by *', (tree) => {
    for (const scope of [personal, starRead]) expect(covered(ids, '*', { scope, tree })).toEqual(open)
    expect(matches(resolve('*', { scope: personal, tree }), ['A', ':_emails:'])).toBe(false)
  })

  it.each([plain, withTrash])('of secrets and e-mails are matched by name', (tree) => {
    const [root, own, other] = [':_shared-secrets:', ':_shared-secrets:acc', ':_shared-secrets:other']
    expect(covered([...ids, other], [root], { scope: personal, tree })).toEqual([root, own, other])
    // An access has its own secrets and no others, independent of its permissions.
    const scope = limited(on('*', 'read'), on(other, 'read'))
    for (const named of [root, own]) expect(covered([...ids, other], [named], { scope, tree })).toEqual([own])
    expect(covered(ids, '*', { scope, tree })).toEqual(open)
    expect(covered([...ids, other], [`${root}!`], { scope: personal, tree })).toEqual([])
    expect(covered([...ids, other], { any: [root], not: [own] }, { scope: personal, tree })).toEqual([root, other])
    expect(covered([...ids, other], { any: [root], not: [own] }, { scope, tree })).toEqual([])
    expect(failureOf(() => resolve([other], { scope, tree })).id).toBe('forbidden')
    expect(failureOf(() => resolve([':_emails:'], { scope, tree })).id).toBe('forbidden')
    // Their content is hidden from other tokens too.
    expect(matches(resolve(['A'], { scope, tree }), ['A', ':_emails:'])).toBe(false)
    expect(matches(resolve(['A'], { scope: personal, tree }), ['A', ':_emails:'])).toBe(true)
  })

  it.each([plain, withTrash])('of the server are dropped from queries', (tree) => {
    expect(covered(ids, [':_cmc:_internal:offer:K'], { scope: personal, tree })).toEqual([])
    expect(covered(ids, [':_cmc:_internal', 'A'], { scope: personal, tree })).toEqual(['A'])
    expect(covered(ids, [':_cmc:'], { scope: personal, tree })).toEqual([':_cmc:', ':_cmc:inbox'])
    expect(matches(resolve([':_cmc:inbox'], { scope: personal, tree }), [':_cmc:inbox', ':_cmc:_internal'])).toBe(false)
  })

  it.each([plain, withTrash])('of the server are open to links with an entry for the exact stream, and to no other access', (tree) => {
    const entry = on(':_cmc:_internal:offer:K', 'read')
    const clientData = { cmc: { kind: 'capability', capabilityId: 'K'.toLowerCase(), singleUse: true, capability: { mode: 'single-use', state: 'open', stateChangedAt: 1 } } }
    const link = compileScope({ ...access([entry]), clientData })
    expect(covered(ids, undefined, { scope: link, tree })).toEqual([':_cmc:_internal:offer:K'])
    expect(covered(ids, undefined, { scope: limited(entry), tree })).toEqual([])
    expect(covered(ids, undefined, { scope: limited(on('*', 'read'), entry), tree })).toEqual([...open])
  })
})

describe('the number of streams in a query', () => {
  const numbered = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `n${from + n}`)
  const refused = expect.objectContaining({ id: 'invalid-request-structure' }) as Error

  it.each<[string, unknown]>([
    ['as a list', numbered(MAX_NAMED_STREAMS)],
    ['more often', [...numbered(MAX_NAMED_STREAMS), ...numbered(MAX_NAMED_STREAMS)]],
    ['in many queries', numbered(MAX_NAMED_STREAMS).map((id) => ({ any: [id] }))],
    ['in 20,000 queries that are alike', Array.from({ length: 20_000 }, () => ({ any: ['A', 'A'], not: ['B'] }))],
  ])('may be 1,000, %s', (_, raw) => {
    expect(parseStreamsQuery(raw, 'json').length).toBeLessThanOrEqual(MAX_NAMED_STREAMS)
  })

  it.each<[string, unknown]>([
    ['as a list', numbered(MAX_NAMED_STREAMS + 1)],
    ['as JSON text', JSON.stringify(numbered(MAX_NAMED_STREAMS + 1))],
    ['in many queries', numbered(20_000).map((id) => ({ any: [id] }))],
    ['in all parts of a query', { any: ['A'], all: numbered(500), not: numbered(500, 500) }],
  ])('is limited to 1,000, %s', (_, raw) => {
    expect(() => parseStreamsQuery(raw, 'json')).toThrow(refused)
  })

  it('is limited after expansion as well', () => {
    const below = Array.from({ length: 20_000 }, (_, n) => stream(`n${n}`, 'A'))
    const tree = createTree([stream('A'), ...below])
    const queries = (count: number): unknown => Array.from({ length: count }, (_, n) => ({ any: ['A'], not: [`n${n}`] }))
    expect(resolve(queries(5), { tree })).toHaveLength(5)
    expect(() => resolve(queries(400), { tree })).toThrow(refused)
  })
})
