/**
 * Large messages of clients: as large as a JSON body over HTTP, and parsed in the thread as one. Packets are looked at before
 * socket.io parses them.
 *
 * A message above the limit is answered with `payload-too-large`, and its connection goes on. For that its frame has to be read,
 * since the id of the callback is in it: so frames of up to twice the limit are; a longer one ends the transport, as does every
 * large packet that no client library sends. Before the transport is connected to a namespace, the limit of requests without
 * a token holds.
 */
import type { Socket } from 'socket.io'
import { Failure } from '../../store/model/failure.js'
import { tooLarge } from '../http/body.js'
import { jsonLimit, publicLimit } from '../http/requestBody.js'
import { MIN_LARGE_BYTES, parseLargeBody, splitPlan } from '../json/largeBody.js'
import { metaOf } from '../meta.js'
import type { Method } from '../method.js'
import type { Node } from '../node.js'
import { RawJson } from '../results.js'
import type { Callback, MessageDispatcher } from './messageDispatcher.js'
import type { Connection } from './connection.js'
import { ParsedParameter } from './parameters.js'
import { limitMessages, pauseReading } from './wire.js'

type Transport = Socket['conn']

/** A frame that is longer by this factor than the longest message ends its transport. */
const FRAME_FACTOR = 2

/** What a message begins with: its namespace, with parameters in the former protocol, and the id of its callback. */
const HEAD = /^2(?:(\/[^,?]{0,300})(?:\?[^,]{0,2000})?,)?(\d{0,15})(?=\[")/
const MAX_HEAD_LENGTH = 3000
/** The name of a message, as methods have them, and what parts it from its parameter. */
const NAME = /^\["([\w.]{1,60})",/
/** Characters of another name that its refusal needs. */
const MAX_NAME_LENGTH = 100

export interface LargeMessages {
  /** A namespace is connected over the transport: from now on messages may be large. */
  join(socket: Socket, connection: Connection): void
  leave(socket: Socket): void
}

/** Bytes of a frame that the server takes from a transport which is connected to nothing. */
export const smallFrame = (node: Pick<Node, 'config'>): number => publicLimit(node)

/** Takes the place of what receives the messages of a transport, for the large ones; others go on to it in their order. */
export function receiveLarge(node: Node, transport: Transport, methods: readonly Method[], dispatcher: MessageDispatcher): LargeMessages {
  const receivers = transport.listeners('data') as ((data: unknown) => void)[]
  const joined = new Map<string, { socket: Socket; connection: Connection }>()
  /** Packets that came while a large one was worked on. */
  const waiting: unknown[] = []
  let isBusy = false

  const setLimit = (): void => limitMessages(transport, joined.size === 0 ? smallFrame(node) : jsonLimit(node) * FRAME_FACTOR)
  transport.on('upgrade', setLimit)

  function receive(data: unknown): void {
    if (isBusy) return void waiting.push(data)
    // Binary parts are refused with the message that they belong to.
    if (typeof data !== 'string' || data.length < MIN_LARGE_BYTES) {
      for (const each of receivers) each(data)
      return
    }
    isBusy = true
    const resume = pauseReading(transport)
    void answerLarge(data).finally(() => {
      isBusy = false
      while (!isBusy && waiting.length > 0) receive(waiting.shift())
      if (!isBusy) resume()
    })
  }

  /** Answers one large packet. Never rejects. */
  async function answerLarge(data: string): Promise<void> {
    const [head = '', namespace = '/', id = ''] = HEAD.exec(data.slice(0, MAX_HEAD_LENGTH)) ?? []
    const target = head === '' ? undefined : joined.get(namespace)
    if (target === undefined) return transport.close(true)
    // Without a callback nobody waits for an answer, and nothing is done.
    if (id === '') return
    const callback = acknowledgement(target.socket, Number(id))
    const [start = '', name = ''] = NAME.exec(data.slice(head.length, head.length + MAX_NAME_LENGTH)) ?? []
    // There is no such method, and no parameter is looked at to say so.
    if (name === '') return dispatcher.receive(target.connection, data.slice(head.length + 2, head.length + MAX_NAME_LENGTH), new ParsedParameter({}), callback)
    try {
      const limit = jsonLimit(node)
      const parameters = data.slice(head.length + start.length, -1)
      if (parameters.length > limit || Buffer.byteLength(parameters) > limit) throw tooLarge(limit)
      const value = await parsed(name, parameters)
      await dispatcher.receive(target.connection, name, new ParsedParameter(value), callback)
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure('unexpected-error')
      if (failure !== error) node.log.error('a large message failed', { method: name, error: String(error) })
      callback(new RawJson(`{"error":${JSON.stringify(failure)},"meta":${metaOf(node)}}`))
    }
  }

  /** Parses the parameters of a message by what its method stores without looking at it, as those of a call in a batch. */
  async function parsed(name: string, parameters: string): Promise<unknown> {
    const maxCalls = node.config.get('limits.batch.maxCalls')
    const batch = methods.find(({ id }) => id === 'callBatch')
    if (batch === undefined || name === batch.id) {
      const plan = batch === undefined ? ({ kind: 'parameters', freeForm: {} } as const) : splitPlan(batch, methods, maxCalls)
      return parseLargeBody(Buffer.from(parameters), plan)
    }
    const calls = await parseLargeBody(Buffer.from(`[{"method":"${name}","params":${parameters}}]`), splitPlan(batch, methods, maxCalls))
    const [call, ...others] = Array.isArray(calls) ? (calls as unknown[]) : []
    const { method, params, ...more } = (call ?? {}) as { method?: unknown; params?: unknown }
    // More than one parameter shows as further members, or as no JSON at all.
    if (others.length > 0 || method !== name || Object.keys(more).length > 0) {
      throw new Failure('invalid-parameters-format', 'Invalid data: a message has one parameter and a callback.')
    }
    return params
  }

  transport.removeAllListeners('data')
  transport.on('data', receive)
  setLimit()
  return {
    join(socket, connection) {
      joined.set(socket.nsp.name, { socket, connection })
      setLimit()
    },
    leave(socket) {
      joined.delete(socket.nsp.name)
      setLimit()
    },
  }
}

/** The function by which socket.io answers a message; its types leave it out. */
function acknowledgement(socket: Socket, id: number): Callback {
  return (socket as unknown as { ack(id: number): Callback }).ack(id)
}
