/**
 * Odd values in free-form fields (content, client data, descriptions, tags, names): accepted values are returned unchanged by
 * every way to read them, and survive changes. `SEED` repeats a run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HomePlaces } from '../../src/server/launch/init.js'
import { expectSound } from '../support/store/check.js'
import { homes } from '../support/nodes/home.js'
import { registerUser, request, startTestNode, type Answer, type TestNode } from '../support/nodes/node.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { expectFitting } from './expect.js'
import { oddKey, oddValue, textOf, type Members, type Next } from './oddJson.js'

const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))
const TRIES = 100
const { home } = homes()
let places: HomePlaces
let node: TestNode
let token: string

beforeAll(async () => {
  places = await home()
  node = await startTestNode({ 'versioning.forceKeepHistory': true }, { home: places.home })
  token = await registerUser(node, 'alice')
  await send('POST', 'streams', '{"id":"a","name":"A"}')
})

afterAll(async () => {
  await node.stop()
  await expectSound(places)
})

async function send(method: string, path: string, body?: string): Promise<Answer> {
  const answer = await request(`${node.url}alice/${path}`, { method, token, ...(body === undefined ? {} : { body }) })
  expectFitting([path, body], answer.status, JSON.stringify(answer.body), answer.headers.get('api-version'))
  return answer
}

/** Returns an object with some odd keys and values. */
function oddObject(next: Next): Members {
  const members: Members['members'] = []
  for (let left = 1 + next(3); left > 0; left--) members.push([oddKey(next), oddValue(next)])
  return { members }
}

/** Returns the value after JSON.parse; minus zero is zero in JSON text. */
const expectedValue = (value: unknown): unknown => JSON.parse(JSON.stringify(JSON.parse(textOf(value))))

/** Compares values as text: comparing objects ignores a key named __proto__. No stored value is null. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

const withoutEmpty = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && Object.keys(data).length === 0 ? undefined : data

/** Returns client data as stored: without null keys, in the order of the keys, equal on every node with a copy. */
function inOrder(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data
  const entries = Object.entries(data).filter(([, value]) => value !== null)
  return withoutEmpty(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
}

describe(`odd values (seed ${SEED})`, () => {
  it('of events are returned unchanged by every way to read them', async () => {
    const next = seeded(SEED)
    let accepted = 0
    for (let n = 0; n < TRIES; n++) {
      const [content, clientData] = [oddValue(next), oddObject(next)]
      const event = { streamIds: ['a'], type: 'test/free', content, clientData, time: n }
      const created = await send('POST', 'events', textOf(event))
      if (created.status !== 201) continue
      accepted += 1
      const returned = created.body['event'] as Record<string, unknown>
      expect(jsonOf(returned['content']), textOf(event)).toBe(jsonOf(expectedValue(content)))
      expect(jsonOf(returned['clientData']), textOf(clientData)).toBe(jsonOf(inOrder(expectedValue(clientData))))
      const id = String(returned['id'])
      const one = await send('GET', `events/${id}`)
      expect(one.body['event']).toEqual(returned)
      const [listed] = (await send('GET', `events?fromTime=${n}&toTime=${n}`)).body['events'] as unknown[]
      expect(listed).toEqual(returned)
      const change = oddValue(next)
      const updated = await send('PUT', `events/${id}`, textOf({ content: change, clientData: oddObject(next) }))
      if (updated.status === 200) {
        const after = updated.body['event'] as Record<string, unknown>
        expect(jsonOf(after['content']), textOf(change)).toBe(jsonOf(expectedValue(change)))
        expect((await send('GET', `events/${id}`)).body['event']).toEqual(after)
      }
    }
    expect(accepted).toBeGreaterThan(TRIES / 3)
  })

  it('of streams are returned unchanged', async () => {
    const next = seeded(SEED + 1)
    let accepted = 0
    for (let n = 0; n < TRIES; n++) {
      const clientData = oddObject(next)
      const created = await send('POST', 'streams', textOf({ id: `s${n}`, name: oddValue(next), clientData }))
      if (created.status !== 201) continue
      accepted += 1
      const returned = created.body['stream'] as Record<string, unknown>
      // A null in client data removes its key.
      const kept = Object.entries(expectedValue(clientData) as object).filter(([, value]) => value !== null)
      expect(jsonOf(withoutEmpty(returned['clientData']))).toBe(jsonOf(withoutEmpty(inOrder(Object.fromEntries(kept)))))
      const [listed] = (await send('GET', `streams?id=s${n}`)).body['streams'] as unknown[]
      expect(listed).toEqual(returned)
      await send('PUT', `streams/s${n}`, textOf({ name: oddValue(next), clientData: oddObject(next) }))
    }
    expect(accepted).toBeGreaterThan(TRIES / 10)
  })
})
