/** Data from before an item entered a share, or from outside of it, is neither sent to the peer nor stored on its disk. */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectSound } from '../../support/store/check.js'
import { textsOnDisk } from '../../support/store/onDisk.js'
import { callAt, sharing, startSide, type Side } from '../../support/sync/pairedNodes.js'
import { tappedLine, textOf, type TappedLine } from '../../support/sync/recordedSession.js'

const OFF = { 'sync.active': false }
let host: Side
let guest: Side
let line: TappedLine
let moved: string
let mine: string

const mark = (word: string): string => `zq-${word}-mark`
/** Marks of private data of the host (SECRETS) and of the guest (OWN). */
const SECRETS = ['content', 'description', 'tag', 'client', 'file', 'bytes', 'stream', 'place', 'above', 'outside'].map(mark)
const OWN = ['content', 'description', 'tag', 'client', 'file', 'bytes', 'place'].map((word) => mark(`own-${word}`))

interface Item {
  id: string
  attachments?: { id: string }[]
}
const eventIn = (answer: Record<string, unknown>): Item => answer['event'] as Item
const update = (side: Side, id: string, change: object): Promise<unknown> => callAt(side, 'events.update', { id, update: change })
const stream = (side: Side, id: string, name: string, parentId: string | null = null): Promise<unknown> => callAt(side, 'streams.create', { id, name, parentId })
const eventAt = async (side: Side, id: string): Promise<Record<string, unknown>> => {
  const { integrity: _i, streamId: _s, attachments: _a, ...rest } = eventIn(await callAt(side, 'events.getOne', { id })) as unknown as Record<string, unknown>
  return rest
}
const nameAt = ({ account }: Side, id: string): string | undefined => account.tree.get(id)?.name

/** Creates an event with earlier versions that must stay private. */
async function eventWithPast(side: Side, streamIds: string[], of = (word: string): string => mark(word)): Promise<string> {
  const form = new FormData()
  const past = { content: of('content'), description: of('description'), tags: ['plain', of('tag')], clientData: { kept: 1, [of('client')]: of('client') } }
  form.append('event', JSON.stringify({ streamIds, type: 'note/txt', ...past }))
  form.append('file', new Blob([`${of('bytes')} `.repeat(50)]), `${of('file')}.txt`)
  const made = await fetch(`${side.node.url}anna1/events`, { method: 'POST', headers: { authorization: side.token }, body: form })
  const { id, attachments } = eventIn((await made.json()) as Record<string, unknown>)
  await callAt(side, 'events.deleteAttachment', { id, fileId: attachments?.[0]?.id })
  await update(side, id, { content: 'open', description: 'described', tags: ['plain'], clientData: { [of('client')]: null } })
  return id
}

/** Returns the secrets found on a disk and in received messages. */
async function leaksTo(side: Side, at: 0 | 1): Promise<string[]> {
  const words = textOf(line.heard[at])
  expect(words).toContain('note/txt')
  const received = SECRETS.filter((secret) => words.includes(secret) || words.includes(Buffer.from(secret).toString('hex')))
  await side.node.node.store.settled()
  const coded = SECRETS.flatMap((secret) => [0, 1, 2].map((shift) => Buffer.from(`${'.'.repeat(shift)}${secret}`).toString('base64').slice(shift === 0 ? 0 : 4, -4)))
  return [...received.map((secret) => `received ${secret}`), ...(await textsOnDisk(side.home, [...SECRETS, ...coded]))]
}

beforeAll(async () => {
  host = await startSide(OFF)
  guest = await startSide(OFF)
  await stream(host, mark('above'), 'above')
  await stream(host, 'shared', mark('stream'), mark('above'))
  await callAt(host, 'streams.update', { id: 'shared', update: { name: 'Shared' } })
  await stream(host, mark('place'), 'private')
  line = await tappedLine(host, guest, sharing('shared'))
})
afterAll(async () => {
  for (const { home } of [host, guest]) await rm(home, { recursive: true, force: true })
})

it('an item that enters a share is sent with its current state only', async () => {
  moved = await eventWithPast(host, [mark('place')])
  const both = await eventWithPast(host, [mark('place'), 'shared'])
  const once = eventIn(await callAt(host, 'events.create', { streamIds: ['shared', mark('place')], type: 'note/txt', content: 'once' })).id
  await update(host, moved, { streamIds: ['shared'] })
  await line.connect()
  await line.inSync()
  for (const id of [moved, both, once]) expect(await eventAt(guest, id)).toEqual({ ...(await eventAt(host, id)), streamIds: ['shared'] })
  expect(nameAt(guest, 'shared')).toBe('Shared')
  // The same while both are connected.
  await update(host, both, { streamIds: [mark('place')] })
  await line.inSync()
  await update(host, both, { content: mark('outside') })
  await update(host, both, { content: 'back', streamIds: [mark('place'), 'shared'] })
  await line.inSync()
  expect(await eventAt(guest, both)).toMatchObject({ content: 'back', streamIds: ['shared'] })
  expect(await leaksTo(guest, 1)).toEqual([])
})

