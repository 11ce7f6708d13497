/** Followed slices in the store. */
import { describe, expect, it } from 'vitest'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { claimsOf, findSlice, listSlices, putSlice, removeSlice, sliceOfAccess, sliceOfName, textToSlice } from '../../../src/store/accounts/followedSlices.js'
import { describeRepository, repositories, type TestAccount } from '../repository.js'

const slice = { id: 'sl1', name: 'Ben', url: 'https://ben.example/', accessToken: 'a\ud800"token' }
const renamed = { ...slice, name: 'Benjamin', accessToken: 'other' }

describeRepository('followed slices', {
  async read({ store: { db, seal }, account }: TestAccount) {
    const { prefix } = account
    return {
      found: findSlice(db, seal, prefix, slice.id),
      all: await listSlices(account, seal),
      names: [slice, renamed].map(({ name }) => sliceOfName(db, seal, prefix, name)),
      accesses: [slice, renamed].map((one) => sliceOfAccess(db, seal, prefix, one)),
    }
  },
  absent: { found: undefined, all: [], names: [undefined, undefined], accesses: [undefined, undefined] },
  steps: [
    {
      write: (t, { store }) => putSlice(t, store.seal, slice),
      expected: { found: slice, all: [slice], names: ['sl1', undefined], accesses: ['sl1', undefined] },
    },
    {
      write: (t, { store }) => putSlice(t, store.seal, renamed, slice),
      expected: { found: renamed, all: [renamed], names: [undefined, 'sl1'], accesses: [undefined, 'sl1'] },
    },
  ],
  remove: (t, { store }) => removeSlice(t, store.seal, renamed),
})

describe('records of followed slices', () => {
  const all = repositories()

  it('are sorted by name, with no name in their keys and no token in plain text', async () => {
    const { seal, db } = all.store
    const account = await all.account()
    const second = { ...slice, id: 'sl0', name: 'Ann', accessToken: 'second-token' }
    await account.write((t) => [slice, second].forEach((one) => putSlice(t, seal, one)))
    expect((await listSlices(account, seal)).map(({ name }) => name)).toEqual(['Ann', 'Ben'])
    const keys = await all.keys()
    const text = [...keys].flatMap(([key, value]) => [key, Buffer.from(value, 'hex').toString()]).join('\n')
    expect(text).not.toContain('second-token')
    expect([...keys.keys()].join('\n')).not.toContain('Ann')
    const record = db.get(accountKeys.slice(account.prefix, 'sl0')) ?? ''
    expect(() => textToSlice(seal, 'another', record)).toThrow()
    // Claims of equal names and tokens differ between accounts.
    const digests = ['1', '2'].map((prefix) => claimsOf(seal, prefix, slice).map((key) => key.slice(prefix.length)))
    expect(new Set(digests.flat()).size).toBe(4)
  })
})
