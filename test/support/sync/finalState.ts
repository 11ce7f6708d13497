/** Final content of paired nodes, to compare them with each other and with a ledger. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { RECOVERED } from '../../../src/store/model/recovered.js'
import { sha256 } from '../http/multipart.js'
import { request } from '../nodes/node.js'
import { USER, type SyncNode } from './nodeProcesses.js'
import { BASE, COMMON, DELETED, eventItem, fileItem, pointItem, SERIES, streamItem, type Work } from './writers.js'

const TRIES = 5

interface FoundEvent {
  id: string
  type: string
  content?: unknown
  trashed?: boolean
  attachments?: { id: string; readToken?: string }[]
}

interface FoundStream {
  id: string
  name: string
  trashed?: boolean
  children: FoundStream[]
}

/** Content of the account on a node, as text to compare, and the state of every item. */
export interface Found {
  streams: string
  events: string
  series: string
  items: Map<string, string>
}

async function read(url: string, token: string, path: string): Promise<Record<string, unknown>> {
  const { status, body } = await request(`${url}${USER}/${path}`, { token })
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  const { meta, ...rest } = body
  expect(meta).toBeDefined()
  return rest
}

/** Reads the content of a node, without data of that node alone, such as read tokens of files. */
export async function readAll({ url = '' }: SyncNode, token: string): Promise<Found> {
  const streams = await read(url, token, 'streams?state=all&includeDeletionsSince=0')
  const events = await read(url, token, 'events?state=all&includeDeletions=true&modifiedSince=0&limit=100000')
  const items = new Map<string, string>()
  const series: string[] = []
  const noteStreams = (list: FoundStream[]): void => {
    for (const { id, name, trashed = false, children } of list.filter((stream) => !stream.id.startsWith(":"))) {
      items.set(streamItem(id), trashed ? `${name} (trashed)` : name)
      noteStreams(children)
    }
  }
  noteStreams(streams['streams'] as FoundStream[])
  for (const { id } of (events['eventDeletions'] ?? []) as FoundEvent[]) items.set(eventItem(id), DELETED)
  for (const { id, type, content, trashed = false, attachments = [] } of events['events'] as FoundEvent[]) {
    items.set(eventItem(id), trashed ? `${String(content)} (trashed)` : String(content))
    for (const attachment of attachments) {
      delete attachment.readToken
      const response = await fetch(`${url}${USER}/events/${id}/${attachment.id}`, { headers: { authorization: token } })
      const bytes = Buffer.from(await response.arrayBuffer())
      items.set(fileItem(id), response.status === 200 ? sha256(bytes) : `${response.status}: ${bytes.toString().slice(0, 200)}`)
    }
    if (!type.startsWith('series:')) continue
    items.set(eventItem(id), SERIES)
    const { points, ...rest } = await read(url, token, `events/${id}/series`)
    for (const [deltaTime = NaN, value] of points as number[][]) items.set(pointItem(id, deltaTime), String(value))
    series.push(JSON.stringify({ id, points, ...rest }))
  }
  return { streams: JSON.stringify(streams), events: JSON.stringify(events), series: series.join('\n'), items }
}

/** Expects nodes to have the same content, byte for byte, and the first node to match the ledger of the writers. */
export async function expectConverged(nodes: readonly SyncNode[], token: string, work: Work): Promise<Found> {
  const first = await readSame(nodes, token)
  expect(work.refused).toEqual([])
  const items = new Map(first.items)
  for (const id of COMMON) {
    const content = items.get(eventItem(id)) ?? ''
    expect([...(work.common.get(id) ?? []), 'common']).toContain(content)
    items.delete(eventItem(id))
  }
  items.delete(streamItem(BASE))
  // Created when an event arrives in an earlier group than its move out of a deleted stream.
  items.delete(streamItem(RECOVERED))
  expect(first.events).not.toContain(`"${RECOVERED}"`)
  expect(work.ledger.settle(items)).toEqual([])
  return first
}

/**
 * Reads all nodes, and expects the same content. A node may still update the duration of a series some time after its points,
 * between the reads of two nodes: such a difference is temporary.
 */
export async function readSame(nodes: readonly SyncNode[], token: string): Promise<Found> {
  for (let left = TRIES; ; left--) {
    const [first, ...others] = await Promise.all(nodes.map((node) => readAll(node, token)))
    if (first === undefined) throw new Error('no nodes')
    try {
      for (const other of others) expectSame(other, first)
      return first
    } catch (error) {
      if (left === 0) throw error
      await sleep(500)
    }
  }
}

/** Compares long texts line by line, which is fast and makes differences readable. */
export function expectSame(one: Found, other: Found): void {
  const lines = (text: string): string[] => text.replaceAll('},{', '},\n{').split('\n')
  for (const part of ['streams', 'events', 'series'] as const) {
    if (one[part] === other[part]) continue
    const [here, there] = [lines(one[part]), lines(other[part])]
    const sets = [new Set(here), new Set(there)] as const
    const differences = { here: here.filter((line) => !sets[1].has(line)), there: there.filter((line) => !sets[0].has(line)) }
    expect(differences, `${part} differ, or their order does`).toBeUndefined()
  }
  expect(one.items).toEqual(other.items)
}

/** Creates the items that all writers share. */
export async function createSharedItems(url: string, token: string): Promise<void> {
  await request(`${url}${USER}/streams`, { token, body: { id: BASE, name: 'Base' } })
  for (const id of COMMON) {
    const body = { id, streamIds: [BASE], type: 'test/text', content: 'common', time: 1_700_000_000 }
    const { status } = await request(`${url}${USER}/events`, { token, body })
    expect(status).toBe(201)
  }
}
