/** Builds an account archive from the data read from another server. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beginArchive } from '../../../../store/backup/archive.js'
import { isReservedStream } from '../../../../store/model/cmc.js'
import { algorithmIn, eventIntegrity } from '../../../../store/model/integrity.js'
import type { EventRemains } from '../../../../store/model/event.js'
import { eventFieldNames } from '../../../../store/model/events/fields.js'
import { streamFieldNames } from '../../../../store/model/streams/fields.js'
import { FILE, LINES, noCounts, type AccountLine, type LineFile, type SeriesLine } from '../../../../server/accountTransfer/format.js'
import { listOf, recordOf, textOf, type Record_ } from '../../../client/answer.js'
import { placedStreams } from '../../../client/streams.js'
import { eventsFile, fileOf, type DownloadedFile } from './download.js'

/** Downloaded data besides the events. */
export interface DownloadedAccount {
  account: AccountLine['account']
  language: string | undefined
  /** Nested, as `streams.get` returns them. */
  streams: unknown
  streamDeletions: readonly Record_[]
  profiles: readonly { id: string; keys: Record_; modified: number }[]
  /** Events changed after they were read, and deleted events. */
  late: ReadonlyMap<string, Record_>
  deletions: ReadonlyMap<string, Record_>
  files: ReadonlyMap<string, DownloadedFile>
  /** Reads the points of a series, as `series.get` returns them. */
  points(event: string): Promise<Record_>
  now: number
}

const ROWS = 1000

/** True for ids of the account's own streams: not account fields, audit records or other stores. */
export const isOwn = (id: string): boolean => !id.startsWith(':') || id.startsWith(':_cmc:')

/** Returns the named members of an object that have a value. */
const pick = (value: Record_, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => value[name] !== undefined && (value[name] !== null || name === 'duration' || name === 'parentId')).map((name) => [name, value[name]]))

/** Returns an event without the properties that depend on the reader; undefined for events in streams of the node. */
function cleanEvent(event: Record_, streams: ReadonlySet<string>, files: ReadonlyMap<string, DownloadedFile>): Record<string, unknown> | undefined {
  const id = textOf(event['id'])
  const declared = Array.isArray(event['streamIds']) ? event['streamIds'].map(String) : [textOf(event['streamId'])]
  if (declared.some((stream) => !isOwn(stream))) return undefined
  const clean: Record<string, unknown> = { tags: [], ...pick(event, eventFieldNames) }
  const streamIds = declared.filter((stream) => streams.has(stream))
  clean['streamIds'] = streamIds.length === 0 ? declared : streamIds
  if (clean['trashed'] !== true) delete clean['trashed']
  if (Array.isArray(clean['attachments'])) {
    clean['attachments'] = listOf(clean['attachments']).map((file) => pick(file, ['id', 'fileName', 'type', 'size', 'integrity']))
  }
  const algorithm = algorithmIn('EVENT', textOf(clean['integrity']))
  // Drop a hash that does not match: the other server may use other hashes, or hide streams of the event from the token.
  const isWhole = algorithm !== undefined && eventIntegrity(clean as unknown as EventRemains, algorithm) === clean['integrity']
  if (!isWhole) delete clean['integrity']
  if (Array.isArray(clean['attachments'])) {
    clean['attachments'] = listOf(clean['attachments']).map((file) => {
      const fetched = files.get(`${id}/${textOf(file['id'])}`)
      return fetched === undefined ? file : { ...file, sha256: fetched.sha256 }
    })
  }
  return clean
}

/** Yields the events in the order of reading, each once and in its latest version. */
export async function* storedEvents(folder: string, { late, deletions }: Pick<DownloadedAccount, 'late' | 'deletions'>): AsyncGenerator<Record_> {
  for await (const line of createInterface({ input: createReadStream(eventsFile(folder)), crlfDelay: Infinity })) {
    if (line === '') continue
    const event = recordOf(JSON.parse(line))
    const id = textOf(event['id'])
    if (!late.has(id) && !deletions.has(id)) yield event
  }
  for (const [id, event] of late) if (!deletions.has(id)) yield event
}

