/** Loads the event types of a node (docs/interface/event-types.md#directory). */
import { fileURLToPath } from 'node:url'
import { builtInDirectory, readDirectory } from '../../../store/model/eventTypes/directory.js'
import { createEventTypes } from '../../../store/model/eventTypes/types.js'
import type { EventTypes } from '../../../store/model/eventTypes/types.js'

/** The required parts of an HTTP answer. */
interface DirectoryAnswer {
  ok: boolean
  status: number
  json(): Promise<unknown>
}

export interface EventTypeSource {
  /** `http(s)://` address, `file://` address or path of a directory document; absent for the built-in types only. */
  source?: string | undefined
  /** Version of coffer, sent to the server. */
  version: string
  fetch(url: string, init: { headers: Record<string, string>; signal: AbortSignal }): Promise<DirectoryAnswer>
  readFile(path: string): Promise<string>
  /** Time limit for a complete answer in milliseconds. */
  timeoutMs: number
  log: { warn(message: string): void }
}

/**
 * Loads the event types of a node: the built-in ones, extended by the directory document of `source`. If the document is not
 * available or invalid, uses the built-in types and logs a warning. Never rejects.
 */
export async function loadEventTypes(from: EventTypeSource): Promise<EventTypes> {
  const { source, log } = from
  if (source === undefined) return createEventTypes(builtInDirectory())
  try {
    return createEventTypes(readDirectory(await documentOf(source, from)))
  } catch (error) {
    const address = withoutSecrets(source)
    const reason = reasonOf(error).replaceAll(source, address)
    log.warn(`Using the built-in event types only, because those of ${address} could not be loaded: ${reason}`)
    return createEventTypes(builtInDirectory())
  }
}

async function documentOf(source: string, { version, fetch, readFile, timeoutMs }: EventTypeSource): Promise<unknown> {
  if (!isWebAddress(source)) return JSON.parse(await readFile(pathOf(source)))
  const headers = { 'User-Agent': `coffer/${version}`, Accept: 'application/json' }
  const answer = await fetch(source, { headers, signal: AbortSignal.timeout(timeoutMs) })
  if (!answer.ok) throw new Error(`the answer has status ${answer.status}`)
  return answer.json()
}

function isWebAddress(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

/** Returns the path of a `file://` address, which may be relative, or of a plain path. */
function pathOf(source: string): string {
  if (!/^file:\/\//i.test(source)) return source
  const rest = source.slice('file://'.length)
  return rest.startsWith('/') ? fileURLToPath(source) : decodeURI(rest)
}

/** Returns the message of an error; that of a failed connection includes its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause.message : ''
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`
}

/** Returns the address for the log: without username, password and query. */
function withoutSecrets(source: string): string {
  if (!isWebAddress(source)) return source
  if (!URL.canParse(source)) return 'an address that is not valid'
  const { origin, pathname } = new URL(source)
  return origin + pathname
}
