/**
 * In-memory index of OAuth revocations by the operator, for checks on every call: clients with a time, and keys
 * (docs/interface/oauth.md#clients, docs/interface/oauth.md#dpop). Follows the platform's records, and polls for those of other
 * cores.
 */
import type { Records } from '../../platform/registry/port.js'
import type { Log } from '../../base/log.js'
import type { Revocations } from '../../call/caller.js'
import { CLIENTS, REVOKED_CLIENTS, REVOKED_KEYS } from './families.js'

interface RevocationOptions {
  records: Records
  log: Log
  /** Seconds between polls. */
  clientSeconds: number
  keySeconds: number
}

interface Revoked {
  /** In milliseconds. */
  at: number
  /** True when a client is registered under the id again. */
  isRegistered: boolean
}

/** Loads the revocations; resolves once they are known. Unreadable records count as not revoked. */
export async function createRevocations({ records, log, clientSeconds, keySeconds }: RevocationOptions): Promise<Revocations> {
  const clients = new Map<string, Revoked>()
  const keys = new Set<string>()
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }

  async function readClient(id: string): Promise<void> {
    const { revokedAt } = ((await records.get(REVOKED_CLIENTS, id)) ?? {}) as { revokedAt?: unknown }
    if (typeof revokedAt !== 'number') return void clients.delete(id)
    const isRegistered = (await records.get(CLIENTS, id)) !== undefined
    const known = clients.get(id)
    clients.set(id, { at: revokedAt, isRegistered })
    if (known?.at !== revokedAt || (known.isRegistered && !isRegistered)) notify()
  }

  async function readKey(jkt: string): Promise<void> {
    if ((await records.get(REVOKED_KEYS, jkt)) === undefined) return void keys.delete(jkt)
    if (keys.has(jkt)) return
    keys.add(jkt)
    notify()
  }

  /** Reloads a family: existing records, and known ones that were removed. */
  async function readAll(family: string, known: Iterable<string>, read: (id: string) => Promise<void>): Promise<void> {
    const ids = (await records.list(family)).map(({ id }) => id)
    for (const id of new Set([...ids, ...known])) await read(id)
  }

  const open = (reading: Promise<void>): Promise<void> =>
    reading.catch((error: unknown) => log.error('failed to read OAuth revocations', { error: String(error) }))
  const readClients = (): Promise<void> => open(readAll(REVOKED_CLIENTS, [...clients.keys()], readClient))
  const readKeys = (): Promise<void> => open(readAll(REVOKED_KEYS, [...keys], readKey))

  const stops = [
    records.watch(REVOKED_CLIENTS, (id) => void open(readClient(id))),
    records.watch(CLIENTS, (id) => {
      if (clients.has(id)) void open(readClient(id))
    }),
    records.watch(REVOKED_KEYS, (jkt) => void open(readKey(jkt))),
  ]
  await Promise.all([readClients(), readKeys()])
  const timers = [
    setInterval(() => void readClients(), clientSeconds * 1000).unref(),
    setInterval(() => void readKeys(), keySeconds * 1000).unref(),
  ]

  return {
    isClientRevoked({ client }) {
      const revoked = client === undefined ? undefined : clients.get(client.id)
      if (client === undefined || revoked === undefined) return false
      // All accesses of an unregistered client are revoked; of one registered again, those created before the revocation.
      return !revoked.isRegistered || Math.floor(client.since * 1000) < revoked.at
    },
    isKeyRevoked: (jkt) => keys.has(jkt),
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop() {
      for (const stop of stops) stop()
      for (const timer of timers) clearInterval(timer)
    },
  }
}
