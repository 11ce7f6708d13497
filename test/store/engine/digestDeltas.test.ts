/** Digest deltas of deletions: a reader of the journal sums them without reading items. */
import { beforeAll, afterAll, describe, expect, it } from 'vitest'
import { erasedEntry, isErased, readJournal } from '../../../src/store/engine/journal.js'
import {
  changeElement,
  deletionElement,
  tombstoneElement,
  zeroDigest,
  isNodeLocal,
  textElement,
  xorInto,
} from '../../../src/store/model/digestElement.js'
import { findTombstone } from '../../../src/store/streams/tombstones.js'
import { changeHash } from '../../../src/sync/crdt/document.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { makeAccount, request, startTestNode, type TestNode } from '../../support/nodes/node.js'

const EVENT = 'cjx0000000000000000000001'
let node: TestNode
const clock = fakeClock()
beforeAll(async () => {
  node = await startTestNode({}, { clock })
})
afterAll(() => node.stop())

const added = Buffer.from(zeroDigest())
let followedTo = 0

/** Returns the digest summed from the journal; entries are read before a later call erases them. */
async function follow(): Promise<Buffer> {
  const account = await node.node.store.account('1')
  for await (const { sequence, kind, action, id, change } of readJournal(account.db, account.prefix, followedTo + 1)) {
    followedTo = sequence
    const item = kind.charAt(0) + id
    if ((kind !== 'event' && kind !== 'stream') || isNodeLocal(item)) continue
    xorInto(added, action === 'delete' ? change : changeElement(item, change))
  }
  return Buffer.from(added)
}

describe('deletions in the journal', () => {
  it('contain the change of the account digest', async () => {
    const token = await makeAccount(node, 'ana-lov')
    const call = async (method: string, path: string, body?: unknown): Promise<void> => {
      const { status } = await request(`${node.url}ana-lov/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
      expect([200, 201]).toContain(status)
      await follow()
      clock.pass(1)
    }
    await call('POST', 'streams', { id: 'x', name: 'X' })
    const account = await node.node.store.account('1')
    const first = []
    for await (const { kind, change } of readJournal(account.db, '1')) if (kind === 'stream') first.push(changeHash(change))
    const initial = await follow()
    await call('POST', 'events', { id: EVENT, streamIds: ['x'], type: 'note/txt', content: 'a' })
    await call('PUT', `events/${EVENT}`, { content: 'b' })
    await call('DELETE', `events/${EVENT}`)
    await call('DELETE', `events/${EVENT}`)
    const deleted = clock.now() - 1
    const expected = initial
    xorInto(expected, deletionElement(`e${EVENT}`, deleted))
    expect(await follow()).toEqual(expected)

    const withEvent = (state: Uint8Array): Buffer => {
      const sum = Buffer.from(state)
      xorInto(sum, deletionElement(`e${EVENT}`, deleted))
      return sum
    }

    await call('DELETE', 'streams/x')
    await call('DELETE', 'streams/x')
    const tombstone = { deleted: clock.now() - 1, roots: first }
    expect(findTombstone(account.db, '1', 'x')).toEqual(tombstone)
    expect(await follow()).toEqual(withEvent(tombstoneElement('sx', tombstone.deleted, first)))

    await call('POST', 'streams', { id: 'x', name: 'X again' })
    await call('DELETE', 'streams/x')
    await call('DELETE', 'streams/x')
    const later = findTombstone(account.db, '1', 'x')
    expect(later?.deleted).toBe(clock.now() - 1)
    expect(later?.roots).toHaveLength(2)
    expect(later?.roots).toContain(first[0])
    expect(await follow()).toEqual(withEvent(tombstoneElement('sx', clock.now() - 1, later?.roots ?? [])))
  })

  it('leave erased entries of one byte, or of one byte and a digest element', () => {
    const withElement = Buffer.concat([erasedEntry(), Buffer.alloc(18, 7)])
    expect([erasedEntry(), withElement, withElement.subarray(1), withElement.subarray(0, 18)].map(isErased)).toEqual([true, true, false, false])
  })

  it('have different elements for different items, and recognise node-local items', () => {
    expect(textElement('ea', 'x')).not.toEqual(textElement('eb', 'x'))
    expect([isNodeLocal('e:_system:language'), isNodeLocal('e:system:email'), isNodeLocal('s:_cmc:a')]).toEqual([true, true, false])
  })
})
