/** Limits on the rate and number of namespaces that a client connects to over one transport. */
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { CONNECT_BURST } from '../../../src/server/websocket/connectLimit.js'
import { fakeClock } from '../../support/nodes/clock.js'
import { registerUser } from '../../support/nodes/node.js'
import { withNode } from '../../support/nodes/started.js'

const clock = fakeClock()
const node = withNode({}, { clock })

interface RawSocket {
  readonly socket: WebSocket
  readonly messages: string[]
  /** Sends packets; waits for `answers` more messages. */
  exchange(packets: readonly string[], answers: number): Promise<string[]>
  readonly closed: Promise<void>
}

async function rawSocket(version: 3 | 4, query = ''): Promise<RawSocket> {
  const socket = new WebSocket(`${node().url.replace('http', 'ws')}socket.io/?EIO=${version}&transport=websocket${query}`)
  const messages: string[] = []
  let arrived = (): void => {}
  socket.on('message', (data: Buffer) => {
    messages.push(data.toString())
    arrived()
  })
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  await new Promise((resolve) => socket.on('open', resolve))
  async function exchange(packets: readonly string[], answers: number): Promise<string[]> {
    const before = messages.length
    const allReceived = new Promise<void>((resolve) => {
      arrived = () => void (messages.length >= before + answers && resolve())
    })
    for (const packet of packets) socket.send(packet)
    if (answers > 0) await allReceived
    return messages.slice(before)
  }
  // The engine sends a handshake; the previous protocol also connects the root namespace.
  while (messages.length < (version === 3 ? 2 : 1)) await new Promise((resolve) => socket.once('message', resolve))
  return { socket, messages, exchange, closed }
}

const countOf = (messages: readonly string[], text: string): number => messages.filter((message) => message.includes(text)).length
const connects = (count: number, from = 0): string[] => Array.from({ length: count }, (_, at) => `40/nobody-${from + at},`)

describe('connections to namespaces', () => {
  it('over the burst limit are refused until time has passed', async () => {
    const { exchange, socket } = await rawSocket(4)
    const answers = await exchange(connects(CONNECT_BURST + 30), CONNECT_BURST + 30)
    expect(countOf(answers, 'unknown-resource')).toBe(CONNECT_BURST)
    expect(countOf(answers, 'too-many-requests')).toBe(30)
    const refused = answers.find((answer) => answer.includes(`nobody-${CONNECT_BURST}`)) ?? ''
    expect(refused).toMatch(new RegExp(`^44/nobody-${CONNECT_BURST},`))
    expect(JSON.parse(refused.slice(refused.indexOf(',') + 1))).toMatchObject({
      message: expect.any(String) as string,
      data: { id: 'too-many-requests', data: { retryAfterSeconds: 1 } },
    })
    clock.pass(1)
    const later = await exchange(connects(60, 1000), 60)
    expect(countOf(later, 'unknown-resource')).toBe(50)
    expect(countOf(later, 'too-many-requests')).toBe(10)
    socket.close()
  })

  it('are limited in the previous protocol too', async () => {
    const { exchange, socket } = await rawSocket(3)
    const packets = Array.from({ length: CONNECT_BURST + 1 }, (_, at) => `40/nobody-${at}?auth=secret,`)
    const answers = await exchange(packets, CONNECT_BURST + 1)
    const refused = answers.find((answer) => answer.includes('too-many-requests')) ?? ''
    expect(refused).toMatch(new RegExp(`^44/nobody-${CONNECT_BURST},\\{"id":"too-many-requests"`))
    socket.close()
  })

  it('by the thousands close the transport without affecting others', async () => {
    const token = await registerUser(node(), 'alice')
    const witness = await rawSocket(4, `&auth=${token}`)
    const attacker = await rawSocket(4, `&auth=${token}`)
    await attacker.exchange(connects(20_000), 0)
    await attacker.closed
    const [answer] = await witness.exchange(['40/alice,'], 1)
    expect(answer).toMatch(/^40\/alice,/)
    witness.socket.close()
  })

  it('are limited for each transport', async () => {
    const { exchange, socket } = await rawSocket(4, `&auth=${await registerUser(node(), 'bobby')}`)
    const statuses: string[] = []
    for (let at = 0; at < 1100; at += 100) {
      clock.pass(60)
      statuses.push(...(await exchange(Array.from({ length: 100 }, (_, n) => `40/${at + n}/bobby,`), 100)))
    }
    expect(countOf(statuses, '"sid"')).toBe(1000)
    expect(countOf(statuses, 'too-many-requests')).toBe(100)
    socket.close()
  })
})
