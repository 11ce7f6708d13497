import sodium from 'libsodium-wrappers'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_MESSAGE, type Channel, type Wire } from '../../../src/sync/channel/channel.js'
import { initiate, respond } from '../../../src/sync/channel/open.js'
import type { Signer } from '../../../src/sync/channel/signer.js'
import { createEncryptingStream } from '../../../src/store/keyring/streamCipher.js'
import { manualTimers, newSigner, realTimers } from '../../support/sync/signers.js'
import { memoryWires, type WireOptions } from '../../support/sync/wires.js'

const timers = realTimers
let ana: Signer
let ben: Signer
beforeAll(async () => {
  ana = await newSigner()
  ben = await newSigner()
})

async function connected(options: WireOptions = {}): Promise<{ a: Channel; b: Channel; cut(): void; ends: [Wire, Wire] }> {
  const { ends, cut } = memoryWires(options)
  const [a, b] = await Promise.all([
    initiate(ends[0], { signer: ana, timers, expected: ben.node }),
    respond(ends[1], { signer: ben, timers }),
  ])
  return { a, b, cut, ends }
}

/** Returns the outcomes of both sides of a handshake over a wire that is tampered with. */
async function outcomes(options: WireOptions, expected?: string): Promise<{ reasons: string[]; isClosed: boolean }> {
  const { ends } = memoryWires(options)
  const results = await Promise.allSettled([
    initiate(ends[0], { signer: ana, timers, ...(expected === undefined ? {} : { expected }) }),
    respond(ends[1], { signer: ben, timers }),
  ])
  const reasons = results.map((result) => (result.status === 'fulfilled' ? 'open' : String(Object(result.reason).reason)))
  const isClosed = await ends[0].send(Uint8Array.of(1)).then(() => false, () => true)
  return { reasons, isClosed }
}

const next = (channel: Channel): Promise<IteratorResult<Uint8Array>> => channel.messages[Symbol.asyncIterator]().next()
const flipped = (frame: Uint8Array, at: number): Uint8Array => frame.map((byte, i) => (i === at ? byte ^ 1 : byte))

