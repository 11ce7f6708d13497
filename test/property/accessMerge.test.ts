/** Accesses that several nodes of one owner make, change and delete, exchanged in any order: all end with the same ones. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accessElement } from '../../src/store/accesses/accessRecord.js'
import {
  findAccess,
  findAccessByToken,
  isTokenTaken,
  listAccessDeletions,
  listAccesses,
  putAccess,
  putMergedAccess,
  putNextVersion,
  removeAccess,
} from '../../src/store/accesses/accesses.js'
import { checkStore } from '../../src/store/check/index.js'
import { readJournal } from '../../src/store/engine/journal.js'
import { LEVELS, type Access, type Permission } from '../../src/store/model/access.js'
import { editAccess } from '../../src/store/model/accessMerge.js'
import { canonicalText } from '../../src/store/model/canonicalText.js'
import { MARKER } from '../../src/store/model/delegation.js'
import { zeroDigest, xorInto } from '../../src/store/model/digestElement.js'
import { accessIntegrity } from '../../src/store/model/integrity.js'
import { Secret } from '../../src/store/model/secret.js'
import { createSeal, type Seal } from '../../src/store/keyring/seal.js'
import type { AccessEntry } from '../../src/sync/wire/entry.js'
import { mergeAccess } from '../../src/sync/merge/accesses.js'
import { standaloneAccount, type StandaloneAccount } from '../store/series/support.js'
import { mayWithStream, type StreamAction } from '../support/oracles/naivePermissions.js'

const NODES = 3
const delegate = { username: 'eve01', hostSlug: 'example-org' }

interface Copy extends StandaloneAccount {
  seal: Seal
}

async function newCopy(number: number): Promise<Copy> {
  return { ...(await standaloneAccount()), seal: await createSeal(new Secret(new Uint8Array(32).fill(number))) }
}

/** Everything that a node has to tell about accesses. */
async function entriesOf({ account, seal }: Copy): Promise<AccessEntry[]> {
  const all = [...(await listAccesses(account, seal)), ...(await listAccessDeletions(account, seal))]
  return all
    .filter(({ access }) => access.type !== 'personal')
    .map(({ access, token }) => ({ kind: 'access', id: access.id, access, token }))
}

async function take({ account, seal }: Copy, entry: AccessEntry, peer: number): Promise<string> {
  const outcome = await account.write((t) => mergeAccess(t, seal, entry, { peer, scope: { is: 'mirror' } }, 0))
  if (outcome.is === 'refused') throw new Error(outcome.message)
  return outcome.is
}

const withIntegrity = (access: Access, token: string): Access => {
  const { integrity: _, ...rest } = access
  return { ...rest, integrity: accessIntegrity({ ...rest, token }, 'sha256') }
}

const node = fc.nat({ max: NODES - 1 })
const name = fc.constantFrom('scale', 'scale (2)', 'watch')
const STREAMS = ['a', 'b', 'c']
const permissions = fc.uniqueArray(
  fc.record({ streamId: fc.constantFrom('*', ...STREAMS), level: fc.constantFrom(...LEVELS) }),
  { minLength: 1, maxLength: 3, selector: ({ streamId }) => streamId },
)
/** Chosen by clients; undefined: made by the node. */
const token = fc.constantFrom(undefined, undefined, 'mine', 'yours')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('make' as const), node, name, token, permissions, created: fc.nat({ max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), node, which: fc.nat(), name }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('grant' as const), node, which: fc.nat(), permissions }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), node, which: fc.nat() }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('send' as const), node, to: node, seed: fc.nat() }) },
)

/** The state as the journal tells it, and as the items do. */
async function states(copy: Copy): Promise<{ replayed: string; made: string }> {
  const replayed = zeroDigest()
  for await (const { kind, change } of readJournal(copy.account.db, '1')) {
    if (kind === 'access' && change.length > 0) xorInto(replayed, change)
  }
  const made = zeroDigest()
  for (const { access, token } of await entriesOf(copy)) xorInto(made, accessElement(access, token) ?? zeroDigest())
  return { replayed: Buffer.from(replayed).toString('hex'), made: Buffer.from(made).toString('hex') }
}

