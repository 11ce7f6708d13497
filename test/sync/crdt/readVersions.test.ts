/** The history of an event with thousands of changes is read while others go on. */
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
const said = (n: number): Event => ({
  ...{ id: ID, streamIds: ['diary'], type: 'note/txt', content: `note ${n}`, time: 1, tags: [] },
  ...{ created: 1, createdBy: 'p', modified: 1 + n, modifiedBy: 'p' },
})

beforeAll(async () => {
  standalone = await standaloneAccount()
  await standalone.account.write((t) => {
    addEvent(t, recorder, said(0))
    for (let n = 1; n < CHANGES; n++) replaceEvent(t, recorder, said(n - 1), said(n))
  })
})
afterAll(() => standalone.close())

describe('the history of an event with thousands of changes', () => {
  it('lets others have their turn while it is read, and shows the moment at which it was asked for', async () => {
    const { account } = standalone
    let turns = 0
    let wasThere: boolean | undefined
    // A quarter of the way through the changes, the event is deleted, and the reading goes on after the response.
    const pause = (): Promise<void> | undefined => {
      turns += 1
      return turns === CHANGES / 4 ? deletion() : undefined
    }
    const deletion = async (): Promise<void> => {
      await account.write((t) => void removeEvent(t, recorder, said(CHANGES - 1), 5, 'keep-nothing', (kept) => kept))
      wasThere = findEvent(account.db, account.prefix, ID) !== undefined
    }
    const moment = openSnapshot(account.db)
    const versions = await readVersions({ db: moment.db, prefix: account.prefix }, ID, pause, { count: 1000 })
    await moment.close()
    expect(wasThere).toBe(false)
    // Each change is read, decoded and replayed.
    expect(turns).toBe(3 * CHANGES)
    expect(versions.map(({ event }) => event.content)).toEqual(Array.from({ length: 1000 }, (_, n) => `note ${CHANGES - 1001 + n}`))
    expect(await readVersions(account, ID, pause, { count: 1000 })).toEqual([])
  })
})
