/**
 * Kills a node while clients write to it, time after time on one home: what was acknowledged is there, what was asked
 * for is there wholly or not at all, and nothing else is. `SEED` repeats a run as far as timing allows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { each } from '../../src/store/database.js'
import { accountKeys, under } from '../../src/store/keys.js'
import { recordToEvent } from '../../src/store/model/eventRecord.js'
import type { Stream } from '../../src/store/model/stream.js'
import { readNodeKey } from '../../src/store/nodeKey.js'
import { openStore, type OpenedStore } from '../../src/store/open.js'
import { createSeal, type Seal } from '../../src/store/seal.js'
import { listUsernames } from '../../src/store/users.js'
import type { HomePlaces } from '../../src/server/init.js'
import { checkOpened, markOf } from '../support/check.js'
import { homes } from '../support/home.js'
import { request } from '../support/node.js'
import { seeded } from '../store/files/fixtures.js'
import * as clients from './clients.js'
import { createLedger } from './ledger.js'
import { nodeProcesses, type NodeProcess } from './process.js'

const ROUNDS = process.env['LONG'] === '1' ? 20 : 5
/** Least number of changes that a node acknowledges before it is killed. */
const LEAST = 25
/** Every so many rounds the CRDT changes of all items are compared too, which takes most of a check's time. */
const DEEP = 5
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))

const { home } = homes()
const startProcess = nodeProcesses()
const next = seeded(SEED)
const ledger = createLedger()
const writers: clients.Client[] = []
let places: HomePlaces
let seal: Seal
/** The process of the next round, started while the one before it is still at work. */
let spare: Promise<NodeProcess>

beforeAll(async () => {
  places = await home()
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('no key')
  seal = await createSeal(key)
  const node = await startProcess(places.home)
  const { url = '' } = await node.open()
  for (const user of ['alice', 'barbara']) {
    const body = { username: user, password: 'correct horse', email: `${user}@example.org`, appId: 'test-app' }
    const token = String((await request(`${url}users`, { body })).body['token'])
    note(clients.userItem(user), clients.THERE)
    await request(`${url}${user}/streams`, { token, body: { id: clients.BASE, name: 'Base' } })
    note(clients.streamItem(user, clients.BASE), 'Base')
    for (const name of user === 'alice' ? ['p', 'q'] : ['r', 's']) {
      writers.push({ name, user, token, next, made: 0, events: [], streams: [] })
    }
  }
  await node.kill()
  spare = startProcess(places.home)
})

afterAll(async () => (await spare).kill())

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function note(item: string, state: string): void {
  const step = new Map([[item, state]])
  ledger.requested(step)
  ledger.acknowledged(step)
}

/** Every item of the store with its state; clients learn where theirs are. */
async function readItems({ db }: OpenedStore): Promise<Map<string, string>> {
  const items = new Map<string, string>()
  for (const client of writers) Object.assign(client, { events: [], streams: [] })
  for (const { username, account } of await listUsernames(db)) {
    items.set(clients.userItem(username), clients.THERE)
    const own = writers.filter(({ user }) => user === username)
    for await (const [key, place] of each(db.entries(under(accountKeys.eventPlaces(account))))) {
      const id = key.slice(accountKeys.eventPlaces(account).length)
      if (place.startsWith('{')) items.set(clients.eventItem(username, id), clients.DELETED)
    }
    for await (const record of each(db.values(under(accountKeys.events(account))))) {
      const { id, content, trashed = false, streamIds } = recordToEvent(record)
      if (id.startsWith(':')) continue
      items.set(clients.eventItem(username, id), clients.stateOf(String(content), trashed))
      own.find((client) => clients.isOf(client, id))?.events.push({ id, stream: streamIds[0] ?? '', trashed })
    }
    for await (const text of each(db.values(under(accountKeys.streams(account))))) {
      const { id, name, trashed = false } = JSON.parse(text) as Stream
      items.set(clients.streamItem(username, id), clients.stateOf(name, trashed))
      if (!trashed && id !== clients.BASE) own.find((client) => clients.isOf(client, id))?.streams.push(id)
    }
  }
  return items
}

/** Lets the clients write, kills the node, and compares what it left with the ledger. */
async function round(n: number): Promise<number> {
  const node = await spare
  const { url = '', refused, message } = await node.open()
  expect({ refused, message }).toEqual({})
  const writing = Promise.all(writers.map((client) => clients.writeUntilGone(client, url, ledger)))
  const before = ledger.counts.acknowledged
  await pause(50 + next(850))
  // A slow machine is given the time to have something to lose.
  while (ledger.counts.acknowledged < before + LEAST) await pause(5)
  await node.kill()
  spare = startProcess(places.home)
  expect((await writing).filter((problem) => problem !== undefined)).toEqual([])
  const { open } = ledger.counts
  const mark = await markOf(places.store)
  const opened = await openStore({ folder: places.store, now: () => Date.now() / 1000 })
  try {
    expect(ledger.settle(await readItems(opened))).toEqual([])
    const isDeep = n % DEEP === DEEP - 1
    expect((await checkOpened(opened, seal, mark, isDeep)).problems).toEqual([])
  } finally {
    await opened.close()
  }
  return open
}

describe('a node that is killed while it writes', () => {
  it(`loses nothing that it acknowledged, ${ROUNDS} times over (seed ${SEED})`, { timeout: 120_000 }, async () => {
    let interrupted = 0
    for (let n = 0; n < ROUNDS; n++) interrupted += await round(n)
    // The test is worth something only if there was something to lose, and if requests were cut off.
    expect(ledger.counts.acknowledged).toBeGreaterThanOrEqual(LEAST * ROUNDS)
    expect(interrupted).toBeGreaterThan(ROUNDS)
  })
})
