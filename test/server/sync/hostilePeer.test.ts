/** Hostile messages from a peer with a valid key and pairing: refused with a reason, without effect on the node. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { initialise } from '../../../src/server/launch/init.js'
import { MAX_ID_LENGTH } from '../../../src/store/model/slug.js'
import type { Event } from '../../../src/store/model/event.js'
import { MARKER } from '../../../src/store/model/delegation.js'
import type { Register, Stamp } from '../../../src/store/model/profileRegisters.js'
import { Secret } from '../../../src/store/model/secret.js'
import type { Item } from '../../../src/store/engine/changeRecorder.js'
import { createRecorder } from '../../../src/sync/crdt/document.js'
import { encode } from '../../../src/sync/wire/codec.js'
import type { ChangesEntry, Entry, ProfileEntry } from '../../../src/sync/wire/entry.js'
import type { Message } from '../../../src/sync/wire/message.js'
import { expectSound } from '../../support/store/check.js'
import { managedKinds } from '../../support/people/delegatedAccess.js'
import { openLine } from '../../support/sync/badConnection.js'
import { makeAccount, placesOf, request, startTestNode, type TestNode } from '../../support/nodes/node.js'
import { begun, call, emptyGroup, itemsOf, nothing, pairScripted, refusalsOf, type ScriptedPeer, type Talk } from '../../support/sync/scriptedPeer.js'
import { newSigner } from '../../support/sync/signers.js'
import { changeOf, deflated, signed, unsigned } from '../../sync/changes.js'

const recorder = createRecorder({ actor: randomBytes(16).toString('hex') })
const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
let serial = 0
const newId = (): string => `c${String(++serial).padStart(24, 'p')}`
const made = (item: Exclude<Item, { kind: 'profile' }>): ChangesEntry => ({ kind: item.kind, id: item.item.id, changes: [recorder.created(item)] })
const profile = (register: Partial<Stamp & { key: string; text: string; removed: string }>, more: Partial<ProfileEntry> = {}): ProfileEntry => ({
  ...{ kind: 'profile', id: 'private', modified: 1, registers: [{ text: '1', counter: 1, actor: 'x', ...register } as Register] },
  ...more,
})
const madeEvent = (more: Partial<Event> = {}): ChangesEntry =>
  made({ kind: 'event', item: { id: newId(), streamIds: ['work'], type: 'note/txt', content: 'x', time: 1, tags: [], ...tracking, ...more } })
const madeStream = (id: string, name = id, parentId: string | null = null): ChangesEntry => made({ kind: 'stream', item: { id, name, parentId, ...tracking } })

let home: string
let node: TestNode
let token: string
let peer: ScriptedPeer
const open: Talk[] = []

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'coffer-hostile-'))
  await initialise(placesOf(home))
  node = await startTestNode({}, { home })
  token = await makeAccount(node, 'anna1')
  await makeAccount(node, 'bert1')
  await request(`${node.url}anna1/streams`, { token, body: { id: 'work', name: 'work' } })
  peer = await pairScripted(node, 'anna1')
})
/** Checks that the node still serves requests. */
afterEach(async () => {
  await Promise.all(open.splice(0).map((talk) => talk.close()))
  expect((await request(`${node.url}anna1/events?limit=1`, { token })).status).toBe(200)
})
afterAll(async () => {
  const honest = await begun(peer)
  expect(await honest.give({ entries: [madeEvent()] })).toBe(0)
  await honest.close()
  await node.stop()
  await expectSound(placesOf(home))
  await rm(home, { recursive: true })
  expect(node.logged.filter((line) => line.includes('error of this node'))).toEqual([])
})

const track = async (opening: Promise<Talk>): Promise<Talk> => {
  const talk = await opening
  open.push(talk)
  return talk
}

describe('a connecting peer', () => {
  it('is refused with the same reason for a pairing of another node, an unknown one, or one of another account', async () => {
    const stranger = await newSigner()
    const other = await pairScripted(node, 'bert1')
    const calls = [call(peer, peer.peer.pairing, stranger), call(peer, 'A'.repeat(22)), call(peer, other.peer.pairing)]
    for (const end of await Promise.all(calls.map(async (one) => (await track(one)).end()))) {
      expect(end).toMatchObject({ reason: 'unknown-pairing' })
    }
  })

  it.each([[6 * 60], [-6 * 60], [40 * 86_400], [-40 * 86_400], [Number.NaN], [Infinity]])('with a clock difference of %d seconds is refused', async (off) => {
    const talk = await track(call(peer))
    await talk.greet({ now: node.node.clock.now() + off })
    expect(await talk.end()).toMatchObject({ reason: 'clock' })
  })

  it('with another protocol version or another scope is refused', async () => {
    const later = await track(call(peer))
    await later.say(Uint8Array.of(0, 99, 1, 2, 3))
    expect(await later.end()).toMatchObject({ reason: 'version' })
    const unknown = await track(call(peer))
    await unknown.say(Uint8Array.of(77))
    expect(await unknown.end()).toMatchObject({ reason: 'version' })
    const narrow = await track(call(peer))
    await narrow.greet({ scope: { is: 'share', streams: ['work'], direction: 'both', grantor: 'us' } })
    expect(await narrow.end()).toMatchObject({ reason: 'scope' })
  })
})

