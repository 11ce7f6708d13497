/** Checks series: heads, their segments, and their holder events. */
import { isSeriesType } from '../model/eventTypes/series.js'
import { each } from '../engine/database.js'
import { findRecord } from '../events/events.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import { recordType } from '../model/eventRecord.js'
import { SegmentDamaged } from '../series/bytes.js'
import { seriesVersion } from '../series/versionVector.js'
import { freshPlace, headOf, headToText, mergedPlace, type Head } from '../series/head.js'
import { decodeSegment, type Segment } from '../series/segment.js'
import { encodeSummary, summarize } from '../series/summaryRecord.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'
import type { Cause } from './findings.js'

const seriesAt = (account: string, event: string): string => `account ${account}, series of event ${event}`

/** Returns the head of a series; undefined when missing or invalid. */
function readHead(db: CheckContext['db'], account: string, event: string): Head | undefined {
  const key = accountKeys.series(account, event)
  return isHead(objectIn(db.get(key))) ? headOf(db, account, event) : undefined
}

function isHead(value: Record<string, unknown> | undefined): boolean {
  if (value === undefined) return false
  const { epoch, fresh, points, merged, oldest, next, last, stamp, fields } = value
  const { segments, points: inMerged } = merged === undefined ? { segments: 0, points: 0 } : (Object(merged) as Record<string, unknown>)
  const numbers = [epoch, fresh, points, segments, inMerged, oldest, next, last, stamp]
  return numbers.every(Number.isFinite) && Array.isArray(fields) && fields.every((name) => typeof name === 'string')
}

/** Checks a head, `<event>`: its holder exists and has a series type. */
export function checkHead({ db, findings }: CheckContext, entry: Entry): void {
  findings.count('series')
  const { account, rest: event } = entry
  const where = seriesAt(account, event)
  if (!isHead(objectIn(textOf(entry)))) return findings.report(where, 'has a head that cannot be read')
  const record = findRecord(db, account, event)
  if (record === undefined) findings.report(where, 'has points, but its holder does not exist')
  else if (!isSeriesType(recordType(record))) findings.report(where, 'has points, but its holder is not a series')
}

/** Checks a segment, `<event>/<epoch>/<place>`: it is readable, matches its key, and the head of the series covers it. */
export function checkSegment({ db, findings }: CheckContext, entry: Entry, family: 'merged' | 'fresh'): void {
  findings.count(family === 'merged' ? 'merged segments' : 'new segments')
  const { account, rest, bytes } = entry
  const [event = '', epochText = ''] = rest.split('/')
  const epoch = Number.parseInt(epochText, 36)
  const prefix = `${event}/${epochText}/`
  const place = family === 'merged' ? mergedPlace(rest, prefix) : freshPlace(rest, prefix)
  const where = `${seriesAt(account, event)}, segment ${rest.slice(prefix.length)}`
  const segment = decoded(bytes)
  if (typeof segment === 'string') return findings.report(where, segment)
  const { deltaTimes, columns, stamps } = segment
  findings.checked['points'] = (findings.checked['points'] ?? 0) + deltaTimes.length
  if (deltaTimes[0] !== place.from || deltaTimes.at(-1) !== place.to || deltaTimes.length !== place.count) {
    findings.report(where, 'has points that do not match its key')
  }
  if (family === 'merged') checkSummary({ db, findings }, accountKeys.pointsSummary(account, event, epoch, place.from, place.to, place.count), where, segment)
  const head = readHead(db, account, event)
  if (head?.epoch !== epoch) {
    if (db.get(nodeKeys.erasingSeries(account, event, epoch)) !== undefined) return
    // Without a head, start a new one with this segment; checkSeries corrects the counts.
    const isHeadless = db.get(accountKeys.series(account, event)) === undefined && isHolder(db, account, event)
    const begun: Head = { epoch, fresh: 0, points: 0, oldest: 0, next: 0, last: place.to, stamp: 0, fields: [...columns.keys()] }
    findings.report(where, 'belongs to no series', isHeadless ? repaired(account, event, begun) : {})
    return
  }
  const latest = stamps.reduce((max, { time }) => Math.max(max, time), 0)
  if (latest > head.stamp) findings.report(where, 'is newer than its series', repaired(account, event, { ...head, stamp: latest }))
  for (const { actor, time } of stamps) {
    if (!((seriesVersion(db, account, event, actor) ?? 0) >= time)) {
      const repair = { put: accountKeys.seriesVersion(account, event, actor), value: String(time) }
      findings.report(where, `has points of ${actor} beyond its series version`, { repair })
      break
    }
  }
  if (place.to > head.last) {
    findings.report(where, 'extends beyond the end of its series', repaired(account, event, { ...head, last: place.to }))
  }
  const unknown = [...columns.keys()].filter((name) => !head.fields.includes(name))
  if (unknown.length > 0) {
    const known = { ...head, fields: [...head.fields, ...unknown] }
    findings.report(where, `has fields missing in its series: ${unknown.join(', ')}`, repaired(account, event, known))
  }
}