async function problemsOf({ opened, seal }: Copy): Promise<string[]> {
  const { problems } = await checkStore(opened.db, { head: opened.committer.head, seal })
  // The account of this test has no owner.
  return problems.map(({ where, what }) => `${where} ${what}`).filter((one) => !/no user|number that the node/.test(one))
}

/** Rights given to a token, and the earlier ones that had been seen by then. */
interface Given {
  token: string
  id: string
  permissions: Permission[]
  past: ReadonlySet<number>
}

describe('accesses of several nodes', () => {
  it('end alike, whatever was changed where and came in which order', { timeout: 300_000 }, async () => {
    const run = async (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): Promise<void> => {
      const copies = await Promise.all(Array.from({ length: NODES }, (_, i) => newCopy(i)))
      let count = 0
      let now = 10
      const given: Given[] = []
      const seen = copies.map(() => new Set<number>())
      const ended = new Set<string>()
      const give = (at: number, about: Omit<Given, 'past'>): void => {
        const mine = seen[at] as Set<number>
        given.push({ ...about, past: new Set(mine) })
        mine.add(given.length - 1)
      }
      const send = async (from: number, to: number, seed: number): Promise<number> => {
        const entries = await entriesOf(copies[from] as Copy)
        for (const one of seen[from] as Set<number>) seen[to]?.add(one)
        const turn = entries.length === 0 ? 0 : seed % entries.length
        const order = [...entries.slice(turn), ...entries.slice(0, turn)]
        if (seed % 2 === 0) order.reverse()
        let applied = 0
        for (const entry of order) if ((await take(copies[to] as Copy, entry, from + 1)) === 'applied') applied += 1
        return applied
      }
      try {
        for (const one of steps) {
          const { account, seal } = copies[one.node] as Copy
          const all = await listAccesses(account, seal)
          const taken = new Set(all.map(({ access }) => access.name))
          // Clocks of nodes differ: what is modified later need not have a later time.
          now += (one.node - 1) * 2
          if (one.kind === 'make') {
            if (taken.has(one.name)) continue
            const id = `a${count++}`
            const { token = id, permissions } = one
            if (isTokenTaken(account.db, seal, '1', token) || ended.has(token)) continue
            const tracking = { created: one.created, createdBy: 'x', modified: now, modifiedBy: 'x' }
            const access: Access = { id, type: 'shared', name: one.name, permissions, ...tracking }
            await account.write((t) => putAccess(t, seal, withIntegrity(access, token), new Secret(token)))
            give(one.node, { token, id, permissions })
          } else if (one.kind === 'send') {
            if (one.to !== one.node) await send(one.node, one.to, one.seed)
          } else {
            const former = all[one.which % Math.max(1, all.length)]
            if (former === undefined) continue
            const { access, token } = former
            if (one.kind === 'grant') {
              const next = { ...access, permissions: one.permissions, serial: (access.serial ?? 0) + 1, modified: now }
              if (canonicalText(one.permissions) === canonicalText(access.permissions)) continue
              await account.write((t) => putNextVersion(t, seal, withIntegrity(next, token.reveal()), former))
              give(one.node, { token: token.reveal(), id: access.id, permissions: one.permissions })
            } else if (one.kind === 'delete') {
              ended.add(token.reveal())
              const { causal: _, ...rest } = access
              const deletion = { ...withIntegrity({ ...rest, deleted: now } as Access, token.reveal()), deleted: now }
              await account.write((t) => removeAccess(t, seal, former, deletion))
            } else if (!taken.has(one.name)) {
              const next = { ...access, name: one.name, serial: (access.serial ?? 0) + 1, modified: now }
              await account.write((t) => putNextVersion(t, seal, withIntegrity(next, token.reveal()), former))
            }
          }
        }
        for (let applied = 1, round = 0; applied > 0; round++) {
          if (round > 20) throw new Error('The nodes never agree.')
          applied = 0
          for (let from = 0; from < NODES; from++) {
            for (let to = 0; to < NODES; to++) if (from !== to) applied += await send(from, to, round)
          }
        }
        const ends = await Promise.all(
          copies.map(async (copy) =>
            (await entriesOf(copy))
              .map(({ access, token }) => JSON.stringify([access, token.reveal()]))
              .sort(),
          ),
        )
        for (const [i, copy] of copies.entries()) {
          expect(ends[i]).toEqual(ends[0])
          const { replayed, made } = await states(copy)
          expect(replayed).toBe(made)
          expect(await problemsOf(copy)).toEqual([])
        }
        const names = (await listAccesses((copies[0] as Copy).account, (copies[0] as Copy).seal)).map(({ access }) => access.name)
        expect(new Set(names).size).toBe(names.length)
        await expectNoMore(copies[0] as Copy, given, ended)
      } finally {
        await Promise.all(copies.map((copy) => copy.close()))
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), run), {
      numRuns: process.env['LONG'] === '1' ? 500 : 25,
    })
  })
})