const bomb = (length: number, claimed: number): Uint8Array =>
  Buffer.from([2, ...unsigned(claimed), ...deflateRawSync(Buffer.alloc(length))])
const step = (...bytes: number[]): Message => ({ type: 'reconcile', body: Uint8Array.from(bytes) })

describe('a session ends as damaged after', () => {
  const cases: [string, (Message | Uint8Array)[]][] = [
    ['a group that announces more than the limit', [bomb(1000, 2 ** 40)]],
    ['a group that decompresses to more than announced', [bomb(64 * 1024 * 1024, 1000)]],
    ['a truncated group', [bomb(1000, 1000).subarray(0, 10)]],
    ['a group with trailing bytes', [Buffer.concat([bomb(1000, 1000), Buffer.alloc(3)])]],
    ['endless parts of a message', Array.from({ length: 20 }, (): Message => ({ type: 'part', isLast: false, bytes: new Uint8Array(1_000_000) }))],
    ['an invalid step of a comparison', [step(255, 255, 255)]],
    ['an empty step', [step()]],
    ['a step out of turn', [step(1, 4, 1)]],
    ['endless steps', Array.from({ length: 2000 }, (_, i) => step(1, 1, 0, i % 256, 0, ...new Array<number>(128).fill(1)))],
    ['a second greeting', [{ type: 'hello', product: '', instance: 'i', now: 1, scope: { is: 'mirror' }, mine: { epoch: 'x', sequence: 1 }, digest: nothing, pendingFetch: 0 }]],
    ['a second begin message', [{ type: 'begin', how: 'feed' }]],
    ['an unrequested answer', [{ ...emptyGroup, answers: true }]],
    ['an acknowledgement of groups never sent', [{ type: 'acknowledgement', groups: 2 ** 40, refused: 0, refusals: [] }]],
    ['an unrequested file', [{ type: 'file-part', digest: 'ab'.repeat(32), offset: 2 ** 50, bytes: new Uint8Array(10) }]],
    ['a request for too many items', [{ type: 'request', items: Array.from({ length: 300 }, () => ({ item: { kind: 'event', id: 'x' } as const })) }]],
    ['a request for too many bytes of a file', [{ type: 'file-request', digest: 'ab'.repeat(32), offset: 0, length: 2 ** 40 }]],
    ['an offer with too long an id', [{ ...emptyGroup, offers: [{ item: { kind: 'event', id: 'x'.repeat(5000) }, state: nothing.state }] }]],
  ]
  it.each(cases)('%s', async (_, messages) => {
    const before = await itemsOf(peer)
    const talk = await track(begun(peer))
    await talk.say(...messages)
    expect(await talk.end()).toMatchObject({ reason: 'damaged' })
    expect(await itemsOf(peer)).toEqual(before)
  })
})

const flipped = (entry: ChangesEntry): ChangesEntry => {
  const [change = new Uint8Array(0)] = entry.changes
  const bytes = Uint8Array.from(change)
  // Not a valid change, so it is sent unencoded.
  bytes[20] = (bytes[20] ?? 0) ^ 1
  bytes[0] = 0
  return { ...entry, changes: [bytes] }
}
const claiming = (operations: number): Uint8Array => {
  const some = signed(operations)
  return changeOf([[0x15, [...some, 1, 0x61]], [0x34, unsigned(operations)], [0x42, [...some, 1]], [0x56, [...some, 0]], [0x57, new Array<number>(operations).fill(0)], [0x70, [...some, 0]]])
}
const deep = `${'['.repeat(900)}${']'.repeat(900)}`
const access = (more: object): Entry => ({
  kind: 'access', id: 'a1',
  access: { id: 'a1', type: 'app', name: 'x', permissions: [], ...tracking, ...more } as never,
  token: new Secret('some-token'),
})