/** Checks the summary record of a merged segment, if there is one. Without it, summaries are read from the points. */
function checkSummary({ db, findings }: CheckContext, key: string, where: string, segment: Segment): void {
  const stored = db.getBytes(key)
  if (stored === undefined || Buffer.compare(stored, encodeSummary(summarize(segment))) === 0) return
  findings.report(where, 'has a wrong summary', { repair: { remove: key } })
}

/** Checks that the segment of a summary record, `<event>/<epoch>/<place>`, exists. */
export function checkSummarized({ db, findings }: CheckContext, { account, rest }: Entry): void {
  findings.count('series summaries')
  if (db.getBytes(accountKeys.allPoints(account) + rest) !== undefined) return
  const [event = '', epoch = ''] = rest.split('/')
  if (db.get(nodeKeys.erasingSeries(account, event, Number.parseInt(epoch, 36))) !== undefined) return
  const key = accountKeys.allPointsSummaries(account) + rest
  findings.report(`${seriesAt(account, event)}, summary ${rest.slice(event.length + epoch.length + 2)}`, 'summarizes a missing segment', { repair: { remove: key } })
}

/** Returns the repair of a series: a corrected head, or its removal when no points are left. `isLoss` if points are missing. */
function repaired(account: string, event: string, head: Head, isLoss = false): Cause {
  const key = accountKeys.series(account, event)
  return { isLoss, repair: head.last === -Infinity ? { remove: key } : { put: key, value: headToText(head) } }
}

/** Checks whether an event exists that may have points. */
function isHolder(db: CheckContext['db'], account: string, event: string): boolean {
  const record = findRecord(db, account, event)
  return record !== undefined && isSeriesType(recordType(record))
}

function decoded(bytes: Uint8Array): Segment | string {
  try {
    return decodeSegment(bytes)
  } catch (error) {
    if (error instanceof SegmentDamaged) return `cannot be read: ${error.message}`
    throw error
  }
}

/** Verifies the segments of each series: number, points, non-overlapping merged segments, and end. */
export async function checkSeries({ db, findings }: CheckContext, account: string): Promise<void> {
  for await (const key of each(db.keys(under(accountKeys.allSeries(account))))) {
    const event = key.slice(accountKeys.allSeries(account).length)
    const head = readHead(db, account, event)
    if (head === undefined) continue
    const where = seriesAt(account, event)
    let last = -Infinity
    const inMerged = { segments: 0, points: 0 }
    const merged = accountKeys.pointsOf(account, event, head.epoch)
    for await (const one of each(db.keys(under(merged)))) {
      const { from, to, count } = mergedPlace(one, merged)
      inMerged.segments += 1
      inMerged.points += count
      if (from <= last) findings.report(where, `has merged segments that overlap at ${from}`)
      last = Math.max(last, to)
    }
    let segments = 0
    let points = 0
    let [oldest, next] = [head.oldest, head.next]
    const fresh = accountKeys.newPointsOf(account, event, head.epoch)
    for await (const one of each(db.keys(under(fresh)))) {
      const { number, to, count } = freshPlace(one, fresh)
      if (number < head.oldest || number >= head.next) findings.report(where, `has a new segment with invalid number ${number}`)
      oldest = Math.min(oldest, number)
      next = Math.max(next, number + 1)
      segments += 1
      points += count
      last = Math.max(last, to)
    }
    const counted = head.merged ?? inMerged
    const right = { ...head, fresh: segments, points, merged: inMerged, oldest, next, last }
    const report = (actual: number, expected: number, what: string): void => {
      if (actual !== expected) findings.report(where, what, repaired(account, event, right, actual < expected))
    }
    report(segments, head.fresh, `counts ${head.fresh} new segments, but has ${segments}`)
    report(points, head.points, `counts ${head.points} new points, but has ${points}`)
    report(inMerged.segments, counted.segments, `counts ${counted.segments} merged segments, but has ${inMerged.segments}`)
    report(inMerged.points, counted.points, `counts ${counted.points} merged points, but has ${inMerged.points}`)
    report(last, head.last, `ends at ${last} instead of ${head.last}`)
  }
}

/** Expects that a series being erased is not in use. */
export const expectSeriesUnused = (account: string, event: string, epoch: number): ExpectedEntry => ({
  key: accountKeys.series(account, event),
  where: seriesAt(account, event),
  wrong: (text) => (objectIn(text)?.['epoch'] === epoch ? 'is being erased but is in use' : undefined),
})
