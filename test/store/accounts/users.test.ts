/** Users, their names and their unique values in the store. */
import { describe, expect, it } from 'vitest'
import {
  accountOfUnique,
  accountOfUsername,
  claimUnique,
  claimUsername,
  identityField,
  identityName,
  isUnnamed,
  listUsernames,
  namesOf,
  putUser,
  readUser,
  releaseUnique,
  releaseUsername,
  retireUsername,
  type User,
} from '../../../src/store/accounts/users.js'
import { nodeKeys } from '../../../src/store/engine/keys.js'
import { repositories } from '../repository.js'

const ana: User = { id: 'u1', username: 'ana', passwordHash: 'hash', created: 1, passwordChanged: 1, hidden: {}, unique: { email: 'Ana@x.org' } }

describe('users', () => {
  const all = repositories()

  it('are read as written, each in its own account', async () => {
    const { db } = all.store
    const [one, other] = [await all.account(), await all.account()]
    expect(readUser(db, 'none')).toBeUndefined()
    await one.write((t) => putUser(t, ana, 'create'))
    expect(readUser(db, one.prefix)).toEqual(ana)
    const renamed = { ...ana, username: 'anna', formerUsernames: ['ana'], usernameChanges: 1 }
    await one.write((t) => putUser(t, renamed, 'update'))
    expect(readUser(db, one.prefix)).toEqual(renamed)
    expect(readUser(db, other.prefix)).toEqual({})
  })

  it('hold a user name until it is released, current or former', async () => {
    const { db } = all.store
    const [one, other] = [await all.account(), await all.account()]
    const before = await all.keys()
    const holders = (): unknown[] => ['ana', 'anna', 'ben'].map((name) => accountOfUsername(db, name))
    expect(holders()).toEqual([undefined, undefined, undefined])
    await one.write((t) => claimUsername(t, 'ana'))
    await other.write((t) => claimUsername(t, 'ben'))
    expect(holders()).toEqual([one.prefix, undefined, other.prefix])
    await one.write((t) => {
      retireUsername(t, 'ana')
      claimUsername(t, 'anna')
    })
    expect(holders()).toEqual([one.prefix, one.prefix, other.prefix])
    expect(await listUsernames(db)).toEqual([
      { username: 'anna', account: one.prefix },
      { username: 'ben', account: other.prefix },
    ])
    await one.write((t) => ['ana', 'anna'].forEach((name) => releaseUsername(t, name)))
    expect(holders()).toEqual([undefined, undefined, other.prefix])
    await other.write((t) => releaseUsername(t, 'ben'))
    expect(await all.keys()).toEqual(before)
  })

  it('hold unique values, comparing e-mail addresses without regard to case and blanks', async () => {
    const { db, seal } = all.store
    const [one, other] = [await all.account(), await all.account()]
    const before = await all.keys()
    await one.write((t) => {
      claimUnique(t, seal, 'email', 'Ana@x.org')
      claimUnique(t, seal, 'phone', '+41 A')
    })
    await other.write((t) => claimUnique(t, seal, 'email', 'ben@x.org'))
    const holder = (field: string, value: string): string | undefined => accountOfUnique(db, seal, field, value)
    expect([holder('email', ' ana@X.org '), holder('email', 'ben@x.org'), holder('email', 'no@x.org')]).toEqual([one.prefix, other.prefix, undefined])
    expect([holder('phone', '+41 A'), holder('phone', '+41 a'), holder('email', '+41 A')]).toEqual([one.prefix, undefined, undefined])
    expect([...(await all.keys()).keys()].filter((key) => key.startsWith(nodeKeys.uniques)).join()).not.toContain('x.org')
    await one.write((t) => {
      releaseUnique(t, seal, 'email', 'ANA@x.org')
      releaseUnique(t, seal, 'phone', '+41 A')
    })
    expect([holder('email', 'ana@x.org'), holder('email', 'ben@x.org')]).toEqual([undefined, other.prefix])
    await other.write((t) => releaseUnique(t, seal, 'email', 'ben@x.org'))
    expect(await all.keys()).toEqual(before)
  })

  it('list all their names', () => {
    const identity = { provider: 'hub', issuer: 'https://hub.example', subject: '7', email: 'ana@x.org', since: 1 }
    const email = { primary: false, status: 'verified', verifiedAt: 1, verificationMethod: 'email-link' } as const
    const user: User = {
      ...ana,
      formerUsernames: ['anna'],
      emails: [{ ...email, primary: true, value: 'ana@x.org' }, { ...email, value: 'second@x.org' }],
      identities: [identity],
    }
    expect(namesOf(user)).toEqual({
      usernames: ['ana', 'anna'],
      unique: [['email', 'Ana@x.org'], ['email', 'second@x.org'], ['sso-hub', JSON.stringify(['https://hub.example', '7'])]],
    })
    expect(identityName(identity)[0]).toBe(identityField('hub'))
    expect([isUnnamed(ana), isUnnamed({ id: 'u1', username: 'u1' })]).toEqual([false, true])
  })
})
