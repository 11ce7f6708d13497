/**
 * Large messages of clients: up to the size of an HTTP JSON body, and parsed in the worker thread like one. Packets are inspected
 * before socket.io parses them. A message above the limit is rejected with `payload-too-large`, and its connection continues.
 * Since the callback id is in the frame, frames of up to twice the limit are read; longer ones, and large packets that no client
 * library sends, close the transport. Until a namespace is connected, the limit of requests without a token applies.
 */
import type { Socket } from 'socket.io'
import { Failure } from '../../store/model/failure.js'
import { tooLarge, jsonLimit, publicLimit } from '../http/body.js'
import { MIN_LARGE_BYTES, parseLargeBody, splitPlan } from '../call/json/largeBody.js'
import { metaOf } from '../call/meta.js'
import type { Method } from '../call/method.js'
import type { Node } from '../index.js'
import { RawJson } from '../call/results.js'
import type { Callback, MessageDispatcher } from './messageDispatcher.js'
import type { Connection } from './connection.js'
import { ParsedParameter } from './parameters.js'
import { limitMessages, pauseReading } from './wire.js'

type Transport = Socket['conn']

/** Maximum frame size, relative to the maximum message size; larger frames close the transport. */
const FRAME_FACTOR = 2

/** Head of a message: namespace, with parameters in the older protocol, and callback id. */
const HEAD = /^2(?:(\/[^,?]{0,300})(?:\?[^,]{0,2000})?,)?(\d{0,15})(?=\[")/
const MAX_HEAD_LENGTH = 3000
/** Method name of a message, and the separator before its parameter. */
const NAME = /^\["([\w.]{1,60})",/
/** Characters of an unknown name that its rejection requires. */
const MAX_NAME_LENGTH = 100

export interface LargeMessages {
  /** Permits large messages once a namespace is connected over the transport. */
  join(socket: Socket, connection: Connection): void
  leave(socket: Socket): void
}

/** Returns the maximum frame size of a transport without a namespace, in bytes. */
export const smallFrame = (node: Pick<Node, 'config'>): number => publicLimit(node)

/** Intercepts the large messages of a transport; passes others on in order. */
export function receiveLarge(node: Node, transport: Transport, methods: readonly Method<Node>[], dispatcher: MessageDispatcher): LargeMessages {
  const receivers = transport.listeners('data') as ((data: unknown) => void)[]
  const joined = new Map<string, { socket: Socket; connection: Connection }>()
  /** Packets that arrived while a large one was processed. */
  const waiting: unknown[] = []
  let isBusy = false

  const setLimit = (): void => limitMessages(transport, joined.size === 0 ? smallFrame(node) : jsonLimit(node) * FRAME_FACTOR)
  transport.on('upgrade', setLimit)

  function receive(data: unknown): void {
    if (isBusy) return void waiting.push(data)
    // Binary parts are rejected with their message.
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

  /** Processes one large packet. Never rejects. */
  async function answerLarge(data: string): Promise<void> {
    const [head = '', namespace = '/', id = ''] = HEAD.exec(data.slice(0, MAX_HEAD_LENGTH)) ?? []
    const target = head === '' ? undefined : joined.get(namespace)
    if (target === undefined) return transport.close(true)
    // Without a callback nobody receives the response, so nothing is executed.
    if (id === '') return
    const callback = acknowledgement(target.socket, Number(id))
    const [start = '', name = ''] = NAME.exec(data.slice(head.length, head.length + MAX_NAME_LENGTH)) ?? []
    // An unknown method is rejected without parsing its parameter.
    if (name === '') return dispatcher.receive(target.connection, data.slice(head.length + 2, head.length + MAX_NAME_LENGTH), new ParsedParameter({}), callback)
    try {
      const limit = jsonLimit(node)
      const parameters = data.slice(head.length + start.length, -1)
      if (parameters.length > limit || Buffer.byteLength(parameters) > limit) throw tooLarge(limit)
      const value = await parsed(name, parameters)
      await dispatcher.receive(target.connection, name, new ParsedParameter(value), callback)
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure('unexpected-error')
      if (failure !== error) node.log.error('failed to process a large message', { method: name, error: String(error) })
      callback(new RawJson(`{"error":${JSON.stringify(failure)},"meta":${metaOf(node)}}`))
    }
  }

  /** Parses the parameters of a message like those of a call in a batch, leaving raw what its method stores unparsed. */
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
    // Additional parameters appear as further members, or as invalid JSON.
    if (others.length > 0 || method !== name || Object.keys(more).length > 0) {
      throw new Failure('invalid-parameters-format', 'Invalid data: a message must have one parameter and a callback.')
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

/** Returns socket.io's acknowledgement function, which is missing in its types. */
function acknowledgement(socket: Socket, id: number): Callback {
  return (socket as unknown as { ack(id: number): Callback }).ack(id)
}
