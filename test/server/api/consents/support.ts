/** Pairs of accounts with a consent, written directly to their stores, and readers of their events and accesses. */
import type { Account } from '../../../../src/store/engine/account.js'
import { findAccessRecord, putAccess } from '../../../../src/store/accesses/accesses.js'
import { findTask, listTasks } from '../../../../src/store/accesses/consentTasks.js'
import { addEvent, findEvent } from '../../../../src/store/events/events.js'
import type { Access, Permission } from '../../../../src/store/model/access.js'
import { channelStreamOf, CMC_INBOX } from '../../../../src/store/model/cmc.js'
import { peerSlug, type CounterpartyMark, type Features } from '../../../../src/store/model/consentAccess.js'
import type { Event } from '../../../../src/store/model/event.js'
import { Secret } from '../../../../src/store/model/secret.js'
import { withAccessIntegrity, withIntegrity } from '../../../../src/server/api/shared/integrity.js'
import { apiEndpoint } from '../../../../src/server/config/apiEndpoint.js'
import { identityOf } from '../../../../src/server/api/consents/identity.js'
import { ensureScope, ensureStream } from '../../../../src/server/api/consents/streams.js'
import type { TestNode } from '../../../support/nodes/node.js'
import { callThrough, newStage, type Transport, type Stage } from '../../../support/http/methodTable.js'

/** One of the two accounts of a relationship. */
export interface Side extends Stage {
  account: Account
  /** The other account, as written in stream ids. */
  peer: string
  /** Id without version and token of the access of the other account. */
  accessId: string
  token: string
  chat: string
  collector: string
}

/** Two accounts with a consent: `a` is the requester, `b` the accepter. */
export interface RelatedPair {
  a: Side
  b: Side
  scope: string
  inviteId: string
  acceptId: string
}

/** Options of a pair of accounts. */
export interface RelationOptions {
  scope?: string
  features?: Features
  /** Permissions of the access that the accepter grants. */
  permissions?: Permission[]
  more?: Partial<Access>
  mark?: Partial<CounterpartyMark>
  mode?: 'single-use' | 'open-link'
  /** Existing accounts, instead of new ones. */
  stages?: [Stage, Stage]
}

export const SCOPE = ':_cmc:apps:study:s1'
const DIARY: Permission[] = [{ streamId: 'diary', level: 'read' }]

/** Creates two accounts in the state after the handshake. */
export async function relatedPair(node: TestNode, other = node, options: RelationOptions = {}): Promise<RelatedPair> {
  const { scope = SCOPE, features, permissions = DIARY, more = {}, mark = {}, mode = 'single-use' } = options
  const [a, b] = options.stages ?? [await newStage(other), await newStage(node)]
  const [inviteId, acceptId, offerEventId] = [a.node.node.newId(), b.node.node.newId(), a.node.node.newId()]
  const sides = { a: await createSide(a, b, scope), b: await createSide(b, a, scope) }
  await putCounterpartyAccess(sides.b, sides.a, [...permissions], { scopeStreamId: scope, appCode: 'study', offerEventId, acceptEventId: acceptId, features: features ?? null, ...mark }, { name: `grant-${acceptId}`, ...more })
  await putCounterpartyAccess(sides.a, sides.b, [], { scopeStreamId: scope, appCode: 'study', offerEventId, inviteEventId: inviteId, features: features ?? null }, { name: `back-${inviteId}` })
  await putEvent(sides.b, acceptId, scope, 'consent/accept-cmc', { capabilityUrl: 'https://a.example/', status: 'completed', dataGrantAccessId: sides.b.accessId })
  await putEvent(sides.a, inviteId, scope, 'consent/request-cmc', { to: null, capability: { mode }, request: {}, status: mode === 'single-use' ? 'accepted' : 'pending' })
  return { ...sides, scope, inviteId, acceptId }
}

async function createSide(stage: Stage, other: Stage, scope: string): Promise<Side> {
  const { node } = stage.node
  const account = await accountOf(stage)
  const peer = peerSlug(identityOf(other.node.node, other.username))
  const creator = { node, account, author: 'system' }
  await account.write((t) => {
    ensureScope(creator, t, scope)
    for (const kind of ['chats', 'collectors'] as const) {
      ensureStream(creator, t, { id: `${scope}:${kind}`, parentId: scope })
      ensureStream(creator, t, { id: channelStreamOf(scope, kind, peer), parentId: `${scope}:${kind}` })
    }
  })
  const [chat, collector] = [channelStreamOf(scope, 'chats', peer), channelStreamOf(scope, 'collectors', peer)]
  return { ...stage, account, peer, chat, collector, accessId: node.newId(), token: node.newId() }
}