const ACTIONS: StreamAction[] = ['list', 'read', 'create', 'change', 'manage']
const PARENTS = new Map<string, string | null>([['a', null], ['b', 'a'], ['c', 'b']])

/** A revoked token opens nothing; no other allows more than the rights it was given by each edit that no later one has superseded. */
async function expectNoMore({ account, seal }: Copy, given: readonly Given[], ended: ReadonlySet<string>): Promise<void> {
  for (const token of new Set(given.map((one) => one.token))) {
    const live = findAccessByToken(account.db, seal, '1', token)
    // Deleting one access withdraws the token from all that were created with it before.
    if (ended.has(token)) {
      expect(live).toBeUndefined()
      continue
    }
    const about = given.flatMap((one, at) => (one.token === token ? [{ ...one, at }] : []))
    const last = about.filter(({ at }) => !about.some(({ past }) => past.has(at)))
    expect(live).toBeDefined()
    for (const id of STREAMS) {
      for (const action of ACTIONS) {
        if (!mayWithStream({ accessId: 'x', permissions: live?.access.permissions ?? [] }, action, id, PARENTS)) continue
        for (const { permissions } of last) {
          expect([token, id, action, mayWithStream({ accessId: 'x', permissions }, action, id, PARENTS)]).toEqual([token, id, action, true])
        }
      }
    }
  }
}

