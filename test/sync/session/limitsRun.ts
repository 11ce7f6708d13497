/** Fills an account with items whose fields are at and beyond the limits of the protocol, and syncs it to another node. */
import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { putAccess } from '../../../src/store/accesses/accesses.js'
import { findRecord } from '../../../src/store/events/events.js'
import type { Access } from '../../../src/store/model/access.js'
import { canonicalText } from '../../../src/store/model/canonicalText.js'
import type { Event } from '../../../src/store/model/event.js'
import { Secret } from '../../../src/store/model/secret.js'
import { MAX_ID_LENGTH } from '../../../src/store/model/slug.js'
import { putProfile } from '../../../src/store/accounts/profiles.js'
import { addStream } from '../../../src/store/streams/streams.js'
import type { Entry } from '../../../src/sync/wire/entry.js'
import { MAX_ENTRY_BYTES, MAX_OPERATIONS } from '../../../src/sync/wire/limits.js'
import { countAside } from '../../../src/sync/session/accountAside.js'
import { readConflicts } from '../../../src/sync/peers/conflicts.js'
import { readItem } from '../../../src/sync/digest/readItem.js'
import { inSync } from './sessionPair.js'
import { pair, type RealNode } from './realNodes.js'

type Draw = (limit: number) => number

/** Item with fields of a certain size, a function that writes it, and a flag for items within the limits. */
export interface Case {
  what: string
  kind: 'event' | 'stream' | 'profile' | 'access'
  id: string
  fits: boolean
  write(node: RealNode): Promise<void>
}

const tracking = { created: 1, createdBy: 'c', modified: 1, modifiedBy: 'c' }
/** Hashes entries by content: bytes by their hash, members of objects in a fixed order. */
const digestOf = (entries: readonly Entry[]): string =>
  hash('sha256', canonicalText(entries.map((entry) => Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, plainOf(value)])))))

function plainOf(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal()
  if (value instanceof Uint8Array) return hash('sha256', value)
  return Array.isArray(value) ? value.map(plainOf) : value
}

let created = 0
const newId = (): string => `c${(created += 1).toString(36).padStart(23, '0')}x`.slice(0, 25)

function eventCase(what: string, more: Partial<Event>, fits: boolean): Case {
  const id = newId()
  const event: Event = { id, streamIds: ['home'], type: 'note/txt', time: 1, tags: [], ...tracking, ...more } as Event
  return { what, kind: 'event', id, fits, write: (node) => node.write([event]) }
}

function streamCase(what: string, id: string, more: Record<string, unknown>, fits: boolean): Case {
  const stream = { id, name: `name of ${what} ${newId()}`, parentId: null, ...tracking, ...more }
  return { what, kind: 'stream', id, fits, write: (node) => node.account.write((t) => void addStream(node.account, t, node.store.recorder, stream)) }
}

const profileCase = (what: string, id: string, keys: Record<string, unknown>, fits: boolean): Case => ({
  what,
  kind: 'profile',
  id,
  fits,
  write: (node) => node.account.write((t) => putProfile(t, undefined, { id, keys, modified: 1 })),
})

function accessCase(what: string, more: Partial<Access>, fits: boolean): Case {
  const id = newId()
  const access = { id, type: 'app', name: id, permissions: [], ...tracking, ...more } as Access
  return { what, kind: 'access', id, fits, write: (node) => node.account.write((t) => putAccess(t, node.store.seal, access, new Secret(`token-${id}`))) }
}

const keys = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `tag ${i}`)

