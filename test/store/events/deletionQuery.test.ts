/** Queries of deleted events. */
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { scanDeletions, type DeletionQuery } from '../../../src/store/events/deletionQuery.js'
import { putDeletion } from '../../../src/store/events/events.js'
import { repositories } from '../repository.js'

const id = (n: number): string => `cjx00000000000000000000${String(n).padStart(2, '0')}`

async function scan(account: Account, query: Partial<DeletionQuery>): Promise<number[]> {
  const snapshot = account.db.snapshot()
  const found: number[] = []
  for await (const page of scanDeletions(account, { since: 0, ascending: true, skip: 0, limit: 100, ...query }, snapshot)) {
    found.push(...page.map((text) => Number((JSON.parse(text) as { id: string }).id.slice(-2))))
  }
  await snapshot.close()
  return found
}

describe('queries of deleted events', () => {
  const all = repositories()

  it('list deletions after a time, in either order, in pages, of one account', async () => {
    const [account, other] = [await all.account(), await all.account()]
    expect(await scan(account, {})).toEqual([])
    await account.write((t) => [1, 2, 3, 4].forEach((n) => putDeletion(t, { id: id(n), deleted: n * 10 })))
    await other.write((t) => putDeletion(t, { id: id(9), deleted: 5 }))
    const queries: [Partial<DeletionQuery>, number[]][] = [
      [{}, [1, 2, 3, 4]],
      [{ ascending: false }, [4, 3, 2, 1]],
      [{ since: 20 }, [3, 4]],
      [{ since: 19.999 }, [2, 3, 4]],
      [{ skip: 1, limit: 2 }, [2, 3]],
      [{ skip: 1, limit: 2, ascending: false }, [3, 2]],
      [{ limit: 0 }, []],
      [{ skip: 9 }, []],
    ]
    for (const [query, expected] of queries) expect([query, await scan(account, query)]).toEqual([query, expected])
    expect(await scan(other, {})).toEqual([9])
  })

  it('list deletions made before a time but received after it, in either order', async () => {
    const account = await all.account()
    // The clock of the store shows 1000 seconds.
    await account.write((t) => {
      putDeletion(t, { id: id(1), deleted: 10 })
      putDeletion(t, { id: id(2), deleted: 2000 })
      t.journal('event', 'delete', id(1), { origin: 1 })
      t.journal('event', 'delete', id(2), { origin: 1 })
    })
    await account.write((t) => putDeletion(t, { id: id(3), deleted: 20 }))
    expect(await scan(account, { since: 900 })).toEqual([1, 2])
    expect(await scan(account, { since: 900, ascending: false })).toEqual([2, 1])
    expect(await scan(account, { since: 900, skip: 1 })).toEqual([2])
    expect(await scan(account, { since: 900, ascending: false, limit: 1 })).toEqual([2])
    expect(await scan(account, { since: 1001 })).toEqual([2])
  })
})
