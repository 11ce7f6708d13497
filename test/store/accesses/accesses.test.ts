/** Accesses in the store: records, tokens, names, aliases, relationships, sessions, usage, versions. */
import { describe, expect, it } from 'vitest'
import { accessNamed, accountOfAlias, findAccess, findAccessByToken, findAccessRecord, findAccessVersion, findLinkMember, findLink, findPersonalAccess, hasAccess, holderOfAlias, holderOfToken, isTokenTaken, listAccesses, listAccessIds, listAccessVersions, listAllRelations, listManaged, listRelations, listSessions, putAccess, putNextVersion, putSession, putUsage, readUsage, releaseAccesses, sessionExpiry, type LiveAccess, removeAccess } from '../../../src/store/accesses/accesses.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { Access } from '../../../src/store/model/access.js'
import { peerSlug } from '../../../src/store/model/consentAccess.js'
import { Secret } from '../../../src/store/model/secret.js'
import { describeRepository, repositories, type TestAccount } from '../repository.js'

const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
const access: Access = { id: 'ca1', type: 'shared', name: 'Doctor', permissions: [{ streamId: '*', level: 'read' }], manager: 'ca0', ...tracking }
const token = new Secret('token-of-the-doctor')
const renamed: Access = { ...access, name: 'Dentist', modified: 2 }

async function read({ store: { db, seal }, account }: TestAccount): Promise<unknown> {
  const { prefix } = account
  const idOf = (found: LiveAccess | undefined): string | undefined => found?.access.id
  return {
    name: findAccess(db, seal, prefix, 'ca1')?.access.name,
    token: findAccess(db, seal, prefix, 'ca1')?.token.reveal(),
    record: findAccessRecord(db, prefix, 'ca1')?.name,
    byToken: idOf(findAccessByToken(db, seal, prefix, token.reveal())),
    taken: [isTokenTaken(db, seal, prefix, token.reveal()), holderOfToken(db, seal, prefix, token.reveal())],
    named: ['Doctor', 'Dentist'].map((name) => accessNamed(db, prefix, { type: 'shared', name })),
    has: hasAccess(db, prefix, 'ca1'),
    all: (await listAccesses(account, seal)).map(idOf),
    ids: await listAccessIds(account),
    managed: (await listManaged(account, seal, 'ca0')).map(idOf),
    usage: readUsage(db, prefix, 'ca1'),
    session: [sessionExpiry(db, prefix, 'ca1'), await listSessions(account)],
    versions: (await listAccessVersions(account, 'ca1')).map(({ name }) => name),
    former: findAccessVersion(db, prefix, 'ca1', 0)?.name,
  }
}

const absent = {
  name: undefined,
  token: undefined,
  record: undefined,
  byToken: undefined,
  taken: [false, undefined],
  named: [undefined, undefined],
  has: false,
  all: [],
  ids: [],
  managed: [],
  usage: { calls: {} },
  session: [undefined, []],
  versions: [],
  former: undefined,
}
const shown = {
  ...absent,
  name: 'Doctor',
  token: token.reveal(),
  record: 'Doctor',
  byToken: 'ca1',
  taken: [true, 'ca1'],
  named: ['ca1', undefined],
  has: true,
  all: ['ca1'],
  ids: ['ca1'],
  managed: ['ca1'],
}
const dentist = { ...shown, name: 'Dentist', record: 'Dentist', named: [undefined, 'ca1'] }
const used = { ...dentist, usage: { calls: { 'events.get': 2 }, lastUsed: 5 } }
const open = { ...used, session: [90, ['ca1']] }

describeRepository('accesses', {
  read,
  absent,
  steps: [
    { write: (t, { store }) => putAccess(t, store.seal, access, token), expected: shown },
    { write: (t, { store }) => putAccess(t, store.seal, renamed, token, { access, token }), expected: dentist },
    { write: (t) => putUsage(t, 'ca1', { calls: { 'events.get': 2 }, lastUsed: 5 }), expected: used },
    { write: (t) => putSession(t, 'ca1', 90), expected: open },
    {
      write(t, { store }) {
        const former = findAccess(t, store.seal, t.account, 'ca1')
        if (former !== undefined) putNextVersion(t, store.seal, { ...former.access, name: 'Surgeon', serial: 1 }, former)
      },
      expected: { ...open, name: 'Surgeon', record: 'Surgeon', named: [undefined, undefined], versions: ['Dentist'], former: 'Dentist' },
    },
  ],
  remove(t, { store }) {
    const live = findAccess(t, store.seal, t.account, 'ca1')
    if (live !== undefined) removeAccess(t, store.seal, live, { ...live.access, deleted: 9 })
  },
  remainingKeys: (account) => [accountKeys.accessDeletion(account, 9, 'ca1'), accountKeys.accessDeleted(account, 'ca1')],
})

