/** Framed transport over a hostile network: nothing arrives but the sent messages, and it closes with a reason. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChannelError, MAX_MESSAGE, type Channel } from '../../src/sync/channel/channel.js'
import { initiate, respond } from '../../src/sync/channel/open.js'
import { newSigner, realTimers as timers } from '../support/sync/signers.js'
import { memoryWires } from '../support/sync/wires.js'

type Tampering =
  | { do: 'flip'; at: number; bit: number }
  | { do: 'cut'; to: number }
  | { do: 'drop' }
  | { do: 'repeat' }
  | { do: 'insert'; bytes: Uint8Array }
  | { do: 'grow'; by: number }
  | { do: 'swap' }
  | { do: 'replay'; back: number }

const tampering: fc.Arbitrary<Tampering> = fc.oneof(
  fc.record({ do: fc.constant('flip' as const), at: fc.nat(600), bit: fc.nat(7) }),
  fc.record({ do: fc.constant('cut' as const), to: fc.nat(170) }),
  fc.constant({ do: 'drop' as const }),
  fc.constant({ do: 'repeat' as const }),
  fc.record({ do: fc.constant('insert' as const), bytes: fc.uint8Array({ maxLength: 600 }) }),
  fc.record({ do: fc.constant('grow' as const), by: fc.constantFrom(1, 17, 600, MAX_MESSAGE + 100) }),
  fc.constant({ do: 'swap' as const }),
  fc.record({ do: fc.constant('replay' as const), back: fc.integer({ min: 1, max: 4 }) }),
)

function tamper(what: Tampering, frame: Uint8Array, earlier: readonly Uint8Array[], hold: (frame: Uint8Array) => void): Uint8Array[] {
  switch (what.do) {
    case 'flip':
      return [frame.map((byte, at) => (at === what.at % frame.length ? byte ^ (1 << what.bit) : byte))]
    case 'cut':
      return [frame.subarray(0, what.to % frame.length)]
    case 'drop':
      return []
    case 'repeat':
      return [frame, frame]
    case 'insert':
      return [what.bytes, frame]
    case 'grow':
      return [Buffer.concat([frame, new Uint8Array(what.by)])]
    case 'swap':
      hold(frame)
      return []
    case 'replay':
      return [earlier.at(-what.back) ?? new Uint8Array(0), frame]
  }
}

async function readAll(channel: Channel): Promise<{ got: string[]; reason: string }> {
  const got: string[] = []
  try {
    for await (const message of channel.messages) got.push(Buffer.from(message).toString())
    return { got, reason: 'end' }
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    return { got, reason: error.reason }
  }
}

describe('a transport over a hostile network', () => {
  it('delivers a prefix of the sent messages, or fails to open', async () => {
    const [ana, ben] = [await newSigner(), await newSigner()]
    const sent = ['one', 'two', '', 'three', 'four']
    const runs = process.env['LONG'] === undefined ? 120 : 20_000
    await fc.assert(
      fc.asyncProperty(fc.nat(12), tampering, async (at, what) => {
        let n = 0
        let held: Uint8Array | undefined
        const earlier: Uint8Array[] = []
        const { ends } = memoryWires({
          most: 8 * MAX_MESSAGE,
          tap(frame) {
            const after = held === undefined ? [] : [held]
            held = undefined
            const passed = n++ === at ? tamper(what, frame, earlier, (late) => (held = late)) : [frame]
            earlier.push(frame)
            return [...passed, ...after]
          },
        })
        const opening = [
          initiate(ends[0], { signer: ana, timers, expected: ben.node, timeoutMs: 30 }),
          respond(ends[1], { signer: ben, timers, timeoutMs: 30 }),
        ] as const
        const sides = await Promise.allSettled(opening)
        for (const side of sides) if (side.status === 'rejected') expect(side.reason).toBeInstanceOf(ChannelError)
        const [a, b] = sides.map((side) => (side.status === 'fulfilled' ? side.value : undefined))
        if (a !== undefined && b !== undefined) {
          expect([a.node, b.node]).toEqual([ben.node, ana.node])
          expect(a.binding).toEqual(b.binding)
        }
        const talk = async (channel: Channel | undefined): Promise<void> => {
          for (const word of sent) await channel?.send(Buffer.from(word)).catch(() => {})
        }
        await Promise.all([talk(a), talk(b)])
        a?.close('done')
        const { got, reason } = b === undefined ? { got: [], reason: 'end' } : await readAll(b)
        expect(got).toEqual(sent.slice(0, got.length))
        // A clean close means that all messages arrived.
        if (reason === 'end' && b !== undefined && a !== undefined) expect(got).toEqual(sent)
        b?.close()
        await expect(ends[0].send(Uint8Array.of(1))).rejects.toThrow()
      }),
      { numRuns: runs },
    )
  })

  it('closes on garbage from the first byte on', async () => {
    const ben = await newSigner()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 4 }), async (frames) => {
        const { ends } = memoryWires()
        const opening = respond(ends[1], { signer: ben, timers, timeoutMs: 30 })
        opening.catch(() => {})
        for (const frame of frames) await ends[0].send(frame).catch(() => {})
        await expect(opening).rejects.toBeInstanceOf(ChannelError)
      }),
      { numRuns: 200 },
    )
  })
})