it('edits of both sides are merged, without those outside of the share', async () => {
  await update(host, moved, { content: 'host one' })
  await line.inSync()
  await update(host, moved, { content: 'host two', streamIds: ['shared', mark('place')] })
  await update(guest, moved, { description: 'by the guest', tags: ['plain', 'guest'] })
  await line.inSync()
  for (const side of [host, guest]) expect(await eventAt(side, moved)).toMatchObject({ content: 'host two', description: 'by the guest', tags: ['plain', 'guest'] })
  expect(await eventAt(host, moved)).toMatchObject({ streamIds: ['shared', mark('place')] })
  expect(await eventAt(guest, moved)).toMatchObject({ streamIds: ['shared'] })

  // Concurrent edits of the same field and of others.
  await line.disconnect()
  await update(host, moved, { content: 'apart at the host', clientData: { host: true } })
  await update(guest, moved, { content: 'apart at the guest', clientData: { guest: true }, tags: ['guest'] })
  await line.connect()
  await line.inSync()
  const [here, there] = [await eventAt(host, moved), await eventAt(guest, moved)]
  expect(there).toEqual({ ...here, streamIds: ['shared'] })
  expect(here).toMatchObject({ clientData: { kept: 1, host: true, guest: true }, tags: ['guest'], streamIds: ['shared', mark('place')] })
  await callAt(guest, 'streams.update', { id: 'shared', update: { name: 'Renamed' } })
  await line.inSync()
  expect([nameAt(host, 'shared'), nameAt(guest, 'shared')]).toEqual(['Renamed', 'Renamed'])
  expect(await leaksTo(guest, 1)).toEqual([])
})

it('earlier versions and other streams of items of the guest stay private too', async () => {
  await stream(guest, mark('own-place'), 'private')
  await stream(guest, 'below', 'below', 'shared')
  mine = await eventWithPast(guest, [mark('own-place')], (word) => mark(`own-${word}`))
  await update(guest, mine, { streamIds: ['below'] })
  await update(guest, moved, { streamIds: ['shared', mark('own-place')], content: 'filed by the guest' })
  await line.inSync()
  expect(await eventAt(host, mine)).toEqual(await eventAt(guest, mine))
  expect(await eventAt(host, moved)).toMatchObject({ content: 'filed by the guest', streamIds: ['shared', mark('place')] })
  await update(host, moved, { content: 'seen by both' })
  await update(host, mine, { content: 'edited by the host' })
  await line.inSync()
  expect(await eventAt(guest, moved)).toMatchObject({ content: 'seen by both', streamIds: ['shared', mark('own-place')] })
  expect(await eventAt(guest, mine)).toMatchObject({ content: 'edited by the host' })
  const words = textOf(line.heard[0])
  expect(OWN.filter((secret) => words.includes(secret))).toEqual([])
})

it('changes made while its stream was outside of the share are not sent when the stream returns', async () => {
  await stream(host, 'trip', 'Trip', 'shared')
  const { id } = eventIn(await callAt(host, 'events.create', { streamIds: ['trip'], type: 'note/txt', content: 'open' }))
  await line.inSync()
  await line.disconnect()
  await callAt(host, 'streams.update', { id: 'trip', update: { parentId: mark('place') } })
  await update(host, id, { content: mark('outside') })
  await callAt(host, 'streams.update', { id: 'trip', update: { name: mark('stream') } })
  await callAt(host, 'streams.update', { id: 'trip', update: { name: 'Back', parentId: 'shared' } })
  await update(host, id, { content: 'back' })
  await line.connect()
  await line.inSync()
  expect([nameAt(guest, 'trip'), (await eventAt(guest, id))['content']]).toEqual(['Back', 'back'])
  await update(guest, id, { content: 'by the guest' })
  await update(host, id, { description: 'by the host' })
  await line.inSync()
  expect(await eventAt(host, id)).toEqual(await eventAt(guest, id))
  expect(await leaksTo(guest, 1)).toEqual([])
})

it('a stream with earlier versions can be deleted by either side', async () => {
  for (const by of [host, guest]) {
    await stream(host, 'short', mark('stream'), mark('place'))
    await callAt(host, 'streams.update', { id: 'short', update: { name: 'Short', parentId: 'shared' } })
    await line.inSync()
    expect(nameAt(guest, 'short')).toBe('Short')
    await callAt(by, 'streams.update', { id: 'short', update: { trashed: true } })
    await callAt(by, 'streams.delete', { id: 'short' })
    await line.inSync()
    for (const side of [host, guest]) expect(nameAt(side, 'short')).toBe(undefined)
  }
  await update(host, moved, { content: 'last' })
  await line.inSync()
  await callAt(host, 'events.update', { id: moved, update: { trashed: true } })
  await callAt(host, 'events.delete', { id: moved })
  await line.inSync()
  await line.disconnect()
  for (const side of [host, guest]) {
    await side.node.stop()
    await expectSound(side.node.places)
  }
})
