/**
 * Up to which stamp the points of each process, its actor, are in a series: by what copies of a series are compared, and
 * where another node goes on. Every write raises one reach; a removal takes all of them away.
 */
import type { Transaction } from '../engine/account.js'
import { accountKeys } from '../engine/keys.js'
import { zeroDigest, seriesVersionElement, xorInto, type DigestElement } from '../model/digestElement.js'

type Reader = { get(key: string): string | undefined }

/** The stamp up to which the points of an actor are here, in microseconds; undefined for an actor without any. */
export function seriesVersion(reader: Reader, account: string, event: string, actor: string): number | undefined {
  const text = reader.get(accountKeys.seriesVersion(account, event, actor))
  return text === undefined ? undefined : Number(text)
}

/** The actors of a series, in the order in which they came. */
export function actorsOf(reader: Reader, account: string, event: string): string[] {
  const text = reader.get(accountKeys.seriesActors(account, event))
  return text === undefined ? [] : (JSON.parse(text) as string[])
}

/** The reaches of a series, by actor. */
export function seriesVersions(reader: Reader, account: string, event: string): Map<string, number> {
  const reaches = new Map<string, number>()
  for (const actor of actorsOf(reader, account, event)) {
    const reach = seriesVersion(reader, account, event, actor)
    if (reach !== undefined) reaches.set(actor, reach)
  }
  return reaches
}

/** Stages that an actor's points are here up to a stamp; answers by what the state of the account changes. */
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

/** Stages the removal of all reaches; answers by what the state of the account changes, undefined when there were none. */
export function removeSeriesVersions(t: Transaction, event: string): DigestElement | undefined {
  const reaches = seriesVersions(t, t.account, event)
  if (reaches.size === 0) return undefined
  const delta = zeroDigest()
  for (const [actor, time] of reaches) {
    xorInto(delta, seriesVersionElement(`m${event}`, actor, time))
    t.delete(accountKeys.seriesVersion(t.account, event, actor))
  }
  t.delete(accountKeys.seriesActors(t.account, event))
  return delta
}
