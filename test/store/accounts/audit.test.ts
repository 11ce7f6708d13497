/** Audit records in the store. */
import { describe, expect, it } from 'vitest'
import { auditAccessName, auditActionName, auditNames, findAuditRecord, putAuditName, scanAudit } from '../../../src/store/accounts/audit.js'
import type { Account } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { EventQuery } from '../../../src/store/events/eventQuery.js'
import { auditValue } from '../../../src/store/model/auditRecord.js'
import { AUDIT_ROOT, auditIds, auditStreamOfAccess } from '../../../src/store/model/auditStreams.js'
import { describeRepository, repositories } from '../repository.js'

const ids = auditIds('abcdefghijk')
const item = ids(5000)
const everything: EventQuery = {
  runningOnly: false,
  streams: [{ any: 'everything', all: [], not: new Set(), account: new Set() }],
  state: 'default',
  ascending: true,
  skip: 0,
  limit: 10,
}

async function scan(account: Account, patch: Partial<EventQuery> = {}): Promise<string[]> {
  const snapshot = account.db.snapshot()
  const found: string[] = []
  for await (const page of scanAudit(account, { ...everything, ...patch }, snapshot)) found.push(...page.map((text) => (JSON.parse(text) as { id: string }).id))
  await snapshot.close()
  return found
}

const value = (access: string): string => auditValue({ access, action: 'events.get', isFailure: false }, '{"a":1}')

describeRepository('audit records', {
  read: async ({ account }) => ({
    names: await auditNames(account),
    found: ((text) => (text === undefined ? undefined : (JSON.parse(text) as { time: number }).time))(await findAuditRecord(account, AUDIT_ROOT + item)),
    all: await scan(account),
  }),
  absent: { names: { accesses: [], actions: [] }, found: undefined, all: [] },
  steps: [
    { write: (t) => putAuditName(t, auditActionName('events.get')), expected: { names: { accesses: [], actions: ['events.get'] }, found: undefined, all: [] } },
    {
      write(t) {
        putAuditName(t, auditAccessName('ca1'))
        t.put(accountKeys.audit(t.account, 'ca1', 5, item), value('ca1'))
      },
      expected: { names: { accesses: ['ca1'], actions: ['events.get'] }, found: 5, all: [AUDIT_ROOT + item] },
    },
  ],
})

describe('queries of audit records', () => {
  const all = repositories()

  it('return records by time across accesses, filtered by access, time window, modification and limit', async () => {
    const account = await all.account()
    const items = [1, 2, 3, 4].map((second) => ids(second * 1000))
    await account.write((t) => {
      for (const [i, one] of items.entries()) {
        const access = i % 2 === 0 ? 'ca1' : 'ca2'
        putAuditName(t, auditAccessName(access))
        t.put(accountKeys.audit(t.account, access, i + 1, one), value(access))
      }
    })
    const named = items.map((one) => AUDIT_ROOT + one)
    const [first, second, third, fourth] = named
    expect(await scan(account)).toEqual(named)
    expect(await scan(account, { ascending: false })).toEqual([...named].reverse())
    const streams = [{ any: new Set([auditStreamOfAccess('ca2')]), all: [], not: new Set<string>(), account: new Set<string>() }]
    expect(await scan(account, { streams })).toEqual([second, fourth])
    expect(await scan(account, { window: { from: 2, to: 3, includeRunning: true } })).toEqual([second, third])
    expect(await scan(account, { modifiedSince: 2 })).toEqual([third, fourth])
    expect((await scan(account, { limit: 1 }))[0]).toBe(first)
    for (const none of [{ limit: 0 }, { runningOnly: true }, { state: 'trashed' }] as const) expect(await scan(account, none)).toEqual([])
    expect(await findAuditRecord(account, 'cjx0000000000000000000001')).toBeUndefined()
  })
})