describe('an access from another node', () => {
  const base: Access = {
    id: 'x1',
    type: 'app',
    name: 'scale',
    permissions: [{ streamId: 'weight', level: 'read' }],
    created: 1,
    createdBy: 'x',
    modified: 1,
    modifiedBy: 'x',
  }
  const entryOf = (access: Access, token = `token-${access.id}`): AccessEntry => ({
    kind: 'access',
    id: access.id,
    access,
    token: new Secret(token),
  })
  const merge = async (copy: Copy, entry: AccessEntry): Promise<unknown> =>
    copy.account.write((t) => mergeAccess(t, copy.seal, entry, { peer: 7, scope: { is: 'mirror' } }, 0))
  const refusal = (reason: string): unknown => expect.objectContaining({ is: 'refused', reason })

  it('is refused when it is none, and leaves nothing', async () => {
    const copy = await newCopy(1)
    const bad: unknown[] = [
      { ...base, type: 'personal' },
      { ...base, clientData: { [MARKER]: { kind: 'notify', relId: 'r' } } },
      { ...base, clientData: { [MARKER]: { kind: 'control', relId: 'r', delegate } }, deleted: 5 },
      { ...base, id: 'a/b' },
      { ...base, name: '' },
      { ...base, permissions: [{ streamId: 'weight', level: 'own' }] },
      { ...base, permissions: [{ streamId: 'weight', level: 'read', more: 1 }] },
      { ...base, created: Infinity },
      { ...base, alias: 'ana' },
      { ...base, serial: 1e9 },
      { ...base, deleted: 'x' },
      { ...base, integrity: 'ACCESS:0:sha256-AAAA' },
      { ...base, constructor: 'x' },
      { ...base, causal: { seen: { x: [1] } } },
      { ...base, causal: { seen: { x: [1, -1] } } },
      { ...base, causal: { seen: {}, by: { id: ['x', 1, 1] } } },
      { ...base, causal: { seen: {}, by: { name: ['x', 1, null] } } },
      { ...base, causal: { seen: {}, met: { permissions: [[['x', 1, 1], []], [['y', 1, 1], [{ streamId: 'a', level: 'own' }]]] } } },
      { ...base, causal: { seen: {}, met: { name: [[['x', 1, 1], 'a'], [['y', 1, 1], null]] } } },
      { ...base, causal: { seen: {}, met: { expires: [] } } },
      { ...base, causal: { seen: {}, more: 1 } },
      { ...base, clientData: JSON.parse('{"a":'.repeat(100) + '1' + '}'.repeat(100)) as unknown },
    ]
    for (const access of bad) expect(await merge(copy, entryOf(access as Access))).toEqual(refusal('invalid'))
    expect(await merge(copy, entryOf(base, ''))).toEqual(refusal('invalid'))
    expect(await merge(copy, { ...entryOf(base), id: 'x2' })).toEqual(refusal('invalid'))
    expect(copy.account.sequence).toBe(0)
    const outside = { peer: 7, scope: { is: 'share', streams: [], direction: 'both', grantor: 'them' } } as const
    expect(await copy.account.write((t) => mergeAccess(t, copy.seal, entryOf(base), outside, 0))).toEqual(refusal('out-of-scope'))
    await copy.close()
  })

  it('is refused when its token, its alias or its id is that of another', async () => {
    const copy = await newCopy(1)
    const { account, seal } = copy
    const { permissions: _, ...personal } = base
    await account.write((t) => putAccess(t, seal, { ...personal, id: 'p1', type: 'personal' }, new Secret('mine')))
    const managed: Access = { ...base, id: 'm1', type: 'shared', name: 'control', clientData: { [MARKER]: { kind: 'control', relId: 'r', delegate } } }
    await account.write((t) => putAccess(t, seal, managed, new Secret('control')))
    expect(await merge(copy, entryOf({ ...base, alias: 'r-aaaaaaaa' }))).toEqual({ is: 'applied' })
    expect(await merge(copy, entryOf({ ...base, id: 'p1', name: 'other' }))).toEqual(refusal('taken'))
    for (const more of [{}, { deleted: 5 }, { serial: 7 }]) {
      expect(await merge(copy, entryOf({ ...base, id: 'm1', name: 'other', ...more } as Access))).toEqual(refusal('taken'))
    }
    expect(await merge(copy, entryOf({ ...base, id: 'x2', name: 'other' }, 'mine'))).toEqual(refusal('taken'))
    expect(await merge(copy, entryOf({ ...base, id: 'x2', name: 'o', alias: 'r-aaaaaaaa' }))).toEqual(refusal('taken'))
    await copy.close()
  })

  it('comes with its origin, and only what this node changed of it goes back', async () => {
    const copy = await newCopy(1)
    const { account, seal } = copy
    await merge(copy, entryOf(base))
    await merge(copy, entryOf({ ...base, id: 'x0', name: 'watch' }))
    await merge(copy, entryOf({ ...base, id: 'x2' }))
    await merge(copy, entryOf(editAccess(base, { ...base, serial: 1, name: 'clock' }, 'there')))
    await merge(copy, entryOf({ ...base, id: 'x0', deleted: 5 } as Access))
    const seen: unknown[] = []
    for await (const { id, action, origin } of readJournal(account.db, '1')) seen.push([id, action, origin])
    expect(seen).toEqual([
      ['x1', 'create', 7],
      ['x0', 'create', 7],
      ['x2', 'create', undefined],
      ['x1', 'update', 7],
      ['x0', 'delete', 7],
    ])
    expect(findAccess(account.db, seal, '1', 'x2')?.access).toMatchObject({ name: 'scale (2)', serial: 1 })
    await copy.close()
  })
})

