/** Deletion on one node erases content, history, files and points from the disks of both nodes after a sync. */
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountKeys, under } from '../../../src/store/engine/keys.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { expectSound } from '../../support/store/check.js'
import { placesOf, request } from '../../support/nodes/node.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { callAt, pairSides, sidesInSync, startSide, type Side } from '../../support/sync/pairedNodes.js'
import { begun, pairScripted, refusalsOf } from '../../support/sync/scriptedPeer.js'

const SETTINGS = { 'versioning.deletionMode': 'keep-nothing', 'versioning.forceKeepHistory': true }
let here: Side
let there: Side

beforeAll(async () => {
  here = await startSide(SETTINGS)
  there = await startSide(SETTINGS)
  await pairSides(here, there)
})
afterAll(async () => {
  for (const { home } of [here, there]) await rm(home, { recursive: true, force: true })
})

const MARKS = ['first', 'second', 'third', 'tag', 'described', 'filed', 'point', 'stream', 'renamed', 'refused', 'apart', 'client'].map((word) => `zq-${word}-mark`)
const mark = (word: string): string => `zq-${word}-mark`

it('no deleted data remains on either disk', async () => {
  await callAt(here, 'streams.create', { id: 'work', name: 'work' })
  await callAt(here, 'streams.create', { id: 'doomed', name: mark('stream') })
  await callAt(here, 'streams.update', { id: 'doomed', update: { name: mark('renamed') } })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['work'], type: 'note/txt', content: mark('first'), tags: [mark('tag')], clientData: { a: mark('client') } }))
  form.append('file', new Blob([`${mark('filed')} `.repeat(1000)]), 'plain.txt')
  const made = await fetch(`${here.node.url}anna1/events`, { method: 'POST', headers: { authorization: here.token }, body: form })
  const { event } = (await made.json()) as { event: { id: string } }
  const log = (await callAt(here, 'events.create', { streamIds: ['work'], type: 'series:note/txt' }))['event'] as { id: string }
  const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: Array.from({ length: 50 }, (_, i) => [i, `${mark('point')} ${i}`]) }
  expect((await request(`${here.node.url}anna1/events/${log.id}/series`, { token: here.token, body: points })).status).toBe(200)
  await sidesInSync(here, there)
  await callAt(here, 'events.update', { id: event.id, update: { content: mark('second') } })
  await sidesInSync(here, there)
  await callAt(there, 'events.update', { id: event.id, update: { content: mark('third'), description: mark('described') } })
  await sidesInSync(here, there)

  // Concurrent edits cause a conflict.
  for (const one of [here, there]) {
    const [status] = await one.node.node.sync.peers.statuses(one.account)
    const number = (await one.node.node.sync.peers.named(one.account, status?.name ?? '')).number
    await one.node.node.sync.peers.change(one.account, number, { paused: true })
  }
  await callAt(here, 'events.update', { id: event.id, update: { content: `${mark('apart')} here` } })
  await callAt(there, 'events.update', { id: event.id, update: { content: `${mark('apart')} there` } })
  for (const one of [there, here]) await one.node.node.sync.peers.change(one.account, 1, { paused: false })
  await sidesInSync(here, there)

  // A refused change of another peer is stored as a refusal.
  const scripted = await pairScripted(here.node, 'anna1')
  const talk = await begun(scripted)
  const recorder = createRecorder({ actor: 'ab'.repeat(16) })
  const item = { id: event.id, streamIds: ['work'], type: 'note/txt', content: mark('refused'), time: 1, tags: [` ${mark('refused')}`], created: 1, createdBy: 'x', modified: 9e9, modifiedBy: 'x' }
  expect(await talk.give({ entries: [{ kind: 'event', id: event.id, changes: [recorder.created({ kind: 'event', item })] }] })).toBe(1)
  await talk.close()
  expect(await refusalsOf(scripted)).toEqual({ [`e${event.id}`]: 'invalid' })

  const before = await Promise.all([here, there].map(({ home }) => textsOnDisk(home, MARKS)))
  // Both disks contain the data before, so the search works.
  for (const word of ['first', 'second', 'third', 'tag', 'described', 'apart', 'client', 'stream', 'renamed', 'filed']) {
    for (const found of before) expect(found.some((line) => line.endsWith(mark(word))), word).toBe(true)
  }
  for (const id of [event.id, log.id]) {
    await callAt(there, 'events.delete', { id })
    await callAt(there, 'events.delete', { id })
  }
  await callAt(there, 'streams.delete', { id: 'doomed' })
  await callAt(there, 'streams.delete', { id: 'doomed' })
  await sidesInSync(here, there)
  expect(await refusalsOf(scripted)).toEqual({})
  for (const { node, home, account } of [here, there]) {
    await node.node.store.blobs.settled()
    await account.db.compact({ gte: '', lt: '\uffff' })
    await account.db.compact(under(accountKeys.all(account.prefix)))
    await node.stop()
    expect(await textsOnDisk(home, MARKS)).toEqual([])
    // The search finds a mark.
    await appendFile(join(home, 'proof'), mark('point'))
    expect(await textsOnDisk(home, MARKS)).toHaveLength(1)
    await expectSound(placesOf(home))
  }
})
