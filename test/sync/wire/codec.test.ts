/** Encoding and decoding of session messages, and refusal of invalid bytes. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/store/model/secret.js'
import type { Access } from '../../../src/store/model/access.js'
import { decode, encode } from '../../../src/sync/wire/codec.js'
import { MAX_GROUP_BYTES } from '../../../src/sync/wire/limits.js'
import type { Entry } from '../../../src/sync/wire/entry.js'
import { ProtocolError } from '../../../src/sync/wire/protocolError.js'
import { PROTOCOL, type Group, type Message } from '../../../src/sync/wire/message.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { event } from '../node.js'
import { deflated } from '../changes.js'
import { typicalEvents } from './typical.js'

const recorder = createRecorder({ actor: 'ab'.repeat(16) })
const change = recorder.created({ kind: 'event', item: event })
const access = { id: 'a1', type: 'app', name: 'x', permissions: [], created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' } as Access
const H = '0f'.repeat(32)
const state = new Uint8Array(16).fill(7)
const group = (more: Partial<Group>): Group => ({
  type: 'group', entries: [], offers: [], lacking: [], aside: [], answers: false, reconciled: false, left: 5, ...more,
})
const entries: Entry[] = [
  { kind: 'event', id: 'e1', changes: [change, deflated(change)] },
  { kind: 'event', id: 'é2', changes: [change], files: new Map([['f1', H], ['f2', H]]) },
  { kind: 'stream', id: 's', changes: [] },
  { kind: 'profile', id: 'app:x', modified: 1.5, registers: [] },
  {
    kind: 'profile', id: 'public', modified: -1,
    registers: [{ key: 'é\ud800', text: '{"a":[1]}', counter: 2 ** 40, actor: 'AbC_-012' }, { removed: 'x'.repeat(22), counter: 1, actor: 'ab'.repeat(16) }],
  },
  { kind: 'event', id: 'e3', deleted: 12.25 },
  { kind: 'stream', id: 's3', deleted: -1, roots: [H, H] },
  { kind: 'access', id: 'a1', access, token: new Secret('tök') },
  { kind: 'access', id: 'a1', access: { ...access, deleted: 3 }, token: new Secret('') },
  { kind: 'series', id: 'e1', actor: 'AbC_-012', after: 0, upTo: 1.7e15, segments: [new Uint8Array([1, 2]), new Uint8Array(0)] },
  { kind: 'event', id: 'e4', withdrawn: true },
  { kind: 'stream', id: 's4', withdrawn: true },
]
const messages: Message[] = [
  { type: 'hello', product: 'coffer 1', instance: 'i', now: 1.5, scope: { is: 'mirror' }, mine: { epoch: 'x', sequence: 5 }, digest: { state }, pendingFetch: 0 },
  {
    type: 'hello', product: '', instance: 'i', now: 1.7e9, mine: { epoch: 'x', sequence: 0 }, yours: { epoch: 'y', sequence: 2 ** 40 }, digest: { state }, pendingFetch: 9,
    scope: { is: 'share', streams: ['heart', 'lung'], direction: 'both', grantor: 'them' },
  },
  { type: 'begin', how: 'feed' },
  { type: 'begin', how: 'reconcile', skip: { epoch: 'x', sequence: 9 } },
  group({ position: { epoch: 'e', sequence: 70000 }, entries }),
  group({
    answers: true, reconciled: true, aside: [{ item: { kind: 'event', id: 'e7' }, reason: 'too-large', message: 'It is too large.' }], lacking: [{ kind: 'event', id: 'e9' }],
    offers: [{ item: { kind: 'event', id: 'e' }, state }, { item: { kind: 'stream', id: 's' }, state, roots: [H, H] }, { item: { kind: 'series', id: 'e' }, versionVector: new Map([['p', 3], ['q', 1.6e15]]) }, { item: { kind: 'series', id: 'f' }, versionVector: new Map() }],
  }),
  { type: 'acknowledgement', groups: 12, refused: 3, refusals: [{ item: { kind: 'stream', id: 's' }, reason: 'invalid', message: '' }] },
  { type: 'request', items: [{ item: { kind: 'series', id: 'm' }, versionVector: new Map([['p', 1]]) }, { item: { kind: 'stream', id: 's' } }] },
  { type: 'request', items: [{ item: { kind: 'series', id: 'm' }, versionVector: new Map() }] },
  { type: 'reconcile', body: Buffer.from([1, 2, 3]) },
  { type: 'state', position: { epoch: 'x', sequence: 1 }, digest: { state }, groups: 2, pending: 3, missing: 1, answers: 4 },
  { type: 'state', position: { epoch: 'x', sequence: 1 }, digest: { state }, groups: 2, pending: 3, missing: 1, answers: 4, accepts: { state } },
  { type: 'ask', question: 7, deep: true },
  { type: 'file-request', digest: H, offset: 2 ** 33, length: 65536 },
  { type: 'file-part', digest: H, offset: 3, bytes: Buffer.from([4, 5]) },
  { type: 'file-lack', digest: H, expected: true },
  { type: 'end', reason: 'scope', message: 'No.' },
  { type: 'part', isLast: true, bytes: Buffer.from([9]) },
]

/** Returns a comparable value: secrets revealed, bytes in one form. */
const plain = (value: unknown): unknown =>
  value instanceof Secret ? { secret: value.reveal() as string }
  : value instanceof Uint8Array ? Buffer.from(value).toString('hex')
  : value instanceof Map ? [...value].map(plain)
  : Array.isArray(value) ? value.map(plain)
  : typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]))
  : value

