/** Imports events with their files, and series points. */
import * as z from 'zod'
import { addEvent } from '../../store/events/events.js'
import type { Attachment, Event } from '../../store/model/event.js'
import { isSeriesType } from '../../store/model/eventTypes/series.js'
import { Failure } from '../../store/model/failure.js'
import { readFlatJson } from '../../store/model/flatJson.js'
import type { Points } from '../../store/model/points.js'
import { algorithmIn, eventIntegrity, type IntegrityAlgorithm } from '../../store/model/integrity.js'
import { patternFault } from '../../store/model/accountFieldValue.js'
import { isAccountStreamId } from '../../store/model/slug.js'
import { isCounter } from '../../store/model/systemStreams.js'
import { writePoints } from '../../store/series/series.js'
import type { Import } from './importContext.js'
import { idIn, type LineRef } from './report.js'
import { readAs, readEvent, readFieldEvent } from './shapes.js'

const EVENTS = 'events.ndjson'

export async function importEvents(work: Import): Promise<void> {
  const { lines, types, target, report, node, count } = work
  for await (const { number, value } of lines(EVENTS)) {
    const place = { file: EVENTS, line: number, ...idIn(value) }
    if (isAccountStreamId(place.id ?? '')) {
      await importField(work, place, value)
      continue
    }
    const read = readEvent(value, types)
    if ('refused' in read) {
      report.refuse(place, read.refused)
      continue
    }
    const { event, digests } = read.item
    const missing = event.streamIds.filter((id) => !target.tree.has(id))
    const refused = target.hasEvent(event.id)
      ? 'An event with this id exists or was deleted.'
      : missing.length > 0
        ? `It is in streams that do not exist: ${missing.slice(0, 3).join(', ')}`
        : undefined
    if (refused !== undefined) {
      report.refuse(place, refused)
      continue
    }
    const complete = event.attachments === undefined ? event : await withFiles(work, place, event, digests)
    if (isSeriesType(complete.type)) target.holders.set(complete.id, { type: complete.type, time: complete.time })
    const size = JSON.stringify(value).length
    await target.add((t) => void addEvent(t, node.store.recorder, complete, digests), size + 300, complete.id)
    count('events')
    count('attachments', complete.attachments?.length ?? 0)
  }
}

/** Returns the event with the files whose bytes exist, and reports the others. */
async function withFiles(work: Import, place: LineRef, event: Event, digests: ReadonlyMap<string, string>): Promise<Event> {
  const present: Attachment[] = []
  const { assignedFiles } = work
  for (const file of event.attachments ?? []) {
    const digest = digests.get(file.id) ?? ''
    const refused = await storeFile(work, file, digest)
    if (refused === undefined) {
      present.push(file)
      // Files with equal bytes count once.
      if (!assignedFiles.has(digest)) work.count('files')
      assignedFiles.add(digest)
    } else work.report.refuse(place, `File ${file.id} ${refused}.`)
  }
  if (present.length === event.attachments?.length) return event
  const { attachments: _, integrity, ...rest } = event
  const changed: Event = present.length === 0 ? rest : { ...rest, attachments: present }
  const algorithm = algorithmIn('EVENT', integrity)
  return algorithm === undefined ? changed : { ...changed, integrity: eventIntegrity(changed, algorithm) }
}

const ALGORITHMS: readonly IntegrityAlgorithm[] = ['sha256', 'sha512', 'sha1', 'md5']

/** Stores and holds the bytes of a file; returns the reason when refused. */
async function storeFile(work: Import, { size, integrity }: Attachment, digest: string): Promise<string | undefined> {
  const { target, archive, node, files } = work
  const member = files.get(digest)
  if (member === undefined) return 'is not in the archive'
  if (member.bytes !== size) return `has ${member.bytes} bytes where the event says ${size}`
  const algorithm = integrity === undefined ? 'sha256' : ALGORITHMS.find((one) => integrity.startsWith(`${one}-`))
  if (algorithm === undefined) return 'has an unknown integrity algorithm'
  if (algorithm === 'sha256') {
    const due = `sha256-${Buffer.from(digest, 'hex').toString('base64')}`
    if (integrity !== undefined && integrity !== due) return 'does not match its integrity'
  }
  if (target.isTrial) return undefined
  const { blobs } = node.store
  const { prefix } = target.account
  if (algorithm === 'sha256' && blobs.isPresent(prefix, digest)) {
    blobs.hold(prefix, digest)
    target.hold(digest)
    return undefined
  }
  const received = await blobs.receive(archive.read(member), Infinity, algorithm)
  if (received.digest !== digest || (integrity !== undefined && `${algorithm}-${received.integrity}` !== integrity)) {
    await blobs.drop(received)
    return 'does not match its integrity'
  }
  await blobs.keep(prefix, received)
  target.hold(digest)
  return undefined
}

/** Imports the event of an account field. Sizes counted by the node are skipped. */
async function importField(work: Import, place: LineRef, value: unknown): Promise<void> {
  const { target, report, node, owner } = work
  const read = readFieldEvent(value)
  if ('refused' in read) return report.refuse(place, read.refused)
  const event = read.item
  const field = node.systemStreams.byStream(event.id)
  if (isCounter(event.id)) return
  if (field?.isShown !== true || field.isContainer || event.type !== field.type || event.streamIds.join() !== event.id) {
    return report.refuse(place, 'Unknown account field on this node.')
  }
  if (target.hasEvent(event.id)) return report.refuse(place, 'Duplicate account field.')
  const uniqueValue = owner.user.unique[field.id]
  const content = field.isUnique ? uniqueValue : event.content
  if (typeof content !== 'string' && typeof content !== 'number') return report.refuse(place, 'Invalid value for an account field.')
  const fault = patternFault(field, content)
  if (fault !== undefined) return report.refuse(place, fault.message)
  // Unique fields are taken from the account line.
  const { integrity, ...rest } = event
  const algorithm = algorithmIn('EVENT', integrity)
  const changed: Event = { ...rest, content }
  const imported = event.content === content ? event : { ...changed, ...(algorithm === undefined ? {} : { integrity: eventIntegrity(changed, algorithm) }) }
  await target.add((t) => void addEvent(t, node.store.recorder, imported), 500, imported.id)
}

const SERIES = 'series.ndjson'
const SeriesLine = z.strictObject({ event: z.string().max(300), fields: z.array(z.string().max(1000)).max(1000), points: z.unknown() })

export async function importSeries({ lines, target, report, node, count }: Import): Promise<void> {
  const seen = new Set<string>()
  for await (const { number, value } of lines(SERIES)) {
    const read = readAs(SeriesLine, value)
    if ('refused' in read) {
      report.refuse({ file: SERIES, line: number }, read.refused)
      continue
    }
    const { event, fields, points: rows } = read.item
    const place = { file: SERIES, line: number, id: event }
    const holder = target.holders.get(event)
    const known = holder === undefined ? undefined : node.eventTypes.seriesFields(holder.type)
    if (holder === undefined || known === undefined) {
      report.refuse(place, 'No event has this series.')
      continue
    }
    let points: Points
    try {
      points = readFlatJson({ format: 'flatJSON', fields, points: rows }, { fields: known, time: holder.time })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      report.refuse(place, error.message)
      continue
    }
    await target.add((t) => writePoints(t, event, points, node.clock.now()), points.deltaTimes.length * fields.length * 16)
    if (!seen.has(event)) count('series')
    seen.add(event)
    count('points', points.deltaTimes.length)
  }
}
