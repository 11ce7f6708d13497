/** Typical events of clients: a number of four digits once a minute, random ids. */
import type { Event } from '../../../src/store/model/event.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'

/** Returns seeded numbers from 0 to 1. */
export function chance(seed: number): () => number {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Returns an id as cuid creates them: 24 letters and digits. */
export const idFrom = (next: () => number): string =>
  `c${Array.from({ length: 23 }, () => LETTERS[Math.floor(next() * 36)]).join('')}`

export function typicalEvents(count: number, seed: number): { ids: string[]; changes: Uint8Array[]; events: Event[] } {
  const next = chance(seed)
  const recorder = createRecorder({ actor: '5a'.repeat(16) })
  const author = idFrom(next)
  const events: Event[] = []
  for (let i = 0; i < count; i++) {
    const written = Math.round((1_760_000_000 + i * 0.0123 + next() * 0.001) * 1000) / 1000
    events.push({
      id: idFrom(next),
      streamIds: ['heart-rate'],
      type: 'frequency/bpm',
      content: Math.round(next() * 10_000) / 100,
      time: 1_700_000_000 + i * 60,
      tags: [],
      created: written,
      createdBy: author,
      modified: written,
      modifiedBy: author,
    })
  }
  const changes = events.map((item) => recorder.created({ kind: 'event', item }))
  return { ids: events.map(({ id }) => id), changes, events }
}