describe('an entry is refused, and the refusal is stored with its reason:', () => {
  const cases: [string, string, () => Entry][] = [
    ['a change with a flipped bit', 'damaged', () => flipped(madeEvent())],
    ['bytes that are not a change', 'damaged', () => ({ ...madeEvent(), changes: [Uint8Array.of(1, 2, 3)] })],
    ['a compressed change', 'damaged', () => { const one = madeEvent(); return { ...one, changes: one.changes.map((change) => deflated(change)) } }],
    ['a change that claims more operations than keys', 'damaged', () => ({ ...madeEvent(), changes: [claiming(50_000)] })],
    ['a change that claims 2^40 operations', 'damaged', () => ({ ...madeEvent(), changes: [changeOf([[0x15, [...signed(2 ** 40), 1, 0x61]], [0x42, [...signed(2 ** 40), 1]]])] })],
    ['a stream with the changes of an event', 'damaged', () => ({ kind: 'stream', id: 'odd', changes: madeEvent().changes })],
    ['content that is nested too deeply', 'invalid', () => madeEvent({ type: 'odd/type', content: JSON.parse(deep) as unknown })],
    ['content that does not match its type', 'invalid', () => madeEvent({ type: 'mass/kg', content: 'heavy' })],
    ['an invalid type', 'invalid', () => madeEvent({ type: 'nonsense' })],
    ['a negative duration', 'invalid', () => madeEvent({ duration: -5 })],
    ['a tag of white space', 'invalid', () => madeEvent({ tags: [' '] })],
    ['an event in an account stream', 'invalid', () => madeEvent({ streamIds: [':_system:email'] })],
    ['a file with an invalid id', 'invalid', () => madeEvent({ attachments: [{ id: '../../etc', fileName: 'x', type: 'x', size: 1 }] })],
    ['a file with a negative size', 'invalid', () => madeEvent({ attachments: [{ id: 'f1', fileName: 'x', type: 'x', size: -1 }] })],
    ['a file without a digest', 'damaged', () => madeEvent({ attachments: [{ id: 'f1', fileName: 'x', type: 'x', size: 1 }] })],
    ...['../../x', 'a/b', ':_system:email', ':system:email', 'x', 'é'.repeat(24), '__proto__', 'c'.repeat(200)].map((id): [string, string, () => Entry] =>
      [`an event with the id ${id}`, 'invalid', () => ({ ...madeEvent(), id })]),
    ...['../x', 'a/b', '*', 'null', ':_system:account', ':_audit:x', 'a b', ''].map((id): [string, string, () => Entry] =>
      [`a stream with the id ${JSON.stringify(id)}`, 'invalid', () => madeStream(id, 'x')]),
    ['too long an id', 'invalid', () => ({ kind: 'event', id: 'x'.repeat(5000), deleted: 1 })],
    ['a stream without a name', 'invalid', () => madeStream('nameless', '')],
    ['a stream below an account stream', 'invalid', () => madeStream('below', 'below', ':_system:account')],
    ['a deletion of an account field', 'invalid', () => ({ kind: 'event', id: ':_system:email', deleted: 1 })],
    ['a deletion of an account stream', 'invalid', () => ({ kind: 'stream', id: ':_system:account', deleted: 1, roots: [] })],
    ['a withdrawal from a mirror', 'out-of-scope', () => ({ kind: 'stream', id: 'work', withdrawn: true })],
    ['a profile set with an unknown id', 'invalid', () => profile({ key: 'a' }, { id: 'other' })],
    ...['mfa', 'mfaThrottle', 'passwordThrottle'].map((key): [string, string, () => Entry] =>
      [`the private key ${key}`, 'invalid', () => profile({ key })]),
    ...['', 'x', '{"a": 1}', '{"a":1,"a":2}', '1.0', '[', 'undefined', deep].map((text): [string, string, () => Entry] =>
      [`a value of a profile set that is ${text.slice(0, 20)}`, 'invalid', () => profile({ key: 'a', text })]),
    ...[0, 2 ** 52 + 1].map((counter): [string, string, () => Entry] => [`a key of a profile set set at ${counter}`, 'invalid', () => profile({ key: 'a', counter })]),
    ...['', 'a b', 'x'.repeat(65)].map((actor): [string, string, () => Entry] => [`a key of a profile set set by ${JSON.stringify(actor)}`, 'invalid', () => profile({ key: 'a', actor })]),
    ['a removed profile key in plain text', 'invalid', () => profile({ removed: 'secret' })],
    ['a personal access', 'invalid', () => access({ type: 'personal' })],
    ...managedKinds.map((kind): [string, string, () => Entry] => {
      const clientData = { [MARKER]: { kind, relId: 'r', delegate: { username: 'eve01', hostSlug: 'example-org' } } }
      return [`a delegation access: ${kind}`, 'invalid', () => access({ type: 'shared', clientData })]
    }),
    ['an access with invalid permissions', 'invalid', () => access({ permissions: [{ streamId: 'work', level: 'god' }] })],
    ['an access with an unknown property', 'invalid', () => access({ isAdmin: true })],
    ['points of an invalid event', 'invalid', () => ({ kind: 'series', id: '../x', actor: 'a', after: 0, upTo: 5, segments: [] })],
  ]
  it.each(cases)('%s (%s)', async (_, reason, entry) => {
    const talk = await track(begun(peer))
    const before = await itemsOf(peer)
    const one = entry()
    const fine = madeStream(`fine${++serial}`)
    // The other entry of the group is accepted.
    expect(await talk.give({ entries: [one, fine] })).toBe(1)
    const after = await itemsOf(peer)
    const item = (one.kind === 'series' ? 'm' : one.kind.charAt(0)) + one.id.slice(0, MAX_ID_LENGTH).replaceAll('/', '%')
    expect((await refusalsOf(peer))[item]).toBe(reason)
    expect(Object.keys(after).some((key) => key.endsWith(fine.id))).toBe(true)
    const unexpected = Object.keys(after).filter((key) => before[key] === undefined && !key.includes(fine.id) && one.id !== '' && key.includes(one.id))
    expect(unexpected).toEqual([])
  })
})

