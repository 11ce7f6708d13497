/**
 * Two accounts with two writers each, the ledger of what they did, and the comparison of a store with it: what a node
 * is put through before it is killed, or its disk is.
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
  /** Makes the accounts and their writers, over HTTP. */
  begin(url: string): Promise<void>
  /** The owner's token of an account. */
  tokenOf(user: 'alice' | 'barbara'): string
  /** Lets all write until the node is gone; answers what the node refused. */
  writeUntilGone(url: string): Promise<string[]>
  /** Compares a store with the ledger; answers what is not as it must be. Writers learn where their items are. */
  settle(opened: OpenedStore): Promise<string[]>
}

/** Every item of the store with its state; writers learn which are theirs. */
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

/** `next` draws whole numbers below a limit. */
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
          writers.push({ name, user, token, next, made: 0, events: [], streams: [] })
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
