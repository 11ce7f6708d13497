/** Where the event types of a node come from (specification, "Event"; data supplement 16.1). */
import { fileURLToPath } from 'node:url'
import { builtInDirectory, readDirectory } from '../store/model/eventTypes/directory.js'
import { createEventTypes } from '../store/model/eventTypes/types.js'
import type { EventTypes } from '../store/model/eventTypes/types.js'

/** What loading needs of an HTTP answer. */
export interface DirectoryAnswer {
  ok: boolean
  status: number
  json(): Promise<unknown>
}

export interface EventTypeSource {
  /** `http(s)://` address, `file://` address or path of a directory document; absent for the built-in types alone. */
  source?: string | undefined
  /** Version of coffer, told to the server that is asked. */
  version: string
  fetch(url: string, init: { headers: Record<string, string>; signal: AbortSignal }): Promise<DirectoryAnswer>
  readFile(path: string): Promise<string>
  /** Milliseconds until an address that does not answer completely is given up. */
  timeoutMs: number
  log: { warn(message: string): void }
}

/**
 * Loads the event types of a node: the built-in ones, overlaid by the directory document of `source`. A document that
 * cannot be had, or is refused, leaves the built-in types and a warning. Never rejects.
 */
export async function loadEventTypes(from: EventTypeSource): Promise<EventTypes> {
  const { source, log } = from
  if (source === undefined) return createEventTypes(builtInDirectory())
  try {
    return createEventTypes(readDirectory(await documentOf(source, from)))
  } catch (error) {
    const displayed = withoutSecrets(source)
    const reason = reasonOf(error).replaceAll(source, displayed)
    log.warn(`The event types of ${displayed} are not used, the built-in ones are: ${reason}`)
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

/** The path of a `file://` address, which may be relative, or of a plain path. */
function pathOf(source: string): string {
  if (!/^file:\/\//i.test(source)) return source
  const rest = source.slice('file://'.length)
  return rest.startsWith('/') ? fileURLToPath(source) : decodeURI(rest)
}

/** What went wrong; the reason of a failed connection is in the cause of the error that reports it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause.message : ''
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`
}

/** The address as it may be logged: without user name, password and query. */
function withoutSecrets(source: string): string {
  if (!isWebAddress(source)) return source
  if (!URL.canParse(source)) return 'an address that is not valid'
  const { origin, pathname } = new URL(source)
  return origin + pathname
}