describe('unusual but valid messages', () => {
  it('with positions and times in the far future do not affect the next session', async () => {
    const talk = await track(call(peer))
    await talk.greet({ yours: { epoch: 'x'.repeat(4000), sequence: 2 ** 50 }, pendingFetch: 2 ** 50 })
    await talk.hear((message): message is Message => message.type === 'begin')
    await talk.say({ type: 'begin', how: 'feed' })
    expect(await talk.give({ position: { epoch: 'future', sequence: 2 ** 52 }, left: 2 ** 52, entries: [madeEvent({ time: 1e300, created: 1e300, modified: -1e300 })] })).toBe(0)
    await talk.close()
    const next = await track(begun(peer))
    expect(next.hello?.yours).toEqual({ epoch: 'future', sequence: 2 ** 52 })
    expect(await next.give({ entries: [madeEvent()] })).toBe(0)
  })

  it('without end from a peer that reads nothing use bounded memory', async () => {
    const talk = await call(peer, peer.peer.pairing, peer.signer, false)
    open.push(talk)
    await talk.greet()
    await talk.say({ type: 'begin', how: 'feed' })
    const frames = await Promise.all([encode(emptyGroup), encode({ type: 'ask', question: 1, deep: false })])
    global.gc?.()
    const before = process.memoryUsage().rss
    const until = Date.now() + (process.env['LONG'] === undefined ? 1000 : 20_000)
    let sent = 0
    while (Date.now() < until) {
      await talk.say(...frames)
      if (++sent % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
  })
})

describe('a recorded session', () => {
  it('cannot be replayed', async () => {
    // The bytes of the caller, recorded on the line.
    const recorded: Buffer[] = []
    const line = await openLine(Number(new URL(node.url).port), undefined, (bytes) => void recorded.push(bytes))
    const talk = await track(begun({ ...peer, node: { ...node, url: `http://127.0.0.1:${line.port}/` } }))
    const entry = madeEvent()
    expect(await talk.give({ entries: [entry] })).toBe(0)
    await talk.close()
    await line.stop()
    const before = await itemsOf(peer)
    const received: Buffer[] = []
    const socket: Socket = connect(Number(new URL(node.url).port), '127.0.0.1')
    socket.on('data', (bytes) => void received.push(bytes))
    for (const bytes of recorded) {
      socket.write(bytes)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    for (let n = 0; n < 200 && !Buffer.concat(received).includes('damaged'); n++) await new Promise((resolve) => setTimeout(resolve, 10))
    socket.destroy()
    // The upgrade, the handshake and the close message only: no data of the account.
    expect(Buffer.concat(received).includes('damaged')).toBe(true)
    expect(Buffer.concat(received).length).toBeLessThan(1000)
    expect(createHash('sha256').update(JSON.stringify(await itemsOf(peer))).digest('hex')).toBe(createHash('sha256').update(JSON.stringify(before)).digest('hex'))
  })
})
