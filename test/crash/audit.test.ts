/** Audit records: written with their change or not at all; records of reads are batched, and flushed at a stop. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { each } from '../../src/store/engine/database.js'
import { accountKeys, under } from '../../src/store/engine/keys.js'
import { auditRecord } from '../../src/store/model/auditRecord.js'
import { openStore } from '../../src/store/engine/open.js'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../support/nodes/node.js'
import { injectFaults } from './faults.js'

const { home } = homes()
const event = { streamIds: ['a'], type: 'note/txt', content: 'x' }
let places: HomePlaces
let node: TestNode
let token: string

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  request(`${node.url}alice${path}`, { method, token, ...(body === undefined ? {} : { body }) })
const later = (ms = 30): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type AuditRecord = { type: string; content: { action: string; record?: { key: string } } }

/** Returns the content of a closed store: ids of events, and records of calls. */
async function storedContent(): Promise<{ events: string[]; records: AuditRecord[] }> {
  const opened = await openStore({ folder: places.store, now: () => 0 })
  const texts = async (range: string): Promise<string[]> => {
    const found = []
    for await (const text of each(opened.db.values(under(range)))) found.push(text)
    return found
  }
  try {
    const events = (await texts(accountKeys.events('1'))).map((text) => (JSON.parse(text) as { id: string }).id)
    const values = await texts(accountKeys.auditOf('1', '').slice(0, -1))
    const records = values.map((value) => JSON.parse(auditRecord('item', 0, value) ?? '') as AuditRecord)
    return { events: events.filter((id) => !id.startsWith(':')), records }
  } finally {
    await opened.close()
  }
}

const created = (records: AuditRecord[]): (string | undefined)[] =>
  records
    .filter(({ type, content }) => type === 'log/user-api' && content.action === 'events.create')
    .map(({ content }) => content.record?.key.split(':')[2])

beforeEach(async () => {
  places = await home()
  node = await startTestNode({}, { home: places.home })
  token = await registerUser(node, 'alice')
  await call('POST', '/streams', { id: 'a', name: 'a' })
})
afterEach(() => node.stop())

describe('a change and its record', () => {
  it('are written together', async () => {
    await later(1100)
    const { db } = node.node.store
    const makeBatch = db.batch.bind(db)
    const writes: string[][] = []
    db.batch = () => {
      const batch = makeBatch()
      const keys: string[] = []
      writes.push(keys)
      return {
        ...batch,
        put: (key, value) => {
          keys.push(key)
          batch.put(key, value)
        },
        delete: (key) => batch.delete(key),
        get length() {
          return batch.length
        },
        write: (options) => batch.write(options),
      }
    }
    const { body } = await call('POST', '/events', event)
    const { id } = body['event'] as { id: string }
    const own = writes.filter((keys) => keys.some((key) => key.startsWith(accountKeys.eventPlace('1', id))))
    expect(own).toHaveLength(1)
    expect(own[0]?.filter((key) => key.startsWith('1/g/'))).toHaveLength(1)
    await call('DELETE', '/streams/a')
    writes.length = 0
    await call('DELETE', '/streams/a?mergeEventsWithParent=false')
    const first = writes.find((keys) => keys.some((key) => key.startsWith('1/j/')))
    expect(first?.filter((key) => key.startsWith('1/g/'))).toHaveLength(1)
  })

  it('are both lost with a failed commit', async () => {
    await call('POST', '/events', event)
    const faults = injectFaults(node.node.store.db)
    faults.hold()
    const waiting = [call('POST', '/events', event), call('POST', '', [{ method: 'events.create', params: event }])]
    await later()
    faults.fail()
    faults.release()
    await Promise.all(waiting)
    await node.stop()
    const { events, records } = await storedContent()
    expect(events).toHaveLength(1)
    expect(created(records)).toEqual(events)
    await expectSound(places)
  })

  it('are both stored once acknowledged', async () => {
    await Promise.all(Array.from({ length: 50 }, () => call('POST', '/events', event)))
    await call('POST', '', Array.from({ length: 50 }, () => ({ method: 'events.create', params: event })))
    await node.stop()
    const { events, records } = await storedContent()
    expect(events).toHaveLength(100)
    expect(created(records).sort()).toEqual(events.sort())
    await expectSound(places)
  })

  it('are removed with their account', async () => {
    const loaded = await node.node.accounts.find('alice')
    const { erase } = await import('../../src/server/api/register/deleteUser.js')
    await call('GET', '/events')
    if (loaded !== undefined) await erase(node.node, loaded)
    await node.stop()
    const opened = await openStore({ folder: places.store, now: () => 0 })
    const source = opened.db.keys(under(accountKeys.all('1')))
    expect(await source.next(10)).toEqual([])
    await source.close()
    await opened.close()
  })
})

describe('records of reads', () => {
  it('are written in batches', async () => {
    await later(1100)
    const faults = injectFaults(node.node.store.db)
    const before = faults.writes
    for (let i = 0; i < 100; i++) await call('GET', '/events')
    await later(1200)
    // A timer may split them into two or three batches, next to sessions and usage counters.
    expect(faults.writes - before).toBeLessThan(10)
    await node.stop()
    const { records } = await storedContent()
    expect(records.filter(({ content }) => content.action === 'events.get')).toHaveLength(100)
  })

  it('that are pending are written when the node stops', async () => {
    for (let i = 0; i < 20; i++) await call('GET', '/streams')
    await call('GET', '/events/unknown')
    await node.stop()
    const { records } = await storedContent()
    const actions = records.map(({ type, content }) => `${content.action} ${type}`)
    expect(actions.filter((action) => action === 'streams.get log/user-api')).toHaveLength(20)
    expect(actions.filter((action) => action === 'events.getOne log/user-api-error')).toHaveLength(1)
    await expectSound(places)
  })
})
