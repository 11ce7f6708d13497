/**
 * Version vector of a series: for each writing process, its actor, the stamp up to which its points are here. Replicas
 * compare it and resume from it. A write advances one entry; a removal deletes the vector.
 */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'
import type { RecordReader } from '../engine/recordReader.js'
import { zeroDigest, seriesVersionElement, xorInto, type DigestElement } from '../model/digestElement.js'

/** Returns the stamp up to which the points of an actor are here, in microseconds; undefined for an actor without points. */
export function seriesVersion(reader: RecordReader, account: string, event: string, actor: string): number | undefined {
  const text = reader.get(accountKeys.seriesVersion(account, event, actor))
  return text === undefined ? undefined : Number(text)
}

/** Returns the actors of a series, in order of appearance. */
export function actorsOf(reader: RecordReader, account: string, event: string): string[] {
  const text = reader.get(accountKeys.seriesActors(account, event))
  return text === undefined ? [] : (JSON.parse(text) as string[])
}

/** Returns the version vector of a series, by actor. */
export function seriesVersions(reader: RecordReader, account: string, event: string): Map<string, number> {
  const versions = new Map<string, number>()
  for (const actor of actorsOf(reader, account, event)) {
    const version = seriesVersion(reader, account, event, actor)
    if (version !== undefined) versions.set(actor, version)
  }
  return versions
}

/** Stages the advance of an actor's version to a stamp; returns the change of the account's digest. */
export function advanceSeriesVersion(t: Transaction, event: string, actor: string, time: number): DigestElement {
  const item = `m${event}`
  const before = seriesVersion(t, t.account, event, actor)
  const delta = zeroDigest()
  if (before === undefined) {
    const actors = [...actorsOf(t, t.account, event), actor]
    t.put(accountKeys.seriesActors(t.account, event), JSON.stringify(actors))
  } else {
    xorInto(delta, seriesVersionElement(item, actor, before))
  }
  xorInto(delta, seriesVersionElement(item, actor, time))
  t.put(accountKeys.seriesVersion(t.account, event, actor), String(time))
  return delta
}

/** Stages the removal of the version vector; returns the change of the account's digest, undefined when it was empty. */
export function removeSeriesVersions(t: Transaction, event: string): DigestElement | undefined {
  const versions = seriesVersions(t, t.account, event)
  if (versions.size === 0) return undefined
  const delta = zeroDigest()
  for (const [actor, time] of versions) {
    xorInto(delta, seriesVersionElement(`m${event}`, actor, time))
    t.delete(accountKeys.seriesVersion(t.account, event, actor))
  }
  t.delete(accountKeys.seriesActors(t.account, event))
  return delta
}
