/** Invites, acceptances and other steps of consents over the API, and readers of their results. */
import { each } from '../../../../src/store/engine/database.js'
import { findEvent } from '../../../../src/store/events/events.js'
import { listAccesses, type LiveAccess } from '../../../../src/store/accesses/accesses.js'
import { findTask, listTasks } from '../../../../src/store/accesses/consentTasks.js'
import type { Account } from '../../../../src/store/engine/account.js'
import { accountKeys, under } from '../../../../src/store/engine/keys.js'
import type { Permission } from '../../../../src/store/model/access.js'
import type { Event } from '../../../../src/store/model/event.js'
import { counterpartyOf } from '../../../../src/store/model/consentAccess.js'
import { request, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'

export type Content = Record<string, unknown>

export const APP = ':_cmc:apps:study'
export const SCOPE = `${APP}:s1`

/** Returns the content of a consent request, with changed fields. */
export const offering = (request: Content = {}, more: Content = {}): Content => ({
  to: null,
  capabilityRequested: true,
  request: {
    ...{ title: { en: 'Study' }, description: { en: 'What it is about' }, consent: { en: 'I agree' } },
    permissions: [{ streamId: 'diary', level: 'read', defaultName: 'Diary' }],
    ...request,
  },
  requesterMeta: { displayName: 'Dr A', appId: 'study' },
  ...more,
})

/** Creates an account with the streams of the scope. */
export async function newRequester(node: TestNode): Promise<Stage> {
  const alice = await newStage(node)
  await alice.arrange('streams.create', { id: APP, name: 'Study', parentId: ':_cmc:apps' })
  await alice.arrange('streams.create', { id: SCOPE, name: 'One', parentId: APP })
  return alice
}

export interface CreatedEvent {
  id: string
  content: Content
}

/** Creates an event with the token of the owner. */
export async function write(stage: Stage, type: string, content: Content, streamId = SCOPE): Promise<CreatedEvent> {
  const { event } = await stage.arrange('events.create', { streamIds: [streamId], type, content })
  return event as CreatedEvent
}

export const invite = (stage: Stage, requested: Content = offering()): Promise<CreatedEvent> => write(stage, 'consent/request-cmc', requested)

export const openLink = (requested: Content = {}): Content => offering(requested, { capability: { mode: 'open-link' } })

export async function accountOf({ node, username }: Stage): Promise<Account> {
  const loaded = await node.node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no account ${username}`)
  return loaded.account
}

/** Runs the due deliveries of these nodes until none is left. */
export async function deliverDue(...nodes: TestNode[]): Promise<void> {
  for (let isBusy = true; isBusy; ) {
    isBusy = false
    for (const { node } of nodes) {
      await node.store.settled()
      for await (const { account, id } of listTasks(node.store.db)) {
        if (!isDueNow(node, account, id)) continue
        isBusy = true
        node.consents.wake(account, id)
        await node.consents.settled(account, id)
      }
    }
  }
}

function isDueNow(node: TestNode['node'], account: string, id: string): boolean {
  const task = findTask(node.store.db, node.store.seal, account, id)
  return task !== undefined && task.due <= node.clock.now()
}

/** Returns the current content of an event. */
export async function contentOf(stage: Stage, id: string): Promise<Content> {
  const account = await accountOf(stage)
  return (findEvent(account.db, account.prefix, id)?.content ?? {}) as Content
}

/** Returns the events of a stream, latest first. */
export async function inStream(stage: Stage, stream: string): Promise<(CreatedEvent & { type: string; createdBy: string })[]> {
  const { events } = await stage.arrange('events.get', { streams: [stream] })
  return events as (CreatedEvent & { type: string; createdBy: string })[]
}

/** Returns the accesses of an account that represent consents. */
export async function relationsOf(stage: Stage): Promise<LiveAccess[]> {
  const all = await listAccesses(await accountOf(stage), stage.node.node.store.seal)
  return all.filter(({ access }) => counterpartyOf(access) !== undefined)
}

/** Accepts a link as the owner, runs the deliveries of the node, and returns the id and content of the acceptance. */
export async function acceptLink(stage: Stage, url: unknown, more: Content = {}): Promise<Content> {
  const { id } = await write(stage, 'consent/accept-cmc', { capabilityUrl: url, ...more }, APP)
  await deliverDue(stage.node)
  return { id, ...(await contentOf(stage, id)) }
}

/** Writes an answer to a link, as the node of the other account does. */
export async function answerLink(url: string, capabilityId: string, content: Content, type = 'consent/accept-cmc'): Promise<[number, unknown]> {
  const { origin, pathname, username } = new URL(url)
  const body = { streamIds: [`:_cmc:_internal:responses:${capabilityId}`], type, content }
  const answer = await request(`${origin}${pathname}events`, { token: username, body })
  const error = answer.body['error'] as { data?: { id?: string } } | undefined
  return [answer.status, error?.data?.id]
}

export const streamIdsOf = (permissions: readonly Permission[] = []): unknown[] =>
  permissions.map((permission) => ('streamId' in permission ? [permission.streamId, permission.level] : permission))

/** Returns the events of an internal stream, which no client can read. */
export async function internalEvents(stage: Stage, streamId: string): Promise<Event[]> {
  const { db, prefix } = await accountOf(stage)
  const found: Event[] = []
  for await (const key of each(db.keys(under(accountKeys.all(prefix))))) {
    const event = findEvent(db, prefix, key.split('/').at(-1) ?? '')
    if (event?.streamIds.includes(streamId) === true && !found.some(({ id }) => id === event.id)) found.push(event)
  }
  return found
}