/** Returns each field of each kind at its limit and beyond; `draw` varies the sizes. */
export function allCases(draw: Draw): Case[] {
  const salt = newId()
  const over = MAX_ENTRY_BYTES + 1 + draw(1024 * 1024)
  const under = MAX_ENTRY_BYTES - 64 * 1024 - draw(1024 * 1024)
  const longest = salt.padEnd(MAX_ID_LENGTH, 'x')
  const long = salt.padEnd(MAX_ID_LENGTH + 1 + draw(10_000), 'y')
  return [
    streamCase('longest id', longest, {}, true),
    streamCase('long id', long, {}, false),
    streamCase('below a long id', `${salt}-below`, { parentId: long }, false),
    streamCase('large client data', `${salt}-large`, { clientData: { a: 'x'.repeat(over) } }, false),
    streamCase('long name', `${salt}-name`, { name: salt + 'n'.repeat(100_000 + draw(100_000)) }, true),
    eventCase('in the longest stream', { streamIds: [longest], content: 'x' }, true),
    eventCase('in a long stream', { streamIds: ['home', long], content: 'x' }, false),
    eventCase('content at the limit', { content: 'x'.repeat(under) }, true),
    eventCase('content beyond', { content: 'x'.repeat(over) }, false),
    eventCase('description beyond', { description: 'x'.repeat(over) }, false),
    eventCase('client data with many keys', { content: 'x', clientData: keys(MAX_OPERATIONS - 50_000 - draw(1000)) }, true),
    eventCase('client data with too many keys', { content: 'x', clientData: keys(MAX_OPERATIONS + 1 + draw(1000)) }, false),
    eventCase('many tags', { content: 'x', tags: texts(1000 + draw(1000)) }, true),
    eventCase('a long tag', { content: 'x', tags: ['t'.repeat(501 + draw(5000))] }, false),
    profileCase('many keys', `app:${salt}`, keys(1000 + draw(1000)), true),
    profileCase('several large values', `app:several${salt}`, { a: 'x'.repeat(under), b: 'y'.repeat(under), c: 1 }, true),
    profileCase('large value', `app:big${salt}`, { a: 'x'.repeat(over) }, false),
    accessCase('many permissions', { permissions: texts(1000).map((streamId) => ({ streamId, level: 'read' as const })) }, true),
    accessCase('large client data', { clientData: { a: 'x'.repeat(over) } }, false),
    accessCase('plain', {}, true),
  ]
}

/** Writes the cases with plain events between, and expects all but those beyond a limit to arrive. */
export async function limitsRun(a: RealNode, b: RealNode, cases: readonly Case[], isFirst: boolean): Promise<void> {
  const pairing = pair(a, b)
  const plain: string[] = []
  const write = async (): Promise<void> => {
    for (const one of cases) {
      await one.write(a)
      const event = eventCase('plain', { content: one.what }, true)
      plain.push(event.id)
      await event.write(a)
    }
  }
  if (isFirst) await write()
  const sessions = await pairing.connect()
  if (!isFirst) {
    await inSync(sessions)
    await write()
  }
  await inSync(sessions)
  for (const id of plain) expect(findRecord(b.store.db, b.account.prefix, id)).toBeDefined()
  for (const { what, kind, id, fits } of cases) {
    const [here, there] = await Promise.all([a, b].map(({ store, account }) => readItem(store, account, { kind, id })))
    expect(here?.length, what).toBeGreaterThan(0)
    // Compares digests: comparing megabytes takes minutes.
    expect(digestOf(there ?? []), what).toBe(fits ? digestOf(here ?? []) : digestOf([]))
  }
  // Both sides count and list the omitted items.
  const omitted = cases.filter(({ fits }) => !fits)
  const conflicts = await readConflicts(a.store, a.account, readItem, 1000)
  expect(conflicts.putAside.map(({ id }) => id).sort()).toEqual(omitted.map(({ id }) => id).sort())
  expect(conflicts.putAside.every(({ message }) => message.length > 10)).toBe(true)
  expect(countAside(a.account, pairing.peers[0].number)).toBe(omitted.length)
  expect(countAside(b.account, pairing.peers[1].number)).toBe(omitted.filter(({ id }) => id.length <= MAX_ID_LENGTH).length)
  await sessions.end()

  // A new session detects at once that everything else is equal.
  const again = await pairing.connect()
  await inSync(again)
  expect(again.a.status().sent).toBe(0)
  await again.end()
}

