/** References of events to files. */
import { describe, expect, it } from 'vitest'
import type { Account, Transaction } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { isReferenced, moveReferences } from '../../../src/store/blobs/fileReferences.js'
import type { Attachment } from '../../../src/store/model/event.js'
import { added, repositories } from '../repository.js'

const A = 'aa'.repeat(32)
const B = 'bb'.repeat(32)
const file = (id: string, size: number): Attachment => ({ id, fileName: id, type: 'text/plain', size, integrity: 'x' })
const digests = new Map([['f1', A], ['f2', B], ['f3', A]])

describe('references to files', () => {
  const all = repositories()
  const move = (account: Account, before: Attachment[] | undefined, after: Attachment[] | undefined, event = 'e1'): Promise<[number, string[]]> =>
    account.write((t) => {
      const freed: string[] = []
      const watched: Transaction = { ...t, freed: (digest) => void freed.push(digest) }
      return [moveReferences(watched, event, before, after, digests), freed]
    })

  const [f1, f2, f3] = [file('f1', 10), file('f2', 200), file('f3', 3000)]
  it.each<[string, Attachment[] | undefined, Attachment[] | undefined, number, string[]]>([
    ['none to none', undefined, undefined, 0, []],
    ['none to two', undefined, [f1, f2], 210, []],
    ['one to another', [f1], [f2], 190, [A]],
    ['two to one', [f1, f2], [f2], -10, [A]],
    ['two to none', [f1, f3], undefined, -3010, [A, A]],
    ['two in another order', [f1, f2], [f2, f1], 0, []],
  ])('move from %s', async (_how, before, after, difference, freed) => {
    const [account, other] = [await all.account(), await all.account()]
    const empty = await all.keys()
    await move(account, undefined, before)
    expect(await move(account, before, after)).toEqual([difference, freed])
    const expected = (after ?? []).flatMap(({ id }) => {
      const digest = digests.get(id) ?? ''
      return [accountKeys.fileDigest(account.prefix, 'e1', id), accountKeys.fileReference(account.prefix, digest, 'e1', id)]
    })
    expect(added(empty, await all.keys())).toEqual(expected.sort())
    const referred = (after ?? []).some(({ id }) => digests.get(id) === A)
    expect([await isReferenced(all.store.db, account.prefix, A), await isReferenced(all.store.db, other.prefix, A)]).toEqual([referred, false])
    await move(account, after, undefined)
    expect(await all.keys()).toEqual(empty)
  })

  it('count bytes as referenced while any event refers to them', async () => {
    const account = await all.account()
    const { db } = all.store
    await move(account, undefined, [f1])
    await move(account, undefined, [f3], 'e2')
    await move(account, [f1], undefined)
    expect(await isReferenced(db, account.prefix, A)).toBe(true)
    await move(account, [f3], undefined, 'e2')
    expect(await isReferenced(db, account.prefix, A)).toBe(false)
    await expect(move(account, undefined, [file('unknown', 1)])).rejects.toThrow('digest')
  })
})
