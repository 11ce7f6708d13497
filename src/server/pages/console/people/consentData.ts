/** Loads the consents of the shown account and their messages, and creates the events that act on other accounts. */
import type { Permission } from '../../../../store/model/access.js'
import { channelStreamOf, scopeChain } from '../../../../store/model/cmc.js'
import { peerSlug } from '../../../../store/model/consentAccess.js'
import { Failure } from '../../../../store/model/failure.js'
import { get as getAccesses } from '../../../api/accesses/get.js'
import { consentNamed, consentsOf, type ConsentRecord } from '../../../api/consents/relations.js'
import { create as createEvent } from '../../../api/events/create.js'
import { get as getEvents } from '../../../api/events/get.js'
import { getOne as getEvent } from '../../../api/events/getOne.js'
import { create as createStream } from '../../../api/streams/create.js'
import { callAsOwner, readAsOwner } from '../../session.js'
import type { ConsoleVisit } from '../consolePage.js'

type Item = Readonly<Record<string, unknown>>

/** Maximum number of events of consents that are read. */
const MAX_EVENTS = 1000
const MAX_MESSAGES = 50
/** Longest wait for the other account, in milliseconds. */
const MAX_WAIT_MS = 5000
const FIRST_POLL_MS = 25
const MAX_POLL_MS = 200

async function eventsIn(visit: ConsoleVisit, streamId: string, types: readonly string[], limit: number): Promise<Item[]> {
  const { events } = (await readAsOwner(visit, visit.session, getEvents, { streams: [streamId], types, limit })) as { events: Item[] }
  return events
}

/** Lists the consents of the shown account, the latest first. */
export async function loadConsents(visit: ConsoleVisit): Promise<ConsentRecord[]> {
  const types = ['consent/request-cmc', 'consent/accept-cmc']
  const apps = await eventsIn(visit, ':_cmc:apps', types, MAX_EVENTS)
  const inbox = await eventsIn(visit, ':_cmc:inbox', types, MAX_EVENTS)
  const { accesses } = (await readAsOwner(visit, visit.session, getAccesses, { includeExpired: true })) as { accesses: Item[] }
  return consentsOf({ apps, inbox, accesses }, visit.node.clock.now())
}

/** Finds a consent by the id of its event or its access. */
export const findConsent = async (visit: ConsoleVisit, id: string): Promise<ConsentRecord | undefined> => consentNamed(await loadConsents(visit), id)

/** Returns the stream of the messages of a consent; undefined without another account. */
export function chatStreamOf({ consent: { scopeStreamId, counterparty } }: ConsentRecord): string | undefined {
  return scopeStreamId === undefined || counterparty === undefined ? undefined : channelStreamOf(scopeStreamId, 'chats', peerSlug(counterparty))
}

/** Loads the last messages of a consent, the earliest first. Undefined when the two accounts exchange none. */
export async function messagesOf(visit: ConsoleVisit, record: ConsentRecord): Promise<Item[] | undefined> {
  const stream = chatStreamOf(record)
  if (stream === undefined || visit.session.account.tree.get(stream) === undefined) return undefined
  return (await eventsIn(visit, stream, ['message/chat-cmc'], MAX_MESSAGES)).reverse()
}

/** Returns the permissions that a consent gave; empty when its access is gone. */
export const permissionsOf = ({ access }: ConsentRecord): Permission[] => (Array.isArray(access?.['permissions']) ? (access['permissions'] as Permission[]) : [])

/** Creates the missing streams of a scope. */
export async function provideScope(visit: ConsoleVisit, scope: string): Promise<string> {
  let parentId = ':_cmc:apps'
  for (const id of scopeChain(scope)) {
    if (visit.session.account.tree.get(id) === undefined) {
      try {
        await callAsOwner(visit, visit.session, createStream, { id, name: id.slice(parentId.length + 1), parentId })
      } catch (error) {
        if (!(error instanceof Failure) || error.id !== 'item-already-exists') throw error
      }
    }
    parentId = id
  }
  return scope
}

/** State of an event that acts on another account. `reason` is that of a failure. */
type Outcome = { status: 'completed' | 'working' } | { status: 'failed'; reason: string }

/** Creates an event that acts on another account, and waits a few seconds for its result. */
export async function runTrigger(visit: ConsoleVisit, streamId: string, type: string, content: Item): Promise<Outcome & { id: string }> {
  const created = (await readAsOwner(visit, visit.session, createEvent, { streamIds: [streamId], type, content })) as { event: { id: string } }
  const { id } = created.event
  const until = performance.now() + MAX_WAIT_MS
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(MAX_POLL_MS, pause * 2)) {
    const found = (await readAsOwner(visit, visit.session, getEvent, { id })) as { event: { content: { status?: string; failure?: { reason?: unknown } } } }
    const { status, failure } = found.event.content
    if (status === 'completed') return { id, status }
    if (status === 'failed') return { id, status, reason: String(failure?.reason) }
    if (performance.now() >= until) return { id, status: 'working' }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