describe('messages', () => {
  it.each(messages.map((message, i) => [i, message.type, message] as const))('are decoded as encoded: %i %s', async (_, __, message) => {
    expect(plain(await decode(Uint8Array.from(await encode(message))))).toEqual(plain(message))
  })

  it('end the session with reason version when they are of an unknown kind or greet in another version', async () => {
    await expect(decode(new Uint8Array([200]))).rejects.toMatchObject({ reason: 'version' })
    await expect(decode(new Uint8Array([0, PROTOCOL + 1]))).rejects.toMatchObject({ reason: 'version' })
  })

  it('are damaged when cut at any place, or extended', async () => {
    const open = new Set(['reconcile', 'part'])
    for (const message of messages) {
      const bytes = Uint8Array.from(await encode(message))
      for (let cut = 0; cut < bytes.length && !open.has(message.type); cut++) {
        await expect(decode(bytes.subarray(0, cut)), `${message.type} ${cut}`).rejects.toBeInstanceOf(ProtocolError)
      }
      // Bytes after a compressed group are not read.
      if (!open.has(message.type) && message.type !== 'group') {
        await expect(decode(Uint8Array.from([...bytes, 0])), message.type).rejects.toMatchObject({ reason: 'damaged' })
      }
    }
  })

  it('never fail otherwise, with any flipped bit', async () => {
    for (const message of messages) {
      const bytes = Uint8Array.from(await encode(message))
      for (let bit = 0; bit < bytes.length * 8; bit += bytes.length > 100 ? 5 : 1) {
        const flipped = Uint8Array.from(bytes)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        await decode(flipped).catch((error: unknown) => expect(error).toBeInstanceOf(ProtocolError))
      }
    }
  })

  it('are not decompressed beyond their stated size, nor with a size beyond the limit', async () => {
    const { deflateRawSync } = await import('node:zlib')
    const { newColumn, addByte, addNumber, addBytes, bytesOf } = await import('../../../src/sync/wire/parts.js')
    const bomb = (length: number): Uint8Array => {
      const c = newColumn()
      addByte(c, 2)
      addNumber(c, length)
      addBytes(c, deflateRawSync(new Uint8Array(MAX_GROUP_BYTES + 1)))
      return bytesOf(c)
    }
    await expect(decode(bomb(MAX_GROUP_BYTES + 1))).rejects.toMatchObject({ message: 'The other node sent a group that is too long.' })
    await expect(decode(bomb(10_000))).rejects.toMatchObject({ message: 'The other node sent a group that cannot be decompressed.' })
  })

  it('contain typical events in 120 bytes each', async () => {
    const { changes, ids } = typicalEvents(2000, randomBytes(4).readUInt32LE(0))
    let bytes = 0
    for (let at = 0; at < ids.length; at += 500) {
      const some = ids.slice(at, at + 500).map((id, i): Entry => ({ kind: 'event', id, changes: [changes[at + i] as Uint8Array] }))
      bytes += (await encode(group({ position: { epoch: 'e'.repeat(24), sequence: at }, entries: some }))).length
    }
    expect(bytes / ids.length).toBeLessThan(120)
  })
})
