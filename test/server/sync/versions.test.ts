/** Earlier versions of an event are the same on all mirrors, regardless of their settings at the time of a change. */
import { afterEach, describe, expect, it } from 'vitest'
import { each } from '../../../src/store/engine/database.js'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { expectSound } from '../../support/store/check.js'
import { integrityOf } from '../../support/oracles/integrity.js'
import { placesOf, startTestNode } from '../../support/nodes/node.js'
import { callAt, pairSides, sidesInSync, startSide, stopSides, type Side } from '../../support/sync/pairedNodes.js'

type Version = Record<string, unknown>
const SHOWN = { 'versioning.forceKeepHistory': true }
let here: Side
let there: Side

async function pair(settings: Record<string, unknown>, others: Record<string, unknown>): Promise<void> {
  here = await startSide(settings)
  there = await startSide(others)
  await pairSides(here, there)
  await callAt(here, 'streams.create', { id: 'diary', name: 'Diary' })
  await sidesInSync(here, there)
}
afterEach(() => stopSides(here, there))

const historyAt = async (on: Side, id: string): Promise<Version[]> =>
  (await callAt(on, 'events.getOne', { id, includeHistory: true }))['history'] as unknown as Version[]
const contentsAt = async (on: Side, id: string): Promise<unknown[]> => (await historyAt(on, id)).map(({ content }) => content)
const note = async (on: Side, content: string): Promise<string> =>
  String((await callAt(on, 'events.create', { streamIds: ['diary'], type: 'note/txt', content }))['event']?.['id'])
const edit = (on: Side, id: string, update: object): Promise<unknown> => callAt(on, 'events.update', { id, update })

/** Restarts a side with other settings. */
async function restart(side: Side, settings: Record<string, unknown>): Promise<void> {
  await side.node.stop()
  side.node = await startTestNode(settings, { home: side.home })
  const account = (await side.node.node.accounts.find('anna1'))?.account
  if (account === undefined) throw new Error('no account')
  side.account = account
}

const setPaused = async (isPaused: boolean): Promise<void> => {
  for (const one of [here, there]) await one.node.node.sync.peers.change(one.account, 1, { paused: isPaused })
}

describe('the earlier versions of an event', () => {
  it('are available on a node with the setting, including those from other nodes and from before a change of the setting', async () => {
    await pair(SHOWN, {})
    const id = await note(there, 'one')
    await edit(there, id, { content: 'two' })
    await sidesInSync(here, there)
    await edit(here, id, { content: 'three' })
    await edit(here, id, { content: 'four' })
    await sidesInSync(here, there)
    const history = await historyAt(here, id)
    expect(history.map(({ content }) => content)).toEqual(['one', 'two', 'three'])
    for (const version of history) expect(version['integrity']).toBe(integrityOf(version))
    expect(await historyAt(there, id)).toEqual([])
    await restart(there, SHOWN)
    expect(await historyAt(there, id)).toEqual(history)
    await restart(here, {})
    expect(await historyAt(here, id)).toEqual([])
    await restart(here, SHOWN)
    expect(await historyAt(here, id)).toEqual(history)
    const stored: string[] = []
    for await (const key of each(here.account.db.keys(under(accountKeys.versions(here.account.prefix, '').slice(0, -1))))) stored.push(key)
    expect(stored).toEqual([])
  })

  it('have the same order on all nodes after concurrent edits, and the contents of each node', async () => {
    await pair(SHOWN, SHOWN)
    const id = await note(here, 'one')
    await sidesInSync(here, there)
    await setPaused(true)
    await edit(here, id, { content: 'here' })
    await edit(there, id, { description: 'there' })
    await edit(there, id, { tags: ['there'] })
    await edit(here, id, { content: 'here again' })
    await setPaused(false)
    await sidesInSync(here, there)
    const history = await historyAt(here, id)
    expect(await historyAt(there, id)).toEqual(history)
    expect(history.map(({ content, description, tags }) => [content, description, tags])).toEqual([
      ['one', undefined, []],
      ['here', undefined, []],
      ['one', 'there', []],
      ['one', 'there', ['there']],
      ['here again', undefined, []],
    ])
    await edit(there, id, { content: 'together' })
    await sidesInSync(here, there)
    expect(await historyAt(here, id)).toEqual(history)
    expect(await contentsAt(there, id)).toEqual(history.map(({ content }) => content))
  })

  it('are preserved or removed by the deletion mode of each node when the event is deleted', async () => {
    await pair({ ...SHOWN, 'versioning.deletionMode': 'keep-everything' }, { ...SHOWN, 'versioning.deletionMode': 'keep-authors' })
    const id = await note(here, 'one')
    await sidesInSync(here, there)
    await edit(there, id, { content: 'two' })
    await callAt(there, 'events.delete', { id })
    const before = await historyAt(there, id)
    expect(before).toHaveLength(2)
    await callAt(there, 'events.delete', { id })
    await sidesInSync(here, there)
    expect(await historyAt(here, id)).toEqual(before)
    const authors = await historyAt(there, id)
    expect(authors.map(({ modified, modifiedBy }) => [modified, modifiedBy])).toEqual(before.map(({ modified, modifiedBy }) => [modified, modifiedBy]))
    for (const version of authors) {
      expect(Object.keys(version).sort()).toEqual(['id', 'integrity', 'modified', 'modifiedBy'])
      expect(version['integrity']).toBe(integrityOf(version))
    }
    await restart(there, SHOWN)
    expect(await historyAt(there, id)).toEqual(authors)
    const other = await note(there, 'one')
    await edit(there, other, { content: 'two' })
    for (const _ of ['trashed', 'deleted']) await callAt(there, 'events.delete', { id: other })
    expect(await historyAt(there, other)).toEqual([])
    for (const { node, home } of [here, there]) {
      await node.stop()
      await expectSound(placesOf(home))
    }
  })
})
