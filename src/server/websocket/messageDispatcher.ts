/**
 * Dispatcher of client messages: each calls a method by its id, with one parameter and a callback
 * (docs/interface/notifications.md#calls).
 */
import { Failure } from '../../store/model/failure.js'
import { resolveAccount, buildCall, recordRefused, asFailure } from '../dispatch/call.js'
import type { AnswerReader } from '../call/answers/answerReader.js'
import { dispatchById, methodsById } from '../dispatch/dispatch.js'
import { authenticate } from '../auth/authenticate.js'
import { metaOf } from '../call/meta.js'
import type { Method } from '../call/method.js'
import type { LoadedAccount } from '../call/accountCache.js'
import { RawJson } from '../call/results.js'
import { limitConcurrency, QueueFull } from '../base/concurrency.js'
import type { Connection } from './connection.js'
import { ownMessages } from './ownMessages.js'
import { onlyParameter, parametersOf, type Content } from './parameters.js'
import type { Node } from '../index.js'

/** Callback of a client: an error, or null and a result as JSON text. */
export type Callback = (error: RawJson | null, result?: RawJson) => void

/** Concurrent calls per connection; others wait in order. */
const MAX_CONCURRENT = 16
/** Waiting calls from which reading is paused, and from which further ones are rejected. */
const PAUSE_WAITING = 200
const MAX_WAITING = 10_000

export interface MessageDispatcher {
  /** Processes a message of a client in order; resolves when done. */
  receive(connection: Connection, id: string, content: Content, callback: Callback): Promise<void>
  /** Resolves when no call is running, or after `withinMs`; further messages are ignored. */
  close(withinMs: number): Promise<void>
}

export function createMessageDispatcher(methods: readonly Method<Node>[]): MessageDispatcher {
  const byId = methodsById(methods)
  const turns = new WeakMap<Connection, ReturnType<typeof limitConcurrency>>()
  const busy = new Set<Promise<void>>()
  let isClosed = false

  function turnsOf(connection: Connection): ReturnType<typeof limitConcurrency> {
    const known = turns.get(connection)
    if (known !== undefined) return known
    const limiter = limitConcurrency(MAX_CONCURRENT, MAX_WAITING)
    turns.set(connection, limiter)
    return limiter
  }

  async function answerInTurn(connection: Connection, id: string, content: Content, callback: Callback): Promise<void> {
    const { node, wire } = connection
    const reader = wire.reader()
    connection.pending += 1
    if (connection.pending === PAUSE_WAITING) wire.pause()
    try {
      const result = await turnsOf(connection)(async () => {
        await wire.room()
        reader.assertConnected()
        return resultOf(connection, reader, byId, id, content)
      })
      callback(null, new RawJson(result))
    } catch (error) {
      const failure = error instanceof QueueFull ? new Failure('too-many-requests') : asFailure(node, id, error)
      callback(new RawJson(`{"error":${JSON.stringify(failure)},"meta":${metaOf(node)}}`))
    } finally {
      reader.release()
      connection.pending -= 1
      if (connection.pending === PAUSE_WAITING / 2) wire.resume()
    }
  }

  return {
    receive(connection, id, content, callback) {
      if (isClosed) return Promise.resolve()
      const answered = answerInTurn(connection, id, content, callback).finally(() => busy.delete(answered))
      busy.add(answered)
      return answered
    },
    async close(withinMs) {
      isClosed = true
      if (busy.size === 0) return
      let timer: NodeJS.Timeout | undefined
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs)
      })
      await Promise.race([Promise.all(busy), over])
      clearTimeout(timer)
    },
  }
}

async function resultOf(
  connection: Connection,
  reader: AnswerReader,
  methods: ReadonlyMap<string, Method<Node>>,
  id: string,
  content: Content,
): Promise<string> {
  const { node, origin, credentials } = connection
  const method = methods.get(id)
  const loaded = await readmit(connection, method)
  const own = ownMessages.get(id)
  if (own !== undefined) return JSON.stringify(await own(connection, Array.isArray(content) && content.length === 0 ? undefined : onlyParameter(content)))
  const call = buildCall(node, { ...origin, reader }, loaded, connection.caller, credentials.callerId)
  return dispatchById(call, id, method, parametersOf(content), () => metaOf(node))
}

/** Validates the access again, as for any call; using a personal access extends its session. */
async function readmit(connection: Connection, method: Method<Node> | undefined): Promise<LoadedAccount> {
  const { node, request: input, origin, credentials } = connection
  const loaded = await resolveAccount(node, input)
  const settling = loaded.account.settledStructure()
  if (settling !== undefined) await settling
  try {
    connection.caller = authenticate(node, loaded, credentials.token)
  } catch (error) {
    node.metrics.refused(error, method?.id)
    if (method !== undefined) recordRefused(node, origin, loaded, method.id, credentials.token, error)
    throw error
  }
  return loaded
}
