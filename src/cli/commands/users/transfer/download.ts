/**
 * Downloads an account of another server into a folder, page by page and resumable: `state.json` records the completed
 * part. Reads the latest events first; reads events changed in the meantime again at the end.
 */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../../../framework/exit.js'
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../../../client/answer.js'
import type { Remote } from './pryvClient.js'

/** Progress of the download of events. */
export interface State {
  base: string
  /** Server time at the start, in seconds. */
  began: number
  /** Events later than this time are complete. */
  cursor: number | null
  /** Ids of the stored events at the cursor, or up to 2 ms after it. */
  atCursor: string[]
  /** Number of events to skip in the page at the cursor. */
  skip: number
  /** Valid length of `events.ndjson` in bytes, and the number of events in it. */
  bytes: number
  events: number
  /** True when all events are stored. */
  isWhole: boolean
}

/** A downloaded file. */
export interface DownloadedFile {
  event: string
  file: string
  sha256: string
  size: number
}

export const eventsFile = (folder: string): string => join(folder, 'events.ndjson')
export const fileOf = (folder: string, sha256: string): string => join(folder, 'files', sha256)

const PAGE = 1000
/** A time in the far future, in seconds. */
const FAR = 1e12
/**
 * Servers differ in whether a time window includes its end; times have a resolution of a thousandth of a second at
 * most.
 */
const RESOLUTION_S = 0.001

const statePath = (folder: string): string => join(folder, 'state.json')

/**
 * Starts or resumes a download.
 * @throws CommandError when the folder belongs to another account
 */
export async function openState(folder: string, remote: Remote): Promise<State> {
  await mkdir(join(folder, 'files'), { recursive: true, mode: 0o700 })
  if (existsSync(statePath(folder))) {
    const state = JSON.parse(await readFile(statePath(folder), 'utf8')) as State
    await truncate(eventsFile(folder), state.bytes)
    return state
  }
  const info = await remote.get('access-info')
  const began = numberOf(recordOf(info['meta'])['serverTime'])
  if (began === undefined) throw new CommandError(`${remote.base} does not send its time, as Pryv API servers do.`)
  const state: State = { base: remote.base, began, cursor: null, atCursor: [], skip: 0, bytes: 0, events: 0, isWhole: false }
  await writeFile(eventsFile(folder), '', { mode: 0o600 })
  await saveState(folder, state)
  return state
}

async function saveState(folder: string, state: State): Promise<void> {
  await writeFile(`${statePath(folder)}.new`, JSON.stringify(state), { mode: 0o600, flush: true })
  await rename(`${statePath(folder)}.new`, statePath(folder))
}

/** Downloads the events that are missing; calls `onPage` with the number of events of each page. */
export async function readEvents(folder: string, remote: Remote, state: State, onPage: (count: number) => void): Promise<void> {
  const file = await open(eventsFile(folder), 'r+')
  try {
    while (!state.isWhole) {
      const toTime = state.cursor === null ? FAR : state.cursor + RESOLUTION_S
      const query = { fromTime: String(-FAR), toTime: String(toTime), state: 'all', limit: String(PAGE), skip: String(state.skip) }
      const events = listOf((await remote.get('events', query))['events'])
      const newEvents = events.filter(({ id }) => !state.atCursor.includes(textOf(id)))
      const lines = Buffer.from(newEvents.map((event) => `${JSON.stringify(event)}\n`).join(''))
      await file.write(lines, 0, lines.length, state.bytes)
      await file.sync()
      state.bytes += lines.length
      state.events += newEvents.length
      state.isWhole = events.length < PAGE
      const last = numberOf(events.at(-1)?.['time'])
      const hasAdvanced = last !== undefined && (state.cursor === null || last < state.cursor)
      if (hasAdvanced) {
        const near = events.filter(({ time }) => (numberOf(time) ?? FAR) <= last + RESOLUTION_S * 2)
        state.cursor = last
        state.atCursor = near.map(({ id }) => textOf(id))
        state.skip = 0
      } else {
        state.atCursor.push(...newEvents.map(({ id }) => textOf(id)))
        state.skip += events.length
      }
      await saveState(folder, state)
      onPage(newEvents.length)
    }
  } finally {
    await file.close()
  }
}