describe('keys of accesses', () => {
  const all = repositories()

  it('distinguish names by type and device, and equal tokens by account', async () => {
    const { db, seal } = all.store
    const [one, other] = [await all.account(), await all.account()]
    await one.write((t) => putAccess(t, seal, { ...access, deviceName: 'phone' }, token))
    await other.write((t) => putAccess(t, seal, { ...access, id: 'ca7' }, token))
    const named = (type: 'app' | 'shared', deviceName?: string): unknown =>
      accessNamed(db, one.prefix, { type, name: 'Doctor', ...(deviceName === undefined ? {} : { deviceName }) })
    expect([named('shared', 'phone'), named('shared'), named('shared', 'tablet'), named('app', 'phone')]).toEqual(['ca1', undefined, undefined, undefined])
    expect([one, other].map(({ prefix }) => holderOfToken(db, seal, prefix, token.reveal()))).toEqual(['ca1', 'ca7'])
    const text = [...(await all.keys())].flatMap(([key, value]) => [key, Buffer.from(value, 'hex').toString()]).join('\n')
    expect(text).not.toContain(token.reveal())
  })

  it('map an alias to its account and access until it is released', async () => {
    const { db, seal } = all.store
    const account = await all.account()
    const live = { access: { ...access, alias: 'r-x7k2m9ab' }, token }
    expect([holderOfAlias(db, 'r-x7k2m9ab'), accountOfAlias(db, 'r-x7k2m9ab')]).toEqual([undefined, undefined])
    await account.write((t) => putAccess(t, seal, live.access, token))
    expect(holderOfAlias(db, 'r-x7k2m9ab')).toEqual({ account: account.prefix, id: 'ca1' })
    await account.write((t) => releaseAccesses(t, seal, [live]))
    expect([accountOfAlias(db, 'r-x7k2m9ab'), holderOfToken(db, seal, account.prefix, token.reveal())]).toEqual([undefined, undefined])
  })

  it('map links and peer accounts to the accesses of consents', async () => {
    const { db, seal } = all.store
    const account = await all.account()
    const ben = { username: 'Ben', host: 'ben.example' }
    const link: Access = {
      ...access,
      id: 'ca2',
      name: 'link',
      clientData: { cmc: { kind: 'capability', capabilityId: 'cap-1', singleUse: true, capability: { mode: 'single-use', state: 'open', stateChangedAt: 1 } } },
    }
    const relation: Access = { ...access, id: 'ca3', name: 'relation', clientData: { cmc: { role: 'counterparty', counterparty: ben, capabilityId: 'cap-1' } } }
    const before = await all.keys()
    await account.write((t) => [link, relation].forEach((one) => putAccess(t, seal, one, new Secret(one.id))))
    const ids = (found: LiveAccess[]): string[] => found.map((one) => one.access.id)
    expect(findLink(db, seal, account.prefix, 'cap-1')?.access.id).toBe('ca2')
    expect(findLink(db, seal, account.prefix, 'cap-2')).toBeUndefined()
    expect(findLinkMember(db, account.prefix, 'cap-1', peerSlug(ben))?.id).toBe('ca3')
    expect(findLinkMember(db, account.prefix, 'cap-2', peerSlug(ben))).toBeUndefined()
    expect(ids(await listRelations(account, seal, peerSlug(ben)))).toEqual(['ca3'])
    expect(ids(await listRelations(account, seal, 'ann--ann-example'))).toEqual([])
    expect(ids(await listAllRelations(account, seal))).toEqual(['ca3'])
    await account.write((t) => {
      for (const one of [link, relation]) removeAccess(t, seal, { access: one, token: new Secret(one.id) }, { ...one, deleted: 9 })
    })
    const remaining = [...(await all.keys()).keys()].filter((key) => !before.has(key))
    expect(remaining.sort()).toEqual(['ca2', 'ca3'].flatMap((id) => [accountKeys.accessDeletion(account.prefix, 9, id), accountKeys.accessDeleted(account.prefix, id)]).sort())
  })

  it('find personal accesses by name, and hold the expiry of a session until it ends', async () => {
    const { db, seal } = all.store
    const account = await all.account()
    const personal: Access = { id: 'ca5', type: 'personal', name: 'app-web', ...tracking }
    expect(findPersonalAccess(db, seal, account.prefix, 'app-web')).toBeUndefined()
    await account.write((t) => putAccess(t, seal, personal, new Secret('personal')))
    expect(findPersonalAccess(db, seal, account.prefix, 'app-web')?.access).toEqual(personal)
    for (const expires of [50, 60]) await account.write((t) => putSession(t, 'ca5', expires))
    expect(sessionExpiry(db, account.prefix, 'ca5')).toBe(60)
    await account.write((t) => putSession(t, 'ca5', undefined))
    expect([sessionExpiry(db, account.prefix, 'ca5'), await listSessions(account)]).toEqual([undefined, []])
  })
})
