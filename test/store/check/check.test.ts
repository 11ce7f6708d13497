import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckResult } from '../../../src/store/check/index.js'
import { each, type Value } from '../../../src/store/engine/database.js'
import { erasedEntry } from '../../../src/store/engine/journal.js'
import { accountKeys as keys, nodeKeys, ordered, under } from '../../../src/store/engine/keys.js'
import type { Mark } from '../../../src/store/leveldb/highWater.js'
import { openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { readNodeKey } from '../../../src/store/keyring/nodeKey.js'
import { createSeal, type Seal } from '../../../src/store/keyring/seal.js'
import { checkOpened, markOf } from '../../support/store/check.js'
import { homes } from '../../support/nodes/home.js'
import { registerUser, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

const { home } = homes()
let opened: OpenedStore
let seal: Seal
let mark: Mark | undefined

const id = (n: number): string => `c${String(n).padStart(24, '0')}`
/** The only live event with everything: two streams, a duration, two edits. */
const RICH = id(1)
/** A deleted event with two stored earlier versions. */
const GONE = id(3)
const A = '1'
const C = '3'

beforeAll(async () => {
  const places = await home()
  const settings = { 'versioning.forceKeepHistory': true, 'versioning.deletionMode': 'keep-authors' }
  const node = await startTestNode(settings, { home: places.home })
  const token = await registerUser(node, 'alice')
  await registerUser(node, 'other')
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await request(`${node.url}alice/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
  for (const stream of ['a', 'b', 'doomed']) await call('POST', 'streams', { id: stream, name: stream })
  await call('POST', 'streams', { id: 'below', name: 'below', parentId: 'a' })
  await call('PUT', 'streams/b', { name: 'B', clientData: { colour: 'red' } })
  const event = { streamIds: ['a', 'b'], type: 'note/txt', content: 'x', time: 1000 }
  await call('POST', 'events', { ...event, id: RICH, duration: 60, tags: ['t'], clientData: { k: [1] } })
  await call('PUT', `events/${RICH}`, { content: 'y', time: -5.25 })
  await call('PUT', `events/${RICH}`, { duration: 7000, streamIds: ['below', 'a'] })
  await call('POST', 'events', { ...event, id: id(2) })
  await call('POST', 'events', { ...event, id: GONE })
  await call('PUT', `events/${GONE}`, { content: 'y' })
  await call('DELETE', `events/${GONE}`)
  await call('DELETE', `events/${GONE}`)
  await call('DELETE', 'streams/doomed')
  await call('DELETE', 'streams/doomed')
  await call('POST', 'streams', { id: 'again', name: 'again' })
  for (let step = 0; step < 2; step++) await call('DELETE', 'streams/again')
  await call('POST', 'streams', { id: 'again', name: 'again' })
  await call('POST', 'followed-slices', { name: 'Bob', url: 'https://bob', accessToken: 'secret' })
  await call('PUT', 'profile/public', { name: 'Alice' })
  await call('PUT', 'profile/private', { a: 1, b: 2 })
  await call('PUT', 'profile/private', { a: null, c: 3 })
  const loaded = await node.node.accounts.find('other')
  const { erase } = await import('../../../src/server/api/register/deleteUser.js')
  if (loaded !== undefined) await erase(node.node, loaded)
  await accessesOf(node, await registerUser(node, 'carol'))
  await node.stop()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  mark = await markOf(places.store)
  opened = await openStore({ folder: places.store, now: () => 0 })
})

afterAll(async () => {
  await opened.close()
})

/** In carol's account: an app with an alias and an earlier version, what it shares, and a deleted access. */
async function accessesOf(node: TestNode, token: string): Promise<void> {
  const call = async (by: string, method: string, path: string, body?: unknown): Promise<{ id: string; token: string }> => {
    const answer = await request(`${node.url}carol/accesses${path}`, { method, token: by, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body['access'] as { id: string; token: string }
  }
  const permissions = [{ streamId: '*', level: 'read' }]
  const app = await call(token, 'POST', '', { name: 'app', type: 'app', permissions, randomAlias: true })
  await call(token, 'PUT', `/${app.id}`, { name: 'renamed' })
  await call(app.token, 'POST', '', { name: 'shared', permissions })
  const gone = await call(token, 'POST', '', { name: 'gone', permissions, randomAlias: true })
  await call(token, 'DELETE', `/${gone.id}`)
}

const check = (): Promise<CheckResult> => checkOpened(opened, seal, mark)

/** Applies changes, checks, and reverts the changes. */
async function checkWith(changes: Record<string, Value | null>): Promise<CheckResult> {
  const write = async (values: Iterable<[string, Value | null]>): Promise<void> => {
    const batch = opened.db.batch()
    for (const [key, value] of values) {
      if (value === null) batch.delete(key)
      else batch.put(key, value)
    }
    await batch.write({ sync: false })
  }
  const former = Object.keys(changes).map((key): [string, Value | null] => [key, opened.db.getBytes(key) ?? null])
  await write(Object.entries(changes))
  try {
    return await check()
  } finally {
    await write(former)
  }
}

const text = (key: string): string => opened.db.get(key) ?? ''
const json = (key: string): Record<string, unknown> => JSON.parse(text(key)) as Record<string, unknown>

async function keysUnder(prefix: string): Promise<string[]> {
  const found = []
  for await (const key of each(opened.db.keys(under(prefix)))) found.push(key)
  return found
}

/** Returns the first key under a prefix. */
async function first(prefix: string): Promise<string> {
  const [key] = await keysUnder(prefix)
  if (key === undefined) throw new Error(`nothing under ${prefix}`)
  return key
}

describe('checkStore', () => {
  it('accepts version records of a live event, as an earlier format stored them', async () => {
    const record = text(await first(keys.events(A)))
    const { ok, problems } = await checkWith({ [keys.version(A, (JSON.parse(record) as { id: string }).id, 1)]: record })
    expect({ ok, problems }).toEqual({ ok: true, problems: [] })
  })

  it('reports no problem in a sound store, and checks every key family', async () => {
    const { ok, problems, checked } = await check()
    expect(problems).toEqual([])
    expect(ok).toBe(true)
    for (const kind of [
      'commits',
      'entries',
      'erased entries',
      'deleted accounts',
      'accounts',
      'events',
      'places',
      'stream entries',
      'period entries',
      'modification entries',
      'event deletions',
      'event integrity',
      'versions',
      'streams',
      'stream places',
      'stream deletions',
      'profiles',
      'followed slices',
      'slice claims',
      'users',
      'user names',
      'unique values',
      'accesses',
      'access names',
      'managed accesses',
      'access versions',
      'deleted accesses',
      'aliases',
      'access integrity',
      'tokens',
      'sessions',
      'usages',
      'changes',
      'books',
      'audit records',
      'audit names',
    ]) {
      expect(checked[kind], kind).toBeGreaterThan(0)
    }
  })

  it('counts all problems, beyond those that it lists', async () => {
    const all = await keysUnder('1/s/')
    const changes = Object.fromEntries(all.map((key) => [key, null]))
    const whole = await checkWith(changes)
    expect(whole.found).toBe(all.length)
    expect(all.length).toBeGreaterThan(2)
  })

  type Changes = Record<string, Value | null>
  type Damage = [name: string, changes: () => Changes | Promise<Changes>, what: RegExp]
  const latest = (): number => opened.committer.head.sequence
  const richTime = -5.25
  const record = (): string => keys.event(A, richTime, RICH)

  const damages: Damage[] = [
    ['a lost commit', () => ({ [nodeKeys.commit(4)]: null }), /^commit 5 follows commit 3$/],
    ['the last commit lost', () => ({ [nodeKeys.commit(latest())]: null }), /was acknowledged but is missing/],
    ['a changed commit', () => ({ [nodeKeys.commit(4)]: new Uint8Array(50) }), /^commit 5 does not contain the hash/],
    ['an invalid commit', () => ({ [nodeKeys.commit(4)]: new Uint8Array(41) }), /^commit 4 cannot be read/],
    ['an extra commit', () => ({ [nodeKeys.commit(latest() + 1)]: new Uint8Array(40) }), /is not the last commit/],
    [
      'a lost journal entry',
      () => ({ [keys.journal(A, 5)]: null }),
      /^account 1 lacks 1 journal entries, the first being 5/,
    ],
    [
      'a changed journal entry',
      () => ({ [keys.journal(A, 1)]: 'u+else \n' }),
      /entry 1 differs from the committed entry/,
    ],
    ['an entry in no commit', () => ({ [keys.journal(A, 999)]: 'e-x \n' }), /entry 999 is in no commit/],
    [
      'an erasure without deletion',
      () => ({ [nodeKeys.erasing(A)]: '' }),
      /is being erased, but its journal has no deletion/,
    ],
    [
      'the changes of a live event erased',
      () => ({ [keys.journal(A, placeOf(RICH))]: erasedEntry() }),
      /which is not one of its changes/,
    ],
    ['a place with an older change', () => ({ [keys.eventPlace(A, RICH)]: olderPlace() }), /items refer to/],
    [
      'a record that differs from its changes',
      () => ({ [record()]: text(record()).replace('"y"', '"z"') }),
      /differs from its changes/,
    ],
    [
      'a record that does not match its integrity',
      () => ({ [record()]: text(record()).replace('"y"', '"z"') }),
      /does not match its integrity/,
    ],
    ['a lost record', () => ({ [record()]: null }), /lacks the record at its place/],
    ['a broken record', () => ({ [record()]: '{"id":' }), /has a record that cannot be read/],
    ['a record of another form', () => ({ [record()]: `${text(record())} ` }), /not in canonical form/],
    ['a record under another time', () => ({ [keys.event(A, 7, RICH)]: text(record()) }), /belongs to event/],
    ['a lost place', () => ({ [keys.eventPlace(A, RICH)]: null }), /lacks its place/],
    ['a place with another time', () => ({ [keys.eventPlace(A, RICH)]: `${ordered(9)}5` }), /has a place with another time/],
    [
      'a place without record',
      () => ({ [keys.eventPlace(A, id(9))]: `${ordered(9)}5` }),
      /lacks the record at its place/,
    ],
    [
      'a lost stream entry',
      () => ({ [keys.streamEvent(A, 'below', richTime, RICH)]: null }),
      /lacks its entry in stream below/,
    ],
    [
      'a wrong stream entry',
      () => ({ [keys.streamEvent(A, 'a', richTime, RICH)]: 'mass/kg' }),
      /has a wrong entry in stream a/,
    ],
    [
      'a stale stream entry',
      () => ({ [keys.streamEvent(A, 'b', richTime, RICH)]: 'note/txt' }),
      /has a stale entry in stream b/,
    ],
    [
      'a stale entry at a former time',
      () => ({ [keys.streamEvent(A, 'a', 1000, RICH)]: 'note/txt' }),
      /has a stale entry in stream a/,
    ],
    ['a lost period', async () => ({ [await first(keys.periods(A))]: null }), /lacks its entry by duration/],
    ['a stale period', () => ({ [keys.period(A, '106', richTime, RICH)]: '' }), /has a stale entry by duration/],
    ['a lost modification', async () => ({ [await modifiedKey()]: null }), /lacks its entry by modification/],
    [
      'a stale modification',
      () => ({ [keys.modified(A, 5, RICH)]: ordered(richTime) }),
      /has a stale entry by modification/,
    ],
    ['a lost deletion', () => ({ [deletedKey()]: null }), /lacks its entry among the deletions/],
    ['a stale deletion', () => ({ [keys.eventDeletion(A, 5, GONE)]: '{}' }), /has a stale entry among the deletions/],
    ['a changed deletion', () => ({ [keys.eventPlace(A, GONE)]: deletion() }), /does not match its integrity/],
    ['a lost version', () => ({ [keys.version(A, GONE, 1)]: null }), /version 2 has no previous version 1/],
    ['a version without event', () => ({ [keys.version(A, id(9), 1)]: `{"id":"${id(9)}"}` }), /belongs to an unknown event/],
    [
      'a changed version',
      () => ({ [keys.version(A, GONE, 1)]: text(keys.version(A, GONE, 1)).replace('"modified":', '"modified":1') }),
      /version 1 does not match/,
    ],
    ['a lost stream', () => ({ [keys.stream(A, 'below')]: null }), /stream below has a stale place/],
    [
      'a lost stream that events are in',
      () => ({ [keys.stream(A, 'below')]: null }),
      /is in streams that do not exist: below/,
    ],
    ['a lost parent', () => ({ [keys.stream(A, 'a')]: null }), /stream below is below stream a, which does not exist/],
    [
      'a cycle',
      () => ({ [keys.stream(A, 'a')]: text(keys.stream(A, 'a')).replace('null', '"below"') }),
      /is on a cycle of parents/,
    ],
    [
      'a changed stream',
      () => ({ [keys.stream(A, 'b')]: text(keys.stream(A, 'b')).replace('"B"', '"C"') }),
      /stream b differs from/,
    ],
    ['a broken stream', () => ({ [keys.stream(A, 'b')]: '{' }), /stream b has a record that cannot be read/],
    ['a lost stream place', () => ({ [keys.streamPlace(A, 'b')]: null }), /stream b lacks its place/],
    [
      'a broken stream deletion',
      async () => ({ [await first(keys.streamDeletions(A))]: '{}' }),
      /stream doomed has a deletion/,
    ],
    [
      'a listed deletion of a recreated stream',
      () => {
        const { deleted } = JSON.parse(text(keys.tombstone(A, 'again'))) as { deleted: number }
        return { [keys.streamDeletion(A, deleted, 'again')]: JSON.stringify({ id: 'again', deleted }) }
      },
      /stream again is listed among the deletions/,
    ],
    ['a lost profile', () => ({ [keys.profile(A, 'public')]: null }), /profile public was set but is missing/],
    [
      'a changed profile',
      () => ({ [keys.profile(A, 'public')]: text(keys.profile(A, 'public')).replace('Alice', 'Malice') }),
      /profile public does not match its journal entries/,
    ],
    [
      'a profile that was never set',
      () => ({ [keys.profile(A, 'app:x')]: text(keys.profile(A, 'public')) }),
      /profile app:x does not match its journal entries/,
    ],
    ['a broken profile', () => ({ [keys.profile(A, 'public')]: '1 1 {' }), /profile public has a record that cannot/],
    ['a profile with an invalid number', () => ({ [keys.profile(A, 'public')]: '{} 1 {}' }), /profile public has a record that cannot/],
    ['a profile that is a list', () => ({ [keys.profile(A, 'public')]: '1 1 []' }), /profile public has a record that cannot/],
    ['a profile with an invalid set name', () => ({ [keys.profile(A, 'a/b')]: '1 1 {}' }), /profile a\/b has a record that cannot/],
    ['a profile with a document state', () => ({ [keys.docState(A, 'pprivate')]: '' }), /document state pprivate belongs to a deleted item/],
    [
      'a profile with fewer stamps than keys',
      () => ({ [keys.profile(A, 'public')]: text(keys.profile(A, 'public')).replace('{"name":', '{"more":1,"name":') }),
      /profile public has a record that cannot/,
    ],
    [
      'a removed key without tombstone',
      () => ({ [keys.profile(A, 'private')]: text(keys.profile(A, 'private')).replace(/"removed":\{.*?\}/, '"removed":{}') }),
      /profile private does not match its journal entries/,
    ],
    [
      'a lost followed slice',
      async () => ({ [await first(keys.slices(A))]: null }),
      /followed slice \w+ has a stale claim of a name or access/,
    ],
    ['a broken followed slice', async () => ({ [await first(keys.slices(A))]: '{}' }), /slice \w+ has a record that cannot/],
    [
      'a renamed followed slice',
      async () => ({ [await first(keys.slices(A))]: text(await first(keys.slices(A))).replace('Bob', 'Eve') }),
      /followed slice \w+ lacks its claim of its name or access/,
    ],
    [
      'a followed slice with a token sealed for another place',
      async () => ({
        [await first(keys.slices(A))]: JSON.stringify({ ...json(await first(keys.slices(A))), sealedToken: seal.seal('"x"', 'y') }),
      }),
      /followed slice \w+ has a token that this node key cannot decrypt/,
    ],
    ['a lost slice claim', async () => ({ [await first(keys.sliceClaim(A, 'u'))]: null }), /lacks its claim of its name or/],
    ['a slice claim of another slice', async () => ({ [await first(keys.sliceClaim(A, 'n'))]: 'x' }), /has a wrong claim of its name or/],
    [
      'a stale slice claim',
      async () => ({ [keys.sliceClaim(A, 'nx')]: text(await first(keys.sliceClaim(A, 'n'))) }),
      /followed slice \w+ has a stale claim/,
    ],
    ['a lost document state', () => ({ [keys.docState(A, `e${RICH}`)]: null }), /lacks the document state of its changes/],
    [
      'a wrong document state',
      () => ({ [keys.docState(A, `e${RICH}`)]: opened.db.getBytes(keys.docState(A, 'sb')) ?? null }),
      /has a wrong document state/,
    ],
    ['a document state without item', () => ({ [keys.docState(A, `e${GONE}`)]: 'x' }), /belongs to a deleted item/],
    ['a lost user', () => ({ [keys.user(A)]: null }), /has entries but no user/],
    ['a user without primary address', () => withoutPrimary(), /has no primary e-mail address/],
    ['a broken user', () => ({ [keys.user(A)]: '[]' }), /has an unreadable user record/],
    ['a lost user name', () => ({ [nodeKeys.username('alice')]: null }), /lacks its claim of its user name/],
    ['a user name claimed by another account', () => ({ [nodeKeys.username('alice')]: '9' }), /has a wrong claim of its user name/],
    [
      'a user name of a deleted account',
      () => ({ [nodeKeys.username('other')]: '2' }),
      /user name other does not belong to account 2/,
    ],
    [
      'a lost unique value',
      async () => ({ [await first('!q/')]: null }),
      /has a unique email without a claim/,
    ],
    [
      'a stale unique value',
      () => ({ [nodeKeys.unique('email', 'x')]: '1' }),
      /claims 3 unique values, but its accounts have 2/,
    ],
    [
      'a unique value of a deleted account',
      () => ({ [nodeKeys.unique('email', 'x')]: '2' }),
      /is claimed for account 2, which has none/,
    ],
    ['a lost token', async () => ({ [await first('!t/')]: null }), /has a token that does not resolve to it/],
    ['a stale token', () => ({ [nodeKeys.token('x')]: text0() }), /claims 5 tokens, but its accounts have 4/],
    ['a token without access', () => ({ [nodeKeys.token('x')]: '1/none' }), /refers to a missing access/],
    ['a lost access', async () => ({ [await first(keys.accesses(A))]: null }), /has a session but does not exist/],
    [
      'a changed access',
      async () => ({ [await first(keys.accesses(A))]: access({ name: 'else' }) }),
      /access \w+ does not match its integrity/,
    ],
    [
      'a token sealed for another place',
      async () => ({ [await first(keys.accesses(A))]: access({ sealedToken: seal.seal('x', 'y') }) }),
      /that this node key cannot decrypt/,
    ],
    ['a lost name of an access', async () => ({ [await first(keys.accessNames(C))]: null }), /lacks its index entry/],
    [
      'a name of another access',
      async () => ({ [keys.accessName(C, 'app', 'x')]: text(await first(keys.accessNames(C))) }),
      /the name of access \w+ of account 3 does not match the access/,
    ],
    ['a name without access', () => ({ [keys.accessName(C, 'app', 'x')]: 'none' }), /refers to a missing access/],
    ['a lost alias', async () => ({ [await first(nodeKeys.aliases)]: null }), /lacks its index entry/],
    [
      'a stale alias',
      async () => ({ [nodeKeys.alias('r-22222222')]: text(await first(nodeKeys.aliases)) }),
      /the alias r-22222222 does not match the access/,
    ],
    ['a lost share of an app', async () => ({ [await first(`${C}/k/`)]: null }), /lacks its index entry/],
    [
      'a share of another app',
      async () => ({ [(await first(`${C}/k/`)).replace('/k/', '/k/x')]: '' }),
      /the entry of access \w+ of account 3 does not match the access/,
    ],
    [
      'an invalid access version',
      async () => ({ [keys.accessVersion(C, text(await first(keys.accessNames(C))), 7)]: '{}' }),
      /has an invalid earlier version/,
    ],
    [
      'a broken deletion of an access',
      async () => ({ [await first(keys.accessDeletions(C))]: '{}' }),
      /deleted access \w+ has a record that cannot be read/,
    ],
    [
      'a changed deletion of an access',
      async () => {
        const key = await first(keys.accessDeletions(C))
        return { [key]: JSON.stringify({ ...json(key), name: 'else' }) }
      },
      /deleted access \w+ does not match its integrity/,
    ],
    ['usage without access', () => ({ [keys.usage(A, 'none')]: '{}' }), /has a usage but does not exist/],
    ['a lost account counter', () => ({ [nodeKeys.lastAccount]: '0' }), /the node may assign to another account/],
    ['an account key with an unknown prefix', () => ({ '1/0/x': '' }), /key "1\/0\/x" has an unknown key prefix/],
    ['a node key with an unknown prefix', () => ({ '!z/x': '' }), /has an unknown key prefix/],
    ['a key without account', () => ({ nobody: '' }), /key "nobody" belongs to no account/],
  ]

  const placeOf = (event: string): number => Number.parseInt(text(keys.eventPlace(A, event)).slice(11), 36)
  const olderPlace = (): string => text(keys.eventPlace(A, RICH)).slice(0, 11) + (placeOf(RICH) - 1).toString(36)
  const modifiedKey = async (): Promise<string> =>
    (await keysUnder(keys.modifieds(A))).find((key) => key.endsWith(RICH)) ?? ''
  const deletedKey = (): string => keys.eventDeletion(A, Number(json(keys.eventPlace(A, GONE))['deleted']), GONE)
  const deletion = (): string => JSON.stringify({ ...json(keys.eventPlace(A, GONE)), modifiedBy: 'else' })
  let accessKey = ''
  const access = (more: Record<string, unknown>): string => JSON.stringify({ ...json(accessKey), ...more })
  const text0 = (): string => accessKey.replace('/a/', '/')
  beforeAll(async () => {
    accessKey = await first(keys.accesses(A))
  })

  const auditDamages: Damage[] = [
    ['an invalid audit record', async () => ({ [await audited()]: 'x' }), /^account 1, audit record :_audit:c.* cannot be read$/],
    [
      'an audit record at another time',
      async () => {
        const key = await audited()
        const record = key.split('/').slice(0, 3).join('/') + '/' + ordered(5) + key.slice(-25)
        return { [key]: null, [record]: text(key) }
      },
      /^account 1, audit record .* has an id with another time$/,
    ],
    [
      'an audit record in another form',
      async () => {
        const key = await audited()
        return { [key]: text(key).replace('}', ' }') }
      },
      /^account 1, audit record .* is not in canonical form$/,
    ],
    [
      'an audit record of another access',
      async () => {
        const key = await audited()
        return { [key]: text(key).replace(/^./, '$&x') }
      },
      /^account 1, audit record .* is not in the streams of access/,
    ],
    [
      'a method that is not listed',
      () => ({ [keys.auditName(A, 'action-events.create')]: null }),
      /^account 1, audit record .* lacks its entry in the list of audit names \(action-events.create\)$/,
    ],
    ['an audit name of neither kind', () => ({ [keys.auditName(A, 'nonsense')]: '' }), /^account 1, audit name "nonsense" is not valid$/],
  ]
  const audited = (): Promise<string> => first('1/g/')

  function withoutPrimary(): Changes {
    const user = JSON.parse(opened.db.get(keys.user(A)) ?? '') as object
    const emails = [{ value: 'alice@example.org', primary: false, status: 'pending', verifiedAt: null, verificationMethod: null }]
    return { [keys.user(A)]: JSON.stringify({ ...user, emails }) }
  }

  it.each([...damages, ...auditDamages])('reports %s', async (_, changes, what) => {
    const { ok, problems } = await checkWith(await changes())
    expect(ok).toBe(false)
    expect(problems.map((problem) => `${problem.where} ${problem.what}`)).toContainEqual(expect.stringMatching(what))
    expect((await check()).ok).toBe(true)
  })
})

