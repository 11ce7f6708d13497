/** Effective streams of events while streams are created and removed. */
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { readMergeState } from '../../../src/store/engine/mergeState.js'
import { addEvent, findEvent } from '../../../src/store/events/events.js'
import type { Event } from '../../../src/store/model/event.js'
import { RECOVERED } from '../../../src/store/model/recovered.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { addStream, removeFromTree, removeStream } from '../../../src/store/streams/streams.js'
import { repositories } from '../repository.js'
import { reindexEvents, resolveEventStreams, restoreStream } from '../../../src/store/streams/effectiveStreams.js'

const ID = 'cjx0000000000000000000001'
const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
const stream = (id: string): Stream => ({ id, name: id, parentId: null, ...tracking })
const event = (streamIds: string[]): Event => ({ id: ID, streamIds, type: 'note/txt', content: 'a', time: 10, tags: [], ...tracking })

describe('effective streams', () => {
  const all = repositories()

  async function open(streams: readonly string[]): Promise<Account> {
    const account = await all.account()
    await account.write((t) => streams.forEach((id) => addStream(account, t, all.store.recorder, stream(id))))
    return account
  }
  const unplaced = async ({ prefix }: Account): Promise<Record<string, string[]>> =>
    Object.fromEntries([...(await readMergeState(all.store.db, prefix)).unplacedEvents].map(([id, events]) => [id, [...events]]))

  it.each([
    [['s', 't'], ['s', 't'], ['s', 't'], {}],
    [['s'], ['s', 't'], ['s'], { t: [ID] }],
    [[], ['s', 't'], [RECOVERED], { s: [ID], t: [ID] }],
    [[], [':_system:email'], [':_system:email'], {}],
    [[], [RECOVERED], [RECOVERED], {}],
  ])('are resolved among existing %j for declared %j', async (existing, declared, effective, missing) => {
    const [account, other] = [await open(existing), await open(existing)]
    expect(await account.write((t) => resolveEventStreams(account, t, all.store.recorder, ID, declared, 5))).toEqual(effective)
    expect(account.tree.has(RECOVERED)).toBe(effective.includes(RECOVERED))
    expect(await unplaced(account)).toEqual(missing)
    expect([other.tree.has(RECOVERED), await unplaced(other)]).toEqual([false, {}])
    const conflict = all.store.db.get(accountKeys.conflict(account.prefix, `e${ID}`))
    expect(conflict !== undefined).toBe(effective.includes(RECOVERED))
  })

  it('change when a stream is removed and restored', async () => {
    const account = await open(['s', 't'])
    const { db, recorder } = all.store
    const effectiveIds = (): string[] | undefined => findEvent(db, account.prefix, ID)?.streamIds
    await account.write((t) => void addEvent(t, recorder, event(['s', 't'])))
    for (const [id, remaining] of [['s', ['t']], ['t', [RECOVERED]]] as const) {
      await account.write((t) => {
        removeFromTree(account, t, id, 5)
        reindexEvents(account, t, recorder, [ID], 5)
      })
      expect(effectiveIds()).toEqual(remaining)
    }
    expect(await unplaced(account)).toEqual({ s: [ID], t: [ID] })
    await account.write((t) => {
      addStream(account, t, recorder, stream('s'))
      restoreStream(account, t, recorder, 's', 6)
    })
    expect([effectiveIds(), await unplaced(account)]).toEqual([['s'], { t: [ID] }])
    // No write happens for events whose streams are unchanged, or that do not exist.
    const written: string[] = []
    await account.write((t) => reindexEvents(account, { ...t, put: (key) => void written.push(key) }, recorder, [ID, 'cjx0000000000000000000009'], 7))
    expect(written).toEqual([])
  })

  it('create the recovered stream with equal bytes on every replica, in each generation', async () => {
    const accounts = [await open([]), await open([])]
    for (let generation = 0; generation < 2; generation++) {
      const journals = []
      for (const account of accounts) {
        await account.write((t) => resolveEventStreams(account, t, all.store.recorder, ID, ['gone'], 5 + accounts.indexOf(account)))
        journals.push(all.store.db.getBytes(accountKeys.journal(account.prefix, account.sequence)))
        expect(account.tree.get(RECOVERED)?.created).toBe(generation)
        await account.write((t) => removeStream(account, t, all.store.recorder, RECOVERED, 8))
      }
      expect(journals[0]).toEqual(journals[1])
    }
  })
})
