/** Profile sets in the store. */
import { describe, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import {
  createProfile,
  findProfile,
  findProfileToEdit,
  hasProfile,
  mergeRegisters,
  profileJson,
  profileText,
  putProfile,
  textToProfile,
  textToStored,
} from '../../../src/store/accounts/profiles.js'
import type { Profile } from '../../../src/store/model/profile.js'
import { registersSince, tombstoneName } from '../../../src/store/model/profileRegisters.js'
import { describeRepository, repositories } from '../repository.js'

const first: Profile = { id: 'public', keys: { name: 'Ana', age: 30 }, modified: 1 }
const second: Profile = { id: 'public', keys: { name: 'Anna' }, modified: 2 }

describeRepository('profile sets', {
  read: ({ store: { db }, account: { prefix } }) => ({
    found: findProfile(db, prefix, 'public')?.profile,
    json: profileJson(db, prefix, 'public'),
    has: ['public', 'private'].map((id) => hasProfile(db, prefix, id)),
  }),
  absent: { found: undefined, json: '{}', has: [false, false] },
  steps: [
    { write: (t) => putProfile(t, undefined, first), expected: { found: { ...first, keys: { age: 30, name: 'Ana' } }, json: '{"age":30,"name":"Ana"}', has: [true, false] } },
    {
      write: (t, { store }) => putProfile(t, findProfileToEdit(t, store.recorder, 'public'), second),
      expected: { found: second, json: '{"name":"Anna"}', has: [true, false] },
    },
  ],
})

describe('records of profile sets', () => {
  const all = repositories()

  it('hold a stamp for each key, tombstones for removed ones, and no former value', async () => {
    const account = await all.account()
    const { db, recorder } = all.store
    for (const next of [first, second]) await account.write((t) => putProfile(t, findProfileToEdit(t, recorder, 'public'), next))
    const text = db.get(accountKeys.profile(account.prefix, 'public')) ?? ''
    const stored = textToStored('public', text)
    expect([...stored.registers.set.keys()]).toEqual(['name'])
    expect([...stored.registers.removed.keys()]).toEqual([tombstoneName('public', 'age')])
    expect(profileText(stored)).toBe(text)
    expect(textToProfile('public', text)).toEqual(second)
    expect(text).not.toMatch(/Ana"|30/)
    expect(() => textToStored('public', text.replace('"set":[', '"set":[[1,0,1],'))).toThrow(SyntaxError)
  })

  it('merge the registers of a peer once, and stamp a set created from them with the local sequence', async () => {
    const [one, other, third] = [await all.account(), await all.account(), await all.account()]
    const { db } = all.store
    const find = (account: { prefix: string }): ReturnType<typeof findProfile> => findProfile(db, account.prefix, 'public')
    await one.write((t) => putProfile(t, undefined, first))
    const incoming = { modified: 1, registers: registersSince(find(one) ?? { profile: first, registers: { set: new Map(), removed: new Map() } }) }
    expect(await other.write((t) => mergeRegisters(t, 'public', undefined, incoming, 1))).toBe(true)
    const { sequence } = other
    expect(await other.write((t) => mergeRegisters(t, 'public', find(other), incoming, 1))).toBe(false)
    expect(other.sequence).toBe(sequence)
    expect(find(other)?.profile).toEqual(find(one)?.profile)
    await third.write((t) => t.journal('profile', 'create', 'other'))
    const state = find(one)
    if (state !== undefined) await third.write((t) => createProfile(t, state))
    expect(find(third)?.profile).toEqual(find(one)?.profile)
    expect([...(find(third)?.registers.set.values() ?? [])].map(({ sequence: at }) => at)).toEqual([third.sequence, third.sequence])
  })
})
