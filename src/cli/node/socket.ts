/**
 * A running node, over its unix socket. `POST /control/<method>` with `{ user?, params }` answers the method's result
 * or `{ error }`; `GET /control/<method>?user=…` answers lines of JSON for as long as the node has something to tell.
 */
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Failure, failures } from '../../store/model/failure.js'
import type { FailureId } from '../../store/model/failure.js'
import { CommandError } from '../exit.js'
import type { Authority, Door } from './door.js'
import { createListReader } from './listReader.js'

interface Asked {
  socket: string
  method: 'GET' | 'POST'
  path: string
  body?: string
  timeoutMs?: number
}

/**
 * Opens the door of the node that listens at `socket`, or answers undefined when none does.
 * @param timeoutMs how long to wait for the node to begin its answer; without limit when undefined.
 */
export async function openSocket(socket: string, timeoutMs?: number): Promise<Door | undefined> {
  const limit = timeoutMs === undefined ? {} : { timeoutMs }
  if (!(await isListening(socket))) return undefined
  const post = (method: string, params: unknown, as: Authority): Promise<IncomingMessage> => {
    const body = JSON.stringify({ ...authorityOf(as), params })
    return ask({ socket, method: 'POST', path: controlPath(method), body, ...limit })
  }
  /** Answers that go on until they are told to end. */
  const following = new Set<IncomingMessage>()
  return {
    kind: 'socket',
    call: async (method, params, as) => {
      const answer = await post(method, params, as)
      const result = parsed(await textOf(answer), method)
      if (isRecord(result['error'])) throw failureOf(result['error'])
      return result
    },
    async *texts(method, params, as, list) {
      const answer = await post(method, params, as)
      await refuseFailure(answer, method)
      yield* textsOf(answer, list)
    },
    async *lines(method, params, as) {
      const query = new URLSearchParams({ ...params, ...authorityOf(as) })
      const path = `${controlPath(method)}${query.size === 0 ? '' : `?${query}`}`
      const answer = await ask({ socket, method: 'GET', path })
      await refuseFailure(answer, method)
      following.add(answer)
      try {
        yield* linesOf(answer, method)
      } finally {
        following.delete(answer)
      }
    },
    close: async () => {
      for (const answer of following) answer.destroy()
    },
  }
}

async function refuseFailure(answer: IncomingMessage, method: string): Promise<void> {
  if (answer.statusCode === 200) return
  const { error } = parsed(await textOf(answer), method)
  throw failureOf(isRecord(error) ? error : {})
}

async function* textsOf(answer: IncomingMessage, list: string): AsyncGenerator<string[]> {
  const reader = createListReader(list)
  try {
    for await (const chunk of answer) {
      const texts = reader.feed(Buffer.from(chunk))
      if (texts.length > 0) yield texts
    }
  } catch (cause) {
    throw lost(cause)
  }
  if (!reader.ended()) throw lost(undefined)
}

async function* linesOf(answer: IncomingMessage, method: string): AsyncGenerator<unknown> {
  let rest = ''
  try {
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = `${rest}${String(chunk)}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim() !== '') yield parsed(line, method)
    }
  } catch (cause) {
    throw silent(cause)
  }
}

function controlPath(method: string): string {
  return `/control/${encodeURIComponent(method)}`
}

function authorityOf({ user, access }: Authority): Record<string, string> {
  return { ...(user === undefined ? {} : { user }), ...(access === undefined ? {} : { access }) }
}

function isListening(socket: string): Promise<boolean> {
  return new Promise((give, fail) => {
    const probe = connect({ path: socket })
    probe.on('connect', () => {
      probe.destroy()
      give(true)
    })
    probe.on('error', (cause) => (isAbsent(cause) ? give(false) : fail(unreachable(cause, socket))))
  })
}

/** No socket, or one that a dead node left behind. */
function isAbsent(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ECONNREFUSED')
}

function ask({ socket, method, path, body, timeoutMs }: Asked): Promise<IncomingMessage> {
  return new Promise((give, fail) => {
    const headers =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const asked = request({ socketPath: socket, method, path, headers, agent: false })
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            asked.destroy()
            fail(tooSlow(timeoutMs))
          }, timeoutMs)
    asked.on('response', (answer) => {
      clearTimeout(timer)
      give(answer)
    })
    asked.on('error', (cause) => {
      clearTimeout(timer)
      fail(unreachable(cause, socket))
    })
    asked.end(body)
  })
}

async function textOf(answer: IncomingMessage): Promise<string> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks).toString('utf8')
  } catch (cause) {
    throw lost(cause)
  }
}

function parsed(text: string, method: string): Record<string, unknown> {
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch (cause) {
    const hint = 'See the log of the node; coffer config path says where it is.'
    throw new CommandError(`The node answered ${method} with something that is not JSON.`, { cause, hint })
  }
  if (!isRecord(value)) throw new CommandError(`The node answered ${method} with something that is not an object.`)
  return value
}

function failureOf(error: Record<string, unknown>): Failure {
  const { id, message, data } = error
  const text = typeof message === 'string' ? message : undefined
  return new Failure(isFailureId(id) ? id : 'unexpected-error', text ?? String(id ?? 'The node gave no reason.'), data)
}

function isFailureId(id: unknown): id is FailureId {
  return typeof id === 'string' && Object.hasOwn(failures, id)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const lookForIt = 'Look for it with: coffer status'

function unreachable(cause: unknown, socket: string): CommandError {
  if (cause instanceof Error && 'code' in cause && (cause.code === 'EACCES' || cause.code === 'EPERM')) {
    const hint = 'Only the owner of the node may.'
    return new CommandError(`You may not talk to the node at ${socket}.`, { exit: 4, cause, hint })
  }
  return new CommandError(`The node at ${socket} cannot be reached.`, { exit: 7, cause, hint: lookForIt })
}

function lost(cause: unknown): CommandError {
  return new CommandError('The node went away before it had answered.', { exit: 7, cause, hint: lookForIt })
}

function silent(cause: unknown): CommandError {
  const hint = 'Whoever follows must read what is told. See: coffer status'
  return new CommandError('The node tells no more: it has stopped, or too much was left unread.', { exit: 7, cause, hint })
}

function tooSlow(timeoutMs: number): CommandError {
  const hint = 'Wait longer with --timeout.'
  return new CommandError(`The node did not answer within ${timeoutMs / 1000} s.`, { exit: 7, hint })
}
