/** By what deletions change the state of an account: what follows the journal adds it up without looking at items. */
import { beforeAll, afterAll, describe, expect, it } from 'vitest'
import { each } from '../../src/store/database.js'
import { decodeEntry, erasedElement, readJournal } from '../../src/store/journal.js'
import { accountKeys, under } from '../../src/store/keys.js'
import {
  changeElement,
  deletionElement,
  graveElement,
  noElement,
  staysHome,
  textElement,
  toggle,
} from '../../src/store/model/element.js'
import { findGrave } from '../../src/store/graves.js'
import { changeHash } from '../../src/sync/document.js'
import { fakeClock } from '../support/clock.js'
import { makeAccount, request, startTestNode, type TestNode } from '../support/node.js'

const EVENT = 'cjx0000000000000000000001'
let node: TestNode
const clock = fakeClock()
beforeAll(async () => {
  node = await startTestNode({}, { clock })
})
afterAll(() => node.stop())

/** What the journal adds up to, erased entries included. */
async function replayed(): Promise<Buffer> {
  const account = await node.node.store.account('1')
  const state = Buffer.from(noElement())
  for await (const [, bytes] of each(account.db.byteEntries(under(accountKeys.journals(account.prefix))))) {
    const erased = erasedElement(bytes)
    if (erased !== undefined) toggle(state, erased.element)
    const entry = decodeEntry(bytes)
    if (entry?.kind !== 'event' && entry?.kind !== 'stream') continue
    const item = entry.kind.charAt(0) + entry.id
    if (!staysHome(item)) toggle(state, entry.action === 'delete' ? entry.change : changeElement(item, entry.change))
  }
  return state
}

describe('deletions in the journal', () => {
  it('hold by what the state of the account changed', async () => {
    const token = await makeAccount(node, 'ana-lov')
    const call = async (method: string, path: string, body?: unknown): Promise<void> => {
      const { status } = await request(`${node.url}ana-lov/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
      expect([200, 201]).toContain(status)
      clock.pass(1)
    }
    await call('POST', 'streams', { id: 'x', name: 'X' })
    const account = await node.node.store.account('1')
    const first = []
    for await (const { kind, change } of readJournal(account.db, '1')) if (kind === 'stream') first.push(changeHash(change))
    const begun = await replayed()
    await call('POST', 'events', { id: EVENT, streamIds: ['x'], type: 'note/txt', content: 'a' })
    await call('PUT', `events/${EVENT}`, { content: 'b' })
    await call('DELETE', `events/${EVENT}`)
    await call('DELETE', `events/${EVENT}`)
    const deleted = clock.now() - 1
    const expected = begun
    toggle(expected, deletionElement(`e${EVENT}`, deleted))
    expect(await replayed()).toEqual(expected)

    const withEvent = (state: Uint8Array): Buffer => {
      const sum = Buffer.from(state)
      toggle(sum, deletionElement(`e${EVENT}`, deleted))
      return sum
    }

    await call('DELETE', 'streams/x')
    await call('DELETE', 'streams/x')
    const grave = { deleted: clock.now() - 1, roots: first }
    expect(findGrave(account.db, '1', 'x')).toEqual(grave)
    expect(await replayed()).toEqual(withEvent(graveElement('sx', grave.deleted, first)))

    await call('POST', 'streams', { id: 'x', name: 'X again' })
    await call('DELETE', 'streams/x')
    await call('DELETE', 'streams/x')
    const later = findGrave(account.db, '1', 'x')
    expect(later?.deleted).toBe(clock.now() - 1)
    expect(later?.roots).toHaveLength(2)
    expect(later?.roots).toContain(first[0])
    expect(await replayed()).toEqual(withEvent(graveElement('sx', clock.now() - 1, later?.roots ?? [])))
  })

  it('tell elements of one item from those of another', () => {
    expect(textElement('ea', 'x')).not.toEqual(textElement('eb', 'x'))
    expect([staysHome('e:_system:language'), staysHome('e:system:email'), staysHome('s:_cmc:a')]).toEqual([true, true, false])
  })
})
