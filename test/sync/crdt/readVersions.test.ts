/** Reads of the history of an event with thousands of changes during other work. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addEvent, findEvent, removeEvent, replaceEvent } from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { openSnapshot } from '../../../src/store/engine/database.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { readVersions } from '../../../src/sync/digest/readVersions.js'
import { standaloneAccount, type StandaloneAccount } from '../../store/series/support.js'

const ID = 'cmany'
const CHANGES = 2000
let standalone: StandaloneAccount
const recorder = createRecorder({ actor: '00'.repeat(16) })
const version = (n: number): Event => ({
  ...{ id: ID, streamIds: ['diary'], type: 'note/txt', content: `note ${n}`, time: 1, tags: [] },
  ...{ created: 1, createdBy: 'p', modified: 1 + n, modifiedBy: 'p' },
})

beforeAll(async () => {
  standalone = await standaloneAccount()
  await standalone.account.write((t) => {
    addEvent(t, recorder, version(0))
    for (let n = 1; n < CHANGES; n++) replaceEvent(t, recorder, version(n - 1), version(n))
  })
})
afterAll(() => standalone.close())

describe('the history of an event with thousands of changes', () => {
  it('yields to other work while it is read, and is read from one snapshot', async () => {
    const { account } = standalone
    let pauses = 0
    let existed: boolean | undefined
    // After a quarter of the changes, the event is deleted, and the reading continues after the response.
    const pause = (): Promise<void> | undefined => {
      pauses += 1
      return pauses === CHANGES / 4 ? deletion() : undefined
    }
    const deletion = async (): Promise<void> => {
      await account.write((t) => void removeEvent(t, recorder, version(CHANGES - 1), 5, 'keep-nothing', (kept) => kept))
      existed = findEvent(account.db, account.prefix, ID) !== undefined
    }
    const moment = openSnapshot(account.db)
    const versions = await readVersions({ db: moment.db, prefix: account.prefix }, ID, pause, { count: 1000 })
    await moment.close()
    expect(existed).toBe(false)
    // Each change is read, decoded and replayed.
    expect(pauses).toBe(3 * CHANGES)
    expect(versions.map(({ event }) => event.content)).toEqual(Array.from({ length: 1000 }, (_, n) => `note ${CHANGES - 1001 + n}`))
    expect(await readVersions(account, ID, pause, { count: 1000 })).toEqual([])
  })
})
