/** Imports streams, profile sets, followed slices and deletions. */
import * as z from 'zod'
import { putDeletion } from '../../store/events/events.js'
import { putSlice, sliceOfAccess, sliceOfName } from '../../store/accounts/followedSlices.js'
import { findTombstone, tombstoneElements, putTombstone } from '../../store/streams/tombstones.js'
import { deletionElement, zeroDigest, xorInto } from '../../store/model/digestElement.js'
import type { EventDeletion } from '../../store/model/event.js'
import type { Stream, StreamDeletion } from '../../store/model/stream.js'
import { WebAddress } from '../../store/model/webAddress.js'
import { MAX_STREAM_DEPTH } from '../../store/model/treeRepair.js'
import { findProfileToEdit, putProfile } from '../../store/accounts/profiles.js'
import { addStream } from '../../store/streams/streams.js'
import { idObjectionOf } from '../../sync/crdt/validate.js'
import type { Import } from './importContext.js'
import { idIn, type LineRef } from './report.js'
import { readAs, readDeletion, readProfile, readStream, StreamDeletionLine } from './shapes.js'

const STREAMS = 'streams.ndjson'
/** Maximum number of streams, which are held in memory. */
const MAX_STREAMS = 1_000_000

/** Imports streams in any order: each once its parent exists. */
export async function importStreams(work: Import): Promise<void> {
  const waiting = new Map<string, { stream: Stream; place: LineRef }[]>()
  const seen = new Set<string>()
  for await (const { number, value } of work.lines(STREAMS)) {
    const place = { file: STREAMS, line: number, ...idIn(value) }
    const read = readStream(value, work.types)
    const refused =
      'refused' in read
        ? read.refused
        : seen.has(read.item.id)
          ? 'Duplicate stream id.'
          : seen.size >= MAX_STREAMS
            ? 'Too many streams.'
            : undefined
    if (refused !== undefined || 'refused' in read) {
      work.report.refuse(place, refused ?? '')
      continue
    }
    const stream = read.item
    seen.add(stream.id)
    const { parentId } = stream
    if (parentId !== null && !work.target.tree.has(parentId)) {
      const others = waiting.get(parentId)
      if (others === undefined) waiting.set(parentId, [{ stream, place }])
      else others.push({ stream, place })
      continue
    }
    const ready = [{ stream, place }]
    for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
      if (!(await importStream(work, next.stream, next.place))) continue
      ready.push(...(waiting.get(next.stream.id) ?? []))
      waiting.delete(next.stream.id)
    }
  }
  for (const left of waiting.values()) {
    for (const { place } of left) work.report.refuse(place, 'The parent stream is missing, or part of a cycle.')
  }
}

async function importStream({ target, report, node, count }: Import, stream: Stream, place: LineRef): Promise<boolean> {
  const { tree } = target
  const { id, name, parentId } = stream
  const refused = tree.has(id)
    ? 'A stream with this id already exists.'
    : tree.siblingNamed(parentId, name) !== undefined
      ? 'A sibling stream already has this name.'
      : parentId !== null && [...tree.ancestors(parentId)].length >= MAX_STREAM_DEPTH - 1
        ? `Streams are nested at most ${MAX_STREAM_DEPTH} levels deep.`
        : undefined
  if (refused !== undefined) {
    report.refuse(place, refused)
    return false
  }
  await target.addStream(stream, (t) => void addStream(target.account, t, node.store.recorder, stream))
  count('streams')
  return true
}

const PROFILES = 'profiles.ndjson'

export async function importProfiles({ lines, types, target, report, node, count }: Import): Promise<void> {
  const seen = new Set<string>()
  for await (const { number, value } of lines(PROFILES)) {
    const place = { file: PROFILES, line: number, ...idIn(value) }
    const read = readProfile(value, types)
    if ('refused' in read) report.refuse(place, read.refused)
    else if (seen.has(read.item.id)) report.refuse(place, 'Duplicate profile set id.')
    else {
      const profile = read.item
      seen.add(profile.id)
      await target.add((t) => {
        putProfile(t, findProfileToEdit(t, node.store.recorder, profile.id), profile)
      }, 1000)
      count('profileSets')
    }
  }
}

const SLICES = 'slices.ndjson'
const text = z.string().min(1).max(10_000)
const Slice = z.strictObject({ id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), name: text, url: WebAddress, accessToken: text })

export async function importSlices({ lines, target, report, node, count }: Import): Promise<void> {
  const { seal } = node.store
  const seen = new Set<string>()
  for await (const { number, value } of lines(SLICES)) {
    const place = { file: SLICES, line: number, ...idIn(value) }
    const read = readAs(Slice, value)
    if ('refused' in read) {
      report.refuse(place, read.refused)
      continue
    }
    const { id, name, url, accessToken } = read.item
    const claims = [`i${id}`, `n${name}`, `u${JSON.stringify([url, accessToken])}`]
    if (claims.some((claim) => seen.has(claim))) {
      report.refuse(place, 'Duplicate id, name or access of a followed slice.')
      continue
    }
    for (const claim of claims) seen.add(claim)
    await target.add((t) => {
      const isTaken = sliceOfName(t, seal, t.account, name) ?? sliceOfAccess(t, seal, t.account, { url, accessToken })
      if (isTaken === undefined) putSlice(t, seal, read.item)
    }, 1000)
    count('followedSlices')
  }
}

const DELETIONS = 'deletions.ndjson'
const Line = z.union([z.strictObject({ event: z.unknown() }), z.strictObject({ stream: StreamDeletionLine })])

export async function importDeletions(work: Import): Promise<void> {
  const { lines, target, report, count } = work
  const streams = new Set<string>()
  for await (const { number, value } of lines(DELETIONS)) {
    const place = { file: DELETIONS, line: number, ...idIn(Object(value).event), ...idIn(Object(value).stream) }
    const read = readAs(Line, value)
    if ('refused' in read) {
      report.refuse(place, 'Expected a deleted event or a deleted stream.')
      continue
    }
    if ('stream' in read.item) {
      const { stream } = read.item
      const refused = idObjectionOf('stream', stream.id)?.message ?? (streams.has(stream.id) ? 'Duplicate deletion.' : undefined)
      if (refused !== undefined) {
        report.refuse(place, refused)
        continue
      }
      streams.add(stream.id)
      await target.add(streamDeletion(stream), 300)
      count('streamDeletions')
      continue
    }
    const deletion = readDeletion(read.item.event)
    if ('refused' in deletion) report.refuse(place, deletion.refused)
    else if (target.hasEvent(deletion.item.id)) report.refuse(place, 'Duplicate deletion.')
    else {
      await target.addDeletion(eventDeletion(deletion.item), deletion.item.id)
      count('eventDeletions')
    }
  }
}

type StagedWrite = Parameters<Import['target']['add']>[0]

/** Builds a stream deletion without dependencies: the importing node has no changes of the stream. */
const streamDeletion =
  ({ id, deleted }: StreamDeletion): StagedWrite =>
  (t) => {
    if (findTombstone(t, t.account, id) !== undefined) return
    const tombstone = { deleted, roots: [] }
    const change = zeroDigest()
    for (const element of tombstoneElements(id, undefined, tombstone)) xorInto(change, element)
    putTombstone(t, id, undefined, tombstone)
    t.journal('stream', 'delete', id, { change })
  }

const eventDeletion =
  (deletion: EventDeletion): StagedWrite =>
  (t) => {
    const change = zeroDigest()
    xorInto(change, deletionElement(`e${deletion.id}`, deletion.deleted))
    putDeletion(t, deletion)
    t.journal('event', 'delete', deletion.id, { change })
  }
