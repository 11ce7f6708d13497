/**
 * Two accounts with two writers each, their ledger, and the comparison of a store with it: load on a node that is killed, or
 * whose disk fails.
 */
import { each } from '../../src/store/engine/database.js'
import { accountKeys, under } from '../../src/store/engine/keys.js'
import { recordToEvent } from '../../src/store/model/eventRecord.js'
import type { Stream } from '../../src/store/model/stream.js'
import type { OpenedStore } from '../../src/store/engine/open.js'
import { listUsernames } from '../../src/store/accounts/users.js'
import { request } from '../support/nodes/node.js'
import * as clients from './clients.js'
import { createLedger, type Ledger } from './ledger.js'

export interface Workload {
  readonly ledger: Ledger
  /** Creates the accounts and their writers, over HTTP. */
  begin(url: string): Promise<void>
  /** Returns the owner's token of an account. */
  tokenOf(user: 'alice' | 'barbara'): string
  /** Lets all write until the node stops answering; returns its refusals. */
  writeUntilGone(url: string): Promise<string[]>
  /** Compares a store with the ledger; returns the differences. Writers then know the streams of their events. */
  settle(opened: OpenedStore): Promise<string[]>
}

/** Returns every item of the store with its state, and assigns items to their writers. */
export async function readItems({ db }: OpenedStore, writers: readonly clients.Client[]): Promise<Map<string, string>> {
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

/** Creates a workload; `next` returns random numbers below a limit. */
export function createWorkload(next: (limit: number) => number): Workload {
  const ledger = createLedger()
  const writers: clients.Client[] = []

  function note(item: string, state: string): void {
    const step = new Map([[item, state]])
    ledger.requested(step)
    ledger.acknowledged(step)
  }

  return {
    ledger,
    async begin(url) {
      for (const user of ['alice', 'barbara']) {
        const body = { username: user, password: 'correct horse', email: `${user}@example.org`, appId: 'test-app' }
        const token = String((await request(`${url}users`, { body })).body['token'])
        note(clients.userItem(user), clients.THERE)
        await request(`${url}${user}/streams`, { token, body: { id: clients.BASE, name: 'Base' } })
        note(clients.streamItem(user, clients.BASE), 'Base')
        for (const name of user === 'alice' ? ['p', 'q'] : ['r', 's']) {
          writers.push({ name, user, token, next, created: 0, events: [], streams: [] })
        }
      }
    },
    tokenOf: (user) => writers.find((one) => one.user === user)?.token ?? '',
    async writeUntilGone(url) {
      const ends = await Promise.all(writers.map((client) => clients.writeUntilGone(client, url, ledger)))
      return ends.filter((refused) => refused !== undefined)
    },
    settle: async (opened) => ledger.settle(await readItems(opened, writers)),
  }
}
