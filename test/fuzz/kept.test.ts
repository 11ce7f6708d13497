/**
 * Odd values where anything may be kept (content, client data, descriptions, tags, names): what is taken is given back
 * as it was, by every way of reading, and survives changes. `SEED` repeats a run.
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

/** An object with some odd keys and values. */
function oddObject(next: Next): Members {
  const members: Members['members'] = []
  for (let left = 1 + next(3); left > 0; left--) members.push([oddKey(next), oddValue(next)])
  return { members }
}

/** What JSON.parse makes of a text; minus zero is zero in what is written. */
const meant = (value: unknown): unknown => JSON.parse(JSON.stringify(JSON.parse(textOf(value))))

/** Values are compared as text: comparing objects overlooks a key named __proto__. Nothing kept is null. */
const jsonOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

const withoutEmpty = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && Object.keys(data).length === 0 ? undefined : data

/** Client data comes back without null keys and in the order of its keys, the same on every node that has a copy. */
function inOrder(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data
  const entries = Object.entries(data).filter(([, value]) => value !== null)
  return withoutEmpty(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
}

describe(`odd values (seed ${SEED})`, () => {
  it('of events are given back as they were, by every way of reading', async () => {
    const next = seeded(SEED)
    let taken = 0
    for (let n = 0; n < TRIES; n++) {
      const [content, clientData] = [oddValue(next), oddObject(next)]
      const event = { streamIds: ['a'], type: 'test/free', content, clientData, time: n }
      const created = await send('POST', 'events', textOf(event))
      if (created.status !== 201) continue
      taken += 1
      const answered = created.body['event'] as Record<string, unknown>
      expect(jsonOf(answered['content']), textOf(event)).toBe(jsonOf(meant(content)))
      expect(jsonOf(answered['clientData']), textOf(clientData)).toBe(jsonOf(inOrder(meant(clientData))))
      const id = String(answered['id'])
      const one = await send('GET', `events/${id}`)
      expect(one.body['event']).toEqual(answered)
      const [listed] = (await send('GET', `events?fromTime=${n}&toTime=${n}`)).body['events'] as unknown[]
      expect(listed).toEqual(answered)
      const change = oddValue(next)
      const updated = await send('PUT', `events/${id}`, textOf({ content: change, clientData: oddObject(next) }))
      if (updated.status === 200) {
        const after = updated.body['event'] as Record<string, unknown>
        expect(jsonOf(after['content']), textOf(change)).toBe(jsonOf(meant(change)))
        expect((await send('GET', `events/${id}`)).body['event']).toEqual(after)
      }
    }
    expect(taken).toBeGreaterThan(TRIES / 3)
  })

  it('of streams are given back as they were', async () => {
    const next = seeded(SEED + 1)
    let taken = 0
    for (let n = 0; n < TRIES; n++) {
      const clientData = oddObject(next)
      const created = await send('POST', 'streams', textOf({ id: `s${n}`, name: oddValue(next), clientData }))
      if (created.status !== 201) continue
      taken += 1
      const answered = created.body['stream'] as Record<string, unknown>
      // A null in client data takes its key away.
      const kept = Object.entries(meant(clientData) as object).filter(([, value]) => value !== null)
      expect(jsonOf(withoutEmpty(answered['clientData']))).toBe(jsonOf(withoutEmpty(inOrder(Object.fromEntries(kept)))))
      const [listed] = (await send('GET', `streams?id=s${n}`)).body['streams'] as unknown[]
      expect(listed).toEqual(answered)
      await send('PUT', `streams/s${n}`, textOf({ name: oddValue(next), clientData: oddObject(next) }))
    }
    expect(taken).toBeGreaterThan(TRIES / 10)
  })
})
