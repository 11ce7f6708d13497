/** What is deleted on one node is found on no node's disk once they have met: no content, no history, no file, no points. */
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { initialise } from '../../../src/server/init.js'
import type { Account } from '../../../src/store/account.js'
import { accountKeys, under } from '../../../src/store/keys.js'
import { addPeer } from '../../../src/sync/peers/records.js'
import { makeIdentity } from '../../../src/sync/pairing/identity.js'
import { expectSound } from '../../support/check.js'
import { makeAccount, placesOf, request, startTestNode, type TestNode } from '../../support/node.js'
import { textsOnDisk } from '../../support/onDisk.js'
import { begun, pairScripted, refusalsOf } from '../../support/scriptedPeer.js'
import { createRecorder } from '../../../src/sync/document.js'

interface Side {
  home: string
  node: TestNode
  token: string
  account: Account
}

const SETTINGS = { 'versioning.deletionMode': 'keep-nothing', 'versioning.forceKeepHistory': true }
const PAIRING = 'E'.repeat(22)
let here: Side
let there: Side

async function side(): Promise<Side> {
  const home = await mkdtemp(join(tmpdir(), 'coffer-erased-'))
  await initialise(placesOf(home))
  const node = await startTestNode(SETTINGS, { home })
  const token = await makeAccount(node, 'anna1')
  const account = (await node.node.accounts.find('anna1'))?.account
  if (account === undefined) throw new Error('no account')
  return { home, node, token, account }
}

async function pair(a: Side, b: Side): Promise<void> {
  for (const [one, other, address] of [[a, b, { address: b.node.url }], [b, a, {}]] as const) {
    const { node } = await makeIdentity(other.node.node.store)
    const peer = await addPeer(one.account, { name: 'other', pairing: PAIRING, node, scope: { is: 'mirror' }, paired: 1, ...address })
    await one.node.node.sync.peers.added(one.account, peer.number)
  }
}

async function api(on: Side, method: string, params: unknown): Promise<Record<string, Record<string, unknown>>> {
  const { body } = await request(`${on.node.url}anna1/`, { token: on.token, body: [{ method, params }] })
  const [result] = body['results'] as Record<string, Record<string, unknown>>[]
  if (result === undefined || 'error' in result) throw new Error(JSON.stringify(result ?? body))
  return result
}

async function inStep(): Promise<void> {
  const [compared] = await here.node.node.sync.peers.compare({ account: here.account }, { seconds: 20, deep: false })
  const refused = await Promise.all([here, there].map(async ({ node, account }) => (await node.node.sync.conflicts(account, 10)).refused))
  expect({ ...compared, refused }).toMatchObject({ state: 'in-step', refused: [[], []] })
  for (let n = 0; n < 100; n++) {
    const [status] = await there.node.node.sync.peers.statuses(there.account)
    if (status?.filesPending === undefined || status.filesPending === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

beforeAll(async () => {
  here = await side()
  there = await side()
  await pair(here, there)
})
afterAll(async () => {
  for (const { home } of [here, there]) await rm(home, { recursive: true, force: true })
})

const MARKS = ['first', 'second', 'third', 'tag', 'described', 'filed', 'point', 'stream', 'renamed', 'refused', 'apart', 'client'].map((word) => `zq-${word}-mark`)
const mark = (word: string): string => `zq-${word}-mark`

it('leaves nothing on either disk', async () => {
  await api(here, 'streams.create', { id: 'work', name: 'work' })
  await api(here, 'streams.create', { id: 'doomed', name: mark('stream') })
  await api(here, 'streams.update', { id: 'doomed', update: { name: mark('renamed') } })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['work'], type: 'note/txt', content: mark('first'), tags: [mark('tag')], clientData: { a: mark('client') } }))
  form.append('file', new Blob([`${mark('filed')} `.repeat(1000)]), 'plain.txt')
  const made = await fetch(`${here.node.url}anna1/events`, { method: 'POST', headers: { authorization: here.token }, body: form })
  const { event } = (await made.json()) as { event: { id: string } }
  const log = (await api(here, 'events.create', { streamIds: ['work'], type: 'series:note/txt' }))['event'] as { id: string }
  const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: Array.from({ length: 50 }, (_, i) => [i, `${mark('point')} ${i}`]) }
  expect((await request(`${here.node.url}anna1/events/${log.id}/series`, { token: here.token, body: points })).status).toBe(200)
  await inStep()
  await api(here, 'events.update', { id: event.id, update: { content: mark('second') } })
  await inStep()
  await api(there, 'events.update', { id: event.id, update: { content: mark('third'), description: mark('described') } })
  await inStep()

  // Edited on both while they are apart, so that a conflict is noted.
  for (const one of [here, there]) {
    const [status] = await one.node.node.sync.peers.statuses(one.account)
    const number = (await one.node.node.sync.peers.named(one.account, status?.name ?? '')).number
    await one.node.node.sync.peers.change(one.account, number, { paused: true })
  }
  await api(here, 'events.update', { id: event.id, update: { content: `${mark('apart')} here` } })
  await api(there, 'events.update', { id: event.id, update: { content: `${mark('apart')} there` } })
  for (const one of [there, here]) await one.node.node.sync.peers.change(one.account, 1, { paused: false })
  await inStep()

  // Refused of another peer, and kept aside.
  const scripted = await pairScripted(here.node, 'anna1')
  const talk = await begun(scripted)
  const recorder = createRecorder({ actor: 'ab'.repeat(16) })
  const item = { id: event.id, streamIds: ['work'], type: 'note/txt', content: mark('refused'), time: 1, tags: [` ${mark('refused')}`], created: 1, createdBy: 'x', modified: 9e9, modifiedBy: 'x' }
  expect(await talk.give({ entries: [{ kind: 'event', id: event.id, changes: [recorder.created({ kind: 'event', item })] }] })).toBe(1)
  await talk.close()
  expect(await refusalsOf(scripted)).toEqual({ [`e${event.id}`]: 'invalid' })

  const before = await Promise.all([here, there].map(({ home }) => textsOnDisk(home, MARKS)))
  // All of it is there, on both: else the search would prove nothing.
  for (const word of ['first', 'second', 'third', 'tag', 'described', 'apart', 'client', 'stream', 'renamed', 'filed']) {
    for (const found of before) expect(found.some((line) => line.endsWith(mark(word))), word).toBe(true)
  }
  for (const id of [event.id, log.id]) {
    await api(there, 'events.delete', { id })
    await api(there, 'events.delete', { id })
  }
  await api(there, 'streams.delete', { id: 'doomed' })
  await api(there, 'streams.delete', { id: 'doomed' })
  await inStep()
  expect(await refusalsOf(scripted)).toEqual({})
  for (const { node, home, account } of [here, there]) {
    await node.node.store.blobs.settled()
    await account.db.compact({ gte: '', lt: '\uffff' })
    await account.db.compact(under(accountKeys.all(account.prefix)))
    await node.stop()
    expect(await textsOnDisk(home, MARKS)).toEqual([])
    // The search would find what was there.
    await appendFile(join(home, 'proof'), mark('point'))
    expect(await textsOnDisk(home, MARKS)).toHaveLength(1)
    await expectSound(placesOf(home))
  }
})
