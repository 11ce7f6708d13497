/** Reads events of the shown account for its pages, with the names of the accesses that wrote them. */
import { Failure } from '../../../../store/model/failure.js'
import { parseAccessId } from '../../../../store/model/access.js'
import type { Event } from '../../../../store/model/event.js'
import { PAGES_APP } from '../../../config/apiEndpoint.js'
import { get as getAccesses } from '../../../api/accesses/get.js'
import { getOne } from '../../../api/events/getOne.js'
import { linkTo } from '../../links.js'
import type { OwnVisit, PageContent } from '../../page.js'
import { readAsOwner } from '../../session.js'
import { missingContent } from '../consolePage.js'
import { eventPageWords } from './words.js'

export const EVENT_PATH = '/event'

export interface LoadedEvent {
  event: Event
  /** Earlier versions, oldest first. */
  history: readonly Event[]
}

/** Loads an event; undefined when there is none, or it was deleted. */
export async function loadEvent(visit: OwnVisit, id: string, includeHistory = false): Promise<LoadedEvent | undefined> {
  if (id === '' || id.length > 1024) return undefined
  try {
    const found = await readAsOwner(visit, visit.session, getOne, { id, includeHistory })
    const { event, history = [] } = found as { event: Event & { deleted?: number }; history?: Event[] }
    return event.deleted === undefined ? { event, history } : undefined
  } catch (error) {
    if (error instanceof Failure && (error.id === 'unknown-resource' || error.id === 'forbidden')) return undefined
    throw error
  }
}

/** Returns the page for an event that does not exist. */
export function missingEvent(visit: OwnVisit): PageContent {
  const words = eventPageWords[visit.language]
  const link = { text: words.toData, href: linkTo(visit, '/data') }
  return missingContent(visit, words.missingTitle, words.missing, link)
}

interface NamedAccess {
  id: string
  type: string
  name: string
}

/** Loads the names of accesses; returns what names the writer of an event by `createdBy` or `modifiedBy`. */
export async function loadWriterNames(visit: OwnVisit): Promise<(author: string) => string> {
  const { accesses } = (await readAsOwner(visit, visit.session, getAccesses, { includeExpired: true })) as { accesses: NamedAccess[] }
  const words = eventPageWords[visit.language]
  const names = new Map(accesses.map(({ id, type, name }) => [parseAccessId(id).base, type === 'personal' && name === PAGES_APP ? words.pages : name]))
  return (author) => {
    // An access id, and after a space a text that the caller chose.
    const [id = '', ...more] = author.split(' ')
    const own = more.join(' ').slice(0, 200)
    const name = names.get(parseAccessId(id).base) ?? (id === 'system' ? words.thisNode : words.unknownAccess)
    return own === '' ? name : `${name} (${own})`
  }
}