/** Reads the events changed since the start of the download, and all deletions. */
export async function readLate(remote: Remote, state: State): Promise<{ events: Map<string, Record_>; deletions: Map<string, Record_> }> {
  const events = new Map<string, Record_>()
  const since = String(state.began - 5)
  for (let skip = 0; ; skip += PAGE) {
    const query = { modifiedSince: since, fromTime: String(-FAR), toTime: String(FAR), state: 'all', limit: String(PAGE), skip: String(skip) }
    const page = listOf((await remote.get('events', query))['events'])
    for (const event of page) events.set(textOf(event['id']), event)
    if (page.length < PAGE) break
  }
  const deletions = new Map<string, Record_>()
  for (let skip = 0; ; skip += PAGE) {
    // A range in the far future contains no events: only deletions are needed.
    const query = { modifiedSince: String(-FAR), includeDeletions: 'true', fromTime: String(FAR), toTime: String(FAR), limit: String(PAGE), skip: String(skip) }
    const page = listOf((await remote.get('events', query))['eventDeletions'])
    const before = deletions.size
    for (const deletion of page) deletions.set(textOf(deletion['id']), deletion)
    if (page.length < PAGE || deletions.size === before) break
  }
  return { events, deletions }
}

/** Returns the files that are already downloaded, by `<event>/<file>`. */
export async function downloadedFiles(folder: string): Promise<Map<string, DownloadedFile>> {
  const found = new Map<string, DownloadedFile>()
  const text = await readFile(join(folder, 'files.ndjson'), 'utf8').catch(() => '')
  for (const line of text.split('\n')) {
    try {
      const fetched = JSON.parse(line) as DownloadedFile
      if (existsSync(fileOf(folder, fetched.sha256))) found.set(`${fetched.event}/${fetched.file}`, fetched)
    } catch {
      // Ignore the last line of a process that was killed.
    }
  }
  return found
}

/**
 * Downloads and records a file.
 * @throws CommandError 13 when its bytes do not match the event
 */
export async function downloadFile(folder: string, remote: Remote, event: string, file: Record_): Promise<DownloadedFile> {
  const id = textOf(file['id'])
  const part = join(folder, 'part')
  const integrity = textOf(file['integrity'])
  const algorithm = /^(sha256|sha512|sha1|md5)-/.exec(integrity)?.[1]
  const sha256 = createHash('sha256')
  const other = algorithm === undefined ? undefined : createHash(algorithm)
  let size = 0
  const path = `events/${encodeURIComponent(event)}/${encodeURIComponent(id)}`
  const bytes = await remote.bytes(path)
  await pipeline(
    (async function* () {
      for await (const chunk of bytes) {
        sha256.update(chunk)
        other?.update(chunk)
        size += chunk.length
        yield chunk
      }
    })(),
    createWriteStream(part, { mode: 0o600, flush: true }),
  )
  const wrong = other !== undefined && `${algorithm}-${other.digest('base64')}` !== integrity
  if (wrong || (numberOf(file['size']) ?? size) !== size) {
    await rm(part, { force: true })
    throw new CommandError(`The file ${id} of event ${event} does not match its recorded size or integrity.`, { exit: 13, hint: 'It may be damaged on the other server.' })
  }
  const fetched: DownloadedFile = { event, file: id, sha256: sha256.digest('hex'), size }
  await rename(part, fileOf(folder, fetched.sha256))
  await writeFile(join(folder, 'files.ndjson'), `${JSON.stringify(fetched)}\n`, { flag: 'a', mode: 0o600, flush: true })
  return fetched
}