/** Writes the archive to `target`. */
export async function buildArchive(folder: string, target: string, downloaded: DownloadedAccount, release: { product: string }): Promise<void> {
  const counts: Record<string, number> = noCounts()
  const count = (noun: string, by = 1): void => void (counts[noun] = (counts[noun] ?? 0) + by)
  const flat = placedStreams(downloaded.streams).map(({ stream }) => stream).filter((stream) => isOwn(textOf(stream['id'])) && !isReservedStream(textOf(stream['id'])))
  const ids = new Set(flat.map(({ id }) => textOf(id)))
  const isThere = (id: string): boolean => ids.has(id) || isReservedStream(id)
  const series: string[] = []
  /** SHA-256 digests of the files that events refer to. */
  const referenced = new Set<string>()
  const writers: Record<LineFile, () => AsyncIterable<unknown> | Iterable<unknown>> = {
    'account.ndjson': () => [{ format: 1, account: downloaded.account } satisfies AccountLine],
    *'streams.ndjson'() {
      for (const stream of flat) {
        const parentId = textOf(stream['parentId'])
        count('streams')
        const clean = { ...pick(stream, streamFieldNames), parentId: isThere(parentId) ? parentId : null } as Record<string, unknown>
        if (clean['trashed'] !== true) delete clean['trashed']
        yield clean
      }
    },
    *'profiles.ndjson'() {
      for (const profile of downloaded.profiles) {
        count('profileSets')
        yield profile
      }
    },
    'accesses.ndjson': () => [],
    'webhooks.ndjson': () => [],
    'slices.ndjson': () => [],
    *'deletions.ndjson'() {
      for (const stream of downloaded.streamDeletions.filter(({ id }) => isOwn(textOf(id)))) {
        count('streamDeletions')
        yield { stream: pick(stream, ['id', 'deleted']) }
      }
      for (const deletion of downloaded.deletions.values()) {
        if (!isOwn(textOf(deletion['id'])) || deletion['deleted'] === undefined) continue
        count('eventDeletions')
        const { id, deleted } = deletion
        const stored = { id, deleted } as unknown as EventRemains
        const algorithm = algorithmIn('EVENT', textOf(deletion['integrity']))
        const isWhole = algorithm !== undefined && eventIntegrity(stored, algorithm) === deletion['integrity']
        yield { event: isWhole ? { ...stored, integrity: deletion['integrity'] } : stored }
      }
    },
    async *'events.ndjson'() {
      if (downloaded.language !== undefined) yield languageEvent(downloaded.language, downloaded.now)
      for await (const event of storedEvents(folder, downloaded)) {
        const clean = cleanEvent(event, ids, downloaded.files)
        if (clean === undefined) continue
        const { id, type, attachments } = clean
        count('events')
        count('attachments', Array.isArray(attachments) ? attachments.length : 0)
        for (const { sha256 } of listOf(attachments)) if (sha256 !== undefined) referenced.add(textOf(sha256))
        if (textOf(type).startsWith('series:')) series.push(textOf(id))
        yield clean
      }
    },
    'history.ndjson': () => [],
    async *'series.ndjson'() {
      for (const event of series) {
        const { fields, points } = await downloaded.points(event)
        if (!Array.isArray(points) || points.length === 0 || !Array.isArray(fields)) continue
        count('series')
        count('points', points.length)
        for (let at = 0; at < points.length; at += ROWS) {
          yield { event, fields: fields.map(String), points: points.slice(at, at + ROWS) as SeriesLine['points'] } satisfies SeriesLine
        }
      }
    },
  }
  const draft = await beginArchive({ folder: target })
  try {
    for (const [file, write] of Object.entries(writers)) await draft.addNamed(file, linesOf(write()), { kind: LINES })
    const done = new Set<string>()
    for (const { sha256, size } of downloaded.files.values()) {
      if (done.has(sha256) || !referenced.has(sha256)) continue
      done.add(sha256)
      count('files')
      await draft.addStream(() => createReadStream(fileOf(folder, sha256)) as AsyncIterable<Buffer>, sha256, size, { kind: FILE })
    }
    const facts = { kind: 'account' as const, made: downloaded.now, product: release.product, node: '', format: 0, position: { commit: 0, hash: '' } }
    await draft.finish({ ...facts, counts: { users: 1, ...counts } })
  } catch (error) {
    await draft.drop()
    throw error
  }
}

async function* linesOf(values: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const value of values) yield Buffer.from(`${JSON.stringify(value)}\n`)
}

const languageEvent = (content: string, now: number): Record<string, unknown> => {
  const id = ':_system:language'
  return { id, streamIds: [id], type: 'language/iso-639-1', time: now, content, tags: [], created: now, createdBy: 'system', modified: now, modifiedBy: 'system' }
}

/** Path of the archive in a download folder. */
export const archiveIn = (folder: string): string => join(folder, 'archive')