async function putCounterpartyAccess(side: Side, other: Side, permissions: Permission[], mark: Omit<CounterpartyMark, 'role' | 'counterparty'>, more: Partial<Access>): Promise<void> {
  const { node } = side.node
  const now = node.clock.now()
  const counterparty = {
    ...identityOf(other.node.node, other.username),
    apiEndpoint: apiEndpoint(other.node.node, other.username, other.token),
    ...{ remoteChatStreamId: other.chat, remoteCollectorStreamId: other.collector },
  }
  const access: Access = {
    ...{ id: side.accessId, type: 'shared', name: side.accessId },
    permissions: [
      ...permissions,
      { streamId: CMC_INBOX, level: 'create-only' },
      { streamId: side.chat, level: 'contribute' },
      { streamId: side.collector, level: 'contribute' },
    ],
    clientData: { cmc: { role: 'counterparty', counterparty, ...mark } },
    ...{ created: now, createdBy: 'system', modified: now, modifiedBy: 'system' },
    ...more,
  }
  const token = new Secret(side.token)
  await side.account.write((t) => putAccess(t, node.store.seal, withAccessIntegrity(node, access, token), token))
}

async function putEvent(side: Side, id: string, scope: string, type: string, content: Record<string, unknown>): Promise<void> {
  const { node } = side.node
  const now = node.clock.now()
  const tracking = { created: now, createdBy: 'system', modified: now, modifiedBy: 'system' }
  const event: Event = { id, streamIds: [scope], type, time: now, tags: [], content: content as Event['content'] & object, ...tracking }
  await side.account.write((t) => addEvent(t, node.store.recorder, withIntegrity({ node }, event)))
}

export async function accountOf({ node, username }: Pick<Stage, 'node' | 'username'>): Promise<Account> {
  const loaded = await node.node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no account ${username}`)
  return loaded.account
}

export type Content = Record<string, unknown>

export interface StoredEvent {
  id: string
  type: string
  streamIds: string[]
  created: number
  createdBy: string
  content: Content
}

/** Runs the due deliveries of these nodes until none is left. */
export async function deliverDue(...nodes: TestNode[]): Promise<void> {
  for (const { node } of [...nodes, ...nodes]) {
    for (let isBusy = true; isBusy; ) {
      isBusy = false
      for await (const { account, id } of listTasks(node.store.db)) {
        const task = findTask(node.store.db, node.store.seal, account, id)
        if (task === undefined || task.due > node.clock.now()) continue
        isBusy = true
        node.consents.wake(account, id)
        await node.consents.settled(account, id)
      }
    }
  }
}

/** Creates an event with a token, runs the deliveries that it causes, and returns the event as stored afterwards. */
export async function writeAndDeliver(side: Stage, streamId: string, type: string, content: unknown, options: { token?: string; transport?: Transport; nodes?: TestNode[] } = {}): Promise<StoredEvent> {
  const { status, body } = await callThrough(options.transport ?? 'http', side, options.token ?? side.owner, 'events.create', { streamIds: [streamId], type, content })
  if (status !== 201) throw new Error(`events.create answers ${status}: ${JSON.stringify(body)}`)
  await deliverDue(side.node, ...(options.nodes ?? []))
  return storedEvent(side, (body['event'] as StoredEvent).id)
}

/** Returns an event as stored in its account. */
export async function storedEvent(stage: Stage, id: string): Promise<StoredEvent> {
  const { prefix, db } = await accountOf(stage)
  const event = findEvent(db, prefix, id)
  if (event === undefined) throw new Error(`no event ${id}`)
  return event as unknown as StoredEvent
}

/** Returns the events of a stream, optionally of one type, latest first. */
export async function inStream(stage: Stage, streamId: string, type?: string): Promise<StoredEvent[]> {
  const { events } = await stage.arrange('events.get', { streams: [streamId], ...(type === undefined ? {} : { types: [type] }), limit: 50 })
  return events as StoredEvent[]
}

export const inInbox = (stage: Stage, type = 'consent/revoke-cmc'): Promise<StoredEvent[]> => inStream(stage, CMC_INBOX, type)

/** Returns the current access of the other account; undefined after it has ended. */
export const accessOf = ({ account, accessId }: Side): Access | undefined => findAccessRecord(account.db, account.prefix, accessId)

/** Replaces the access of the other account, without the checks of the API. */
export async function replaceAccess(side: Side, more: (access: Access) => Access): Promise<void> {
  const { node } = side.node
  const before = accessOf(side)
  if (before === undefined) throw new Error('the access has ended')
  const token = new Secret(side.token)
  const after = withAccessIntegrity(node, more(before), token)
  await side.account.write((t) => putAccess(t, node.store.seal, after, token, { access: before, token }))
}

/** Changes the relationship data in the access of the other account. */
export const updateMark = (side: Side, more: (mark: CounterpartyMark) => CounterpartyMark): Promise<void> =>
  replaceAccess(side, (access) => ({
    ...access,
    clientData: { ...access.clientData, cmc: { ...more(access.clientData?.['cmc'] as unknown as CounterpartyMark) } },
  }))

/** Replaces or removes the API endpoint of the other account in the relationship. */
export const setPeerEndpoint = (side: Side, apiEndpoint: string | undefined): Promise<void> =>
  updateMark(side, (mark) => {
    const { apiEndpoint: _, ...rest } = mark.counterparty
    return { ...mark, counterparty: { ...rest, ...(apiEndpoint === undefined ? {} : { apiEndpoint }) } }
  })

export const entries = (...streams: string[]): Permission[] => streams.map((streamId) => ({ streamId, level: 'read' }))