describe('a token that was chosen on two nodes', () => {
  const one = (id: string, created: number, level: 'read' | 'manage'): Access => ({
    ...{ id, type: 'shared', name: id, permissions: [{ streamId: 'a', level }, { streamId: 'b', level: 'manage' }] },
    ...{ created, createdBy: 'x', modified: created, modifiedBy: 'x' },
  })
  const put = ({ account, seal }: Copy, access: Access): Promise<void> => account.write((t) => putAccess(t, seal, access, new Secret('mine')))
  const levels = ({ account, seal }: Copy): unknown =>
    findAccessByToken(account.db, seal, '1', 'mine')?.access.permissions?.map((permission) => ('streamId' in permission ? `${permission.streamId} ${permission.level}` : ''))
  const sendAll = async (from: Copy, to: Copy, isDeletionFirst: boolean): Promise<void> => {
    const entries = await entriesOf(from)
    entries.sort((a, b) => Number('deleted' in b.access) - Number('deleted' in a.access))
    for (const entry of isDeletionFirst ? entries : entries.reverse()) await take(to, entry, 5)
  }

  it.each([true, false])('is bound by what a third node did to the access that ended, deletion first: %s', async (isDeletionFirst) => {
    const copies = await Promise.all([1, 2, 3].map(newCopy))
    const [a, b, c] = copies as [Copy, Copy, Copy]
    await put(a, one('older', 1, 'manage'))
    await sendAll(a, c, true)
    await put(b, one('younger', 2, 'manage'))
    const former = findAccess(c.account.db, c.seal, '1', 'older')
    if (former === undefined) throw new Error('no access')
    const narrowed = { ...former.access, permissions: [{ streamId: 'a', level: 'read' } as const], serial: 1, modified: 9 }
    await c.account.write((t) => putNextVersion(t, c.seal, narrowed, former))
    await sendAll(b, a, true)
    expect(levels(a)).toEqual(['a manage', 'b manage'])
    await sendAll(a, c, isDeletionFirst)
    expect(levels(c)).toEqual(['a read'])
    await sendAll(c, a, isDeletionFirst)
    await sendAll(a, b, isDeletionFirst)
    await sendAll(b, c, isDeletionFirst)
    for (const copy of copies) {
      expect(levels(copy)).toEqual(['a read'])
      expect(findAccessByToken(copy.account.db, copy.seal, '1', 'mine')?.access.id).toBe('younger')
      expect(await problemsOf(copy)).toEqual([])
    }
    await Promise.all(copies.map((copy) => copy.close()))
  })

  it.each([true, false])('is free of the other when its owner had deleted that one before, deletion first: %s', async (isDeletionFirst) => {
    const copies = await Promise.all([1, 2].map(newCopy))
    const [a, b] = copies as [Copy, Copy]
    await put(a, one('older', 1, 'read'))
    await sendAll(a, b, true)
    const former = findAccess(a.account.db, a.seal, '1', 'older')
    if (former === undefined) throw new Error('no access')
    await a.account.write((t) => removeAccess(t, a.seal, former, { ...former.access, deleted: 5 }))
    await put(a, one('younger', 6, 'manage'))
    await sendAll(a, b, isDeletionFirst)
    await sendAll(b, a, isDeletionFirst)
    await sendAll(a, b, isDeletionFirst)
    for (const copy of copies) {
      expect(levels(copy)).toEqual(['a manage', 'b manage'])
      expect(await problemsOf(copy)).toEqual([])
      expect(await entriesOf(copy)).toEqual(await entriesOf(a))
    }
    await Promise.all(copies.map((copy) => copy.close()))
  })

  it('is reported by the check of a store when an access does not show what its edits say', async () => {
    const copy = await newCopy(1)
    const access = one('older', 1, 'manage')
    await put(copy, access)
    const edited = editAccess(access, { ...access, permissions: [], serial: 1, modified: 2 }, 'x')
    const wrong = { ...edited, serial: undefined, causal: { ...edited.causal, seen: { x: [1, 5] }, met: { expires: [[['y', 1, 1], 5], [['z', 1, 1], 6]] } } }
    await copy.account.write((t) => putMergedAccess(t, copy.seal, { access: wrong as unknown as Access, token: new Secret('mine') }, { access, token: new Secret('mine') }))
    expect(await problemsOf(copy)).toEqual([expect.stringContaining('does not match its causal state')])
    await copy.close()
  })
})
