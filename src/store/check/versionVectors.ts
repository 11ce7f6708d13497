/** Checks series version vectors: the version of each process, and the list of processes. */
import { accountKeys } from '../engine/keys.js'
import { actorsOf, seriesVersion } from '../series/versionVector.js'
import { textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Parses a list of unique names; undefined for other texts. */
function actorsIn(text: string | undefined): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text ?? '')
    if (!Array.isArray(list) || !list.every((one) => typeof one === 'string')) return undefined
    return new Set(list).size === list.length ? list : undefined
  } catch {
    return undefined
  }
}

/** Checks a version, `<event>/<actor>`, in microseconds; expects the actor in the list, and the holder event. */
export function expectedSeriesVersionEntries({ db, findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('reaches')
  const { account, rest } = entry
  const slash = rest.indexOf('/')
  const event = rest.slice(0, slash)
  const actor = rest.slice(slash + 1)
  const where = `account ${account}, series of event ${event}`
  const text = textOf(entry)
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(Number(text))) {
    findings.report(where, `has an unreadable version of ${actor}`)
  }
  const key = accountKeys.seriesActors(account, event)
  const actors = actorsIn(db.get(key)) ?? []
  return [
    {
      key,
      where,
      due: JSON.stringify([...actors.filter((one) => one !== actor), actor]),
      wrong: (list) => (actorsIn(list)?.includes(actor) === true ? undefined : `does not list its actor ${actor}`),
    },
    { key: accountKeys.eventPlace(account, event), where, wrong: goneHolder },
  ]
}

const goneHolder = (place: string | undefined): string | undefined =>
  place === undefined || place.startsWith('{') ? 'has versions, but its holder does not exist' : undefined

/** Checks the actors of a series, `<event>`: each has a version. */
export function expectedActorEntries({ db, findings }: CheckContext, entry: Entry): void {
  findings.count('lists of actors')
  const { account, rest: event } = entry
  const where = `account ${account}, series of event ${event}`
  if (actorsIn(textOf(entry)) === undefined) return findings.report(where, 'has a list of actors that cannot be read')
  for (const actor of actorsOf(db, account, event)) {
    if (seriesVersion(db, account, event, actor) === undefined) findings.report(where, `lacks the version of its actor ${actor}`)
  }
}
