/** Retention of audit records in the store. */
import { describe, expect, it } from 'vitest'
import { auditAccessName, auditNames, putAuditName } from '../../../src/store/accounts/audit.js'
import { planPrune, prune, readRetention } from '../../../src/store/accounts/auditRetention.js'
import type { Account } from '../../../src/store/engine/account.js'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { repositories } from '../repository.js'

const VALUE = 'x'.repeat(1000)

/** Writes a record each second for an access. */
const fill = (account: Account, access: string, from: number, to: number): Promise<void> =>
  account.write((t) => {
    putAuditName(t, auditAccessName(access))
    for (let time = from; time < to; time++) t.put(accountKeys.audit(t.account, access, time, `r${time}`), VALUE)
  })

async function countRecords({ db, prefix }: Account, access: string): Promise<number> {
  let count = 0
  for await (const _ of each(db.keys(under(accountKeys.auditOf(prefix, access))))) count += 1
  return count
}

describe('retention of audit records', () => {
  const all = repositories()

  it('removes records beyond an age, and accesses without records, of one account', async () => {
    const [one, other] = [await all.account(), await all.account()]
    for (const account of [one, other]) {
      await fill(account, 'ca1', 0, 10)
      await fill(account, 'ca2', 5, 20)
    }
    const before = [...(await all.keys()).keys()]
    const removed: string[] = []
    expect(readRetention(one)).toEqual({})
    const plan = await planPrune(one, { maxAgeSeconds: 90 }, 100)
    expect(plan).toEqual({ before: 10, state: {}, mustStoreState: false })
    expect(await prune(one, plan, (name) => removed.push(name))).toBe(15)
    expect([await countRecords(one, 'ca1'), await countRecords(one, 'ca2'), await countRecords(other, 'ca1'), await countRecords(other, 'ca2')]).toEqual([0, 10, 10, 15])
    expect(removed).toEqual([auditAccessName('ca1')])
    expect((await auditNames(one)).accesses).toEqual(['ca2'])
    expect([readRetention(one), readRetention(other)]).toEqual([{ since: 10 }, {}])
    const retention = accountKeys.auditRetention(one.prefix)
    expect([...(await all.keys()).keys()].filter((key) => !before.includes(key))).toEqual([retention])
    expect((await planPrune(one, { maxAgeSeconds: 90 }, 100)).before).toBeUndefined()
  })

  it('counts records once, and removes the oldest beyond a size', async () => {
    const account = await all.account()
    const limits = { maxBytes: 50_000 }
    await fill(account, 'ca1', 0, 40)
    const first = await planPrune(account, limits, 1000)
    expect([first.before, first.mustStoreState]).toEqual([undefined, false])
    await fill(account, 'ca2', 40, 140)
    const second = await planPrune(account, limits, 1000)
    const count = await prune(account, second, () => {})
    const { counted, since } = readRetention(account)
    expect(await countRecords(account, 'ca1') + (await countRecords(account, 'ca2'))).toBe(140 - count)
    expect(since).toBe(second.before)
    expect(counted?.before).toBe(880)
    expect(counted?.bytes).toBeLessThanOrEqual(45_000)
    expect(counted?.bytes).toBeGreaterThan(40_000)
    // Records before the counted time are not read again.
    await fill(account, 'ca3', 0, 200)
    expect((await planPrune(account, limits, 1000)).state.counted?.bytes).toBe(counted?.bytes)
  })
})
