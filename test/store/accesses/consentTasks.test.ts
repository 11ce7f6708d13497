/** Pending tasks about messages between accounts. */
import { describe, expect, it } from 'vitest'
import { findTask, listTasks, putTask, removeTask, type ConsentTask } from '../../../src/store/accesses/consentTasks.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { describeRepository, repositories, type TestAccount } from '../repository.js'

const task: ConsentTask = { id: 'k1', kind: 'response', attempts: 0, due: 5, payload: { token: 'secret-token' } }
const later: ConsentTask = { id: 'k1', kind: 'response', attempts: 1, due: 50 }

async function due({ store, account }: TestAccount): Promise<string[]> {
  const found: string[] = []
  for await (const one of listTasks(store.db)) if (one.account === account.prefix) found.push(one.id)
  return found
}

describeRepository('consent tasks', {
  read: async (place) => [findTask(place.store.db, place.store.seal, place.account.prefix, 'k1'), await due(place)],
  absent: [undefined, []],
  steps: [
    { write: (t, { store }) => putTask(t, store.seal, task), expected: [task, ['k1']] },
    { write: (t, { store }) => putTask(t, store.seal, later), expected: [later, ['k1']] },
  ],
  remove: (t) => removeTask(t, 'k1'),
})

describe('payloads of consent tasks', () => {
  const all = repositories()

  it('are sealed for one account', async () => {
    const { db, seal } = all.store
    const [one, other] = [await all.account(), await all.account()]
    await one.write((t) => putTask(t, seal, task))
    const text = db.get(accountKeys.consentTask(one.prefix, 'k1')) ?? ''
    expect(text).not.toContain('secret-token')
    await other.write((t) => t.put(accountKeys.consentTask(t.account, 'k1'), text))
    expect(() => findTask(db, seal, other.prefix, 'k1')).toThrow()
  })
})