describe('a channel', () => {
  it('identifies each node to the other, and has the same binding on both', async () => {
    const { a, b } = await connected()
    expect([a.node, b.node]).toEqual([ben.node, ana.node])
    expect(a.binding).toHaveLength(32)
    expect(a.binding).toEqual(b.binding)
    expect((await connected()).a.binding).not.toEqual(a.binding)
  })

  it('transfers messages both ways up to the longest, and closes with a reason', async () => {
    const { a, b } = await connected({ most: 4 * MAX_MESSAGE })
    const long = Uint8Array.from({ length: MAX_MESSAGE }, (_, at) => at)
    await a.send(long)
    await a.send(new Uint8Array(0))
    await b.send(Uint8Array.of(1, 2))
    expect(Buffer.compare((await next(b)).value as Uint8Array, long)).toBe(0)
    expect((await next(b)).value).toEqual(new Uint8Array(0))
    expect((await next(a)).value).toEqual(Uint8Array.of(1, 2))
    b.close('done with it')
    expect((await next(a)).done).toBe(true)
    expect(a.closeReason).toBe('done with it')
    await expect(a.send(long)).rejects.toMatchObject({ reason: 'closed' })
  })

  it('reveals neither identities nor content on the wire', async () => {
    const seen: Uint8Array[] = []
    const { a } = await connected({ tap: (frame) => [seen[seen.push(frame) - 1] as Uint8Array] })
    await a.send(Buffer.from('a word in private'))
    const all = Buffer.concat(seen)
    for (const hidden of [Buffer.from(ana.node, 'base64url'), Buffer.from(ben.node, 'base64url'), Buffer.from('a word')]) {
      expect(all.includes(hidden)).toBe(false)
    }
  })

  it('refuses another node than the expected one, without revealing the caller', async () => {
    const sent: number[] = [0, 0]
    const tap = (frame: Uint8Array, from: 0 | 1): Uint8Array[] => [(sent[from] = (sent[from] ?? 0) + 1) > 0 ? frame : frame]
    expect(await outcomes({ tap }, ana.node)).toEqual({ reasons: ['identity', 'closed'], isClosed: true })
    expect(sent).toEqual([1, 1])
  })

  it('refuses a signature made by another node', async () => {
    const { ends } = memoryWires()
    const forged: Signer = { node: ben.node, sign: (message) => ana.sign(message) }
    const results = await Promise.allSettled([
      initiate(ends[0], { signer: ana, timers, expected: ben.node }),
      respond(ends[1], { signer: forged, timers }),
    ])
    expect(results).toMatchObject([{ reason: { reason: 'identity' } }, { reason: { reason: 'closed' } }])
    const others = memoryWires().ends
    const caller: Signer = { node: ana.node, sign: (message) => ben.sign(message) }
    // The caller finishes after its signature; the called node refuses.
    const [called, answered] = await Promise.allSettled([
      initiate(others[0], { signer: caller, timers }),
      respond(others[1], { signer: ben, timers }),
    ])
    expect(answered).toMatchObject({ reason: { reason: 'identity' } })
    if (called.status === 'fulfilled') await expect(next(called.value)).rejects.toMatchObject({ reason: 'closed' })
  })

  it('times out after ten seconds, and leaves no timer', async () => {
    const late = manualTimers()
    const { ends } = memoryWires()
    const opening = respond(ends[1], { signer: ben, timers: late })
    late.pass(9_999)
    expect(late.waiting).toBe(1)
    late.pass(1)
    await expect(opening).rejects.toMatchObject({ reason: 'timeout' })
    await expect(ends[0].send(Uint8Array.of(1))).rejects.toThrow()
    const both = memoryWires().ends
    await Promise.all([initiate(both[0], { signer: ana, timers: late }), respond(both[1], { signer: ben, timers: late })])
    expect(late.waiting).toBe(0)
  })

  it('answers another version with its own', async () => {
    const tap = (frame: Uint8Array, from: 0 | 1): Uint8Array[] => [from === 0 ? Uint8Array.of(9, ...frame.subarray(1)) : frame]
    const { reasons } = await outcomes({ tap })
    expect(reasons[1]).toBe('version')
    const { ends } = memoryWires()
    const calling = initiate(ends[0], { signer: ana, timers })
    await ends[1].send(Uint8Array.of(7))
    await expect(calling).rejects.toMatchObject({ reason: 'version', message: expect.stringContaining('version 7') })
  })

  it.each([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'version'],
    ['an empty frame', Buffer.alloc(0), 'version'],
    ['a short frame', Buffer.from([1, 2, 3]), 'damaged'],
    ['a key of low order', Buffer.from([1, ...new Uint8Array(32)]), 'damaged'],
    ['a giant frame', Buffer.alloc(513, 1), 'too-large'],
  ])('refuses %s from the first byte', async (_, frame, reason) => {
    const { ends } = memoryWires()
    const opening = respond(ends[1], { signer: ben, timers })
    await ends[0].send(frame)
    await expect(opening).rejects.toMatchObject({ reason })
    await expect(ends[0].send(frame)).rejects.toThrow()
  })

  it('refuses every flipped bit of the handshake', async () => {
    const lengths = [33, 170, 137]
    for (const [frame, length] of lengths.entries()) {
      for (let at = 0; at < length; at += 7) {
        let n = 0
        const tap = (bytes: Uint8Array): Uint8Array[] => [n++ === frame ? flipped(bytes, at) : bytes]
        const { reasons } = await outcomes({ tap })
        // The caller has finished after its signature; the called node never has.
        const place = `byte ${at} of frame ${frame}`
        expect(reasons.some((reason) => /^(damaged|identity|version)$/.test(reason)), place).toBe(true)
        expect(reasons[1], place).not.toBe('open')
      }
    }
  })

  it('refuses a truncated handshake', async () => {
    for (const frame of [0, 1, 2]) {
      let n = 0
      const { reasons } = await outcomes({ tap: (bytes) => [n++ === frame ? bytes.subarray(0, -1) : bytes] })
      expect(reasons[frame === 1 ? 0 : 1]).toBe('damaged')
    }
  })

  const HANDSHAKE = 3
  const tampered: [what: string, tap: (frames: Uint8Array[], frame: Uint8Array) => Uint8Array[], reason: string][] = [
    ['a flipped bit', (_, frame) => [flipped(frame, 20)], 'damaged'],
    ['a frame without its end', (_, frame) => [frame.subarray(0, -1)], 'damaged'],
    ['an empty frame', (_, frame) => [new Uint8Array(0), frame], 'damaged'],
    ['a repeated frame', (_, frame) => [frame, frame], 'damaged'],
    ['a missing frame', (earlier, frame) => (earlier.length % 2 === 0 ? [] : [frame]), 'damaged'],
    ['frames in another order', (earlier, frame) => (earlier.length % 2 === 0 ? [] : [frame, earlier.at(-1) ?? frame]), 'damaged'],
    ['an inserted frame', (_, frame) => [new Uint8Array(100), frame], 'damaged'],
    ['a giant frame', () => [new Uint8Array(MAX_MESSAGE + 18)], 'too-large'],
  ]
  it.each(tampered)('closes at %s, with a reason for the peer', async (_, tamper, reason) => {
    let n = 0
    const earlier: Uint8Array[] = []
    const tap = (frame: Uint8Array, from: 0 | 1): Uint8Array[] => {
      if (n++ < HANDSHAKE || from === 1) return [frame]
      const forwarded = tamper(earlier, frame)
      earlier.push(frame)
      return forwarded
    }
    const { a, b, ends } = await connected({ tap, most: 4 * MAX_MESSAGE })
    const sent = [Buffer.from('first message'), Buffer.from('other message'), Buffer.from('third message')]
    for (const message of sent) await a.send(message)
    const got: string[] = []
    const reading = (async () => {
      for await (const message of b.messages) got.push(Buffer.from(message).toString())
    })()
    await expect(reading).rejects.toMatchObject({ reason })
    expect(got.every((message, at) => message === String(sent[at]))).toBe(true)
    expect((await next(a)).done).toBe(true)
    expect(a.closeReason).toBe(reason)
    await expect(ends[0].send(Uint8Array.of(1))).rejects.toThrow()
  })

  it('refuses replayed frames of an earlier session', async () => {
    const recorded: Uint8Array[] = []
    const { a } = await connected({ tap: (frame, from) => (from === 0 && recorded.push(frame) > 0 ? [frame] : [frame]) })
    await a.send(Buffer.from('pay me'))
    // The whole recording, from the first frame on.
    const { ends } = memoryWires()
    const opening = respond(ends[1], { signer: ben, timers })
    for (const frame of recorded) await ends[0].send(frame)
    await expect(opening).rejects.toMatchObject({ reason: 'damaged' })
    // One message, within a new session.
    const later = await connected()
    await later.ends[0].send(recorded.at(-1) ?? new Uint8Array(0))
    await expect(next(later.b)).rejects.toMatchObject({ reason: 'damaged' })
  })

  it('distinguishes a lost connection from a close', async () => {
    const { a, b, cut } = await connected()
    await a.send(Uint8Array.of(1))
    cut()
    expect((await next(b)).value).toEqual(Uint8Array.of(1))
    await expect(next(b)).rejects.toMatchObject({ reason: 'closed' })
    await expect(a.send(Uint8Array.of(1))).rejects.toMatchObject({ reason: 'closed' })
  })

  it('releases its memory outside of the heap', async () => {
    await sodium.ready
    const key = new Uint8Array(32)
    const { _malloc, _free } = (sodium as unknown as { libsodium: Record<'_malloc' | '_free', (n: number) => number> }).libsodium
    const probe = (): number => {
      const at = _malloc?.(100_000) ?? 0
      _free?.(at)
      return at
    }
    const before = probe()
    for (let i = 0; i < 3000; i++) createEncryptingStream(key).release()
    expect(probe() - before).toBeLessThan(100_000)
  })
})
