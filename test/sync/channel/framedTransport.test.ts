import { describe, expect, it } from 'vitest'
import { MAX_MESSAGE } from '../../../src/sync/channel/channel.js'
import { plainChannels } from '../../support/sync/wires.js'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content)

describe('a framed transport', () => {
  it('transfers messages both ways, in order, and closes for both with a reason', async () => {
    const { ends: [a, b] } = plainChannels()
    for (const word of ['one', 'two', '']) await a.send(bytes(word))
    await b.send(bytes('back'))
    a.close('enough')
    const got: string[] = []
    for await (const message of b.messages) got.push(text(message))
    expect(got).toEqual(['one', 'two', ''])
    expect(b.closeReason).toBe('enough')
    expect(a.closeReason).toBeUndefined()
    for await (const _ of a.messages) throw new Error('read after closing')
    await expect(b.send(bytes('late'))).rejects.toMatchObject({ reason: 'closed' })
  })

  it('continues where a reader left a loop', async () => {
    const { ends: [a, b] } = plainChannels()
    for (const word of ['first', 'second']) await a.send(bytes(word))
    for await (const message of b.messages) {
      expect(text(message)).toBe('first')
      break
    }
    for await (const message of b.messages) {
      expect(text(message)).toBe('second')
      break
    }
  })

  it('distinguishes a lost wire from a close', async () => {
    const { ends: [a, b], cut } = plainChannels()
    await a.send(bytes('one'))
    cut()
    const reader = b.messages[Symbol.asyncIterator]()
    expect(await reader.next()).toMatchObject({ done: false })
    await expect(reader.next()).rejects.toMatchObject({ reason: 'closed' })
    await expect(reader.next()).rejects.toMatchObject({ reason: 'closed' })
    await expect(a.send(bytes('x'))).rejects.toMatchObject({ reason: 'closed' })
  })

  it('makes a sender wait for a reader', async () => {
    const { ends: [a, b] } = plainChannels(['a', 'b'], { most: 1000 })
    let sent = 0
    const sending = (async () => {
      for (; sent < 100; sent++) await a.send(new Uint8Array(100))
    })()
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBeLessThan(12)
    let read = 0
    for await (const _ of b.messages) if (++read === 100) break
    await sending
    expect(sent).toBe(100)
  })

  it('releases a waiting sender when the wire is lost', async () => {
    const { ends: [a], cut } = plainChannels(['a', 'b'], { most: 10 })
    const sending = a.send(new Uint8Array(100))
    cut()
    await sending
  })

  it('refuses a message that is too long, and continues', async () => {
    const { ends: [a, b] } = plainChannels()
    await expect(a.send(new Uint8Array(MAX_MESSAGE + 1))).rejects.toMatchObject({ reason: 'too-large' })
    await a.send(bytes('short'))
    expect(text((await b.messages[Symbol.asyncIterator]().next()).value as Uint8Array)).toBe('short')
  })
})
