/** Accounts that agreed on a consent, put straight into their stores, and what tests of their messages look at. */
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
import { callThrough, newStage, type Door, type Stage } from '../../../support/http/methodTable.js'

/** One of the two accounts of a relationship. */
export interface Side extends Stage {
  account: Account
  /** The other account in ids of streams. */
  peer: string
  /** Base id and token of the access that the other account holds here. */
  accessId: string
  token: string
  chat: string
  collector: string
}

/** `a` asked, `b` accepted. */
export interface Related {
  a: Side
  b: Side
  scope: string
  inviteId: string
  acceptId: string
}

export interface Arranged {
  scope?: string
  features?: Features
  /** Of the person's access. */
  permissions?: Permission[]
  more?: Partial<Access>
  mark?: Partial<CounterpartyMark>
  mode?: 'single-use' | 'open-link'
  /** Accounts that are there already. */
  stages?: [Stage, Stage]
}

export const SCOPE = ':_cmc:apps:study:s1'
const DIARY: Permission[] = [{ streamId: 'diary', level: 'read' }]

/** Two accounts as they are when the handshake has ended. */
export async function relatedPair(node: TestNode, other = node, arranged: Arranged = {}): Promise<Related> {
  const { scope = SCOPE, features, permissions = DIARY, more = {}, mark = {}, mode = 'single-use' } = arranged
  const [a, b] = arranged.stages ?? [await newStage(other), await newStage(node)]
  const [inviteId, acceptId, offerEventId] = [a.node.node.newId(), b.node.node.newId(), a.node.node.newId()]
  const made = { a: await half(a, b, scope), b: await half(b, a, scope) }
  await put(made.b, made.a, [...permissions], { scopeStreamId: scope, appCode: 'study', offerEventId, acceptEventId: acceptId, features: features ?? null, ...mark }, { name: `grant-${acceptId}`, ...more })
  await put(made.a, made.b, [], { scopeStreamId: scope, appCode: 'study', offerEventId, inviteEventId: inviteId, features: features ?? null }, { name: `back-${inviteId}` })
  await record(made.b, acceptId, scope, 'consent/accept-cmc', { capabilityUrl: 'https://a.example/', status: 'completed', dataGrantAccessId: made.b.accessId })
  await record(made.a, inviteId, scope, 'consent/request-cmc', { to: null, capability: { mode }, request: {}, status: mode === 'single-use' ? 'accepted' : 'pending' })
  return { ...made, scope, inviteId, acceptId }
}

async function half(stage: Stage, other: Stage, scope: string): Promise<Side> {
  const { node } = stage.node
  const account = await accountOf(stage)
  const peer = peerSlug(identityOf(other.node.node, other.username))
  const maker = { node, account, author: 'system' }
  await account.write((t) => {
    ensureScope(maker, t, scope)
    for (const kind of ['chats', 'collectors'] as const) {
      ensureStream(maker, t, { id: `${scope}:${kind}`, parentId: scope })
      ensureStream(maker, t, { id: channelStreamOf(scope, kind, peer), parentId: `${scope}:${kind}` })
    }
  })
  const [chat, collector] = [channelStreamOf(scope, 'chats', peer), channelStreamOf(scope, 'collectors', peer)]
  return { ...stage, account, peer, chat, collector, accessId: node.newId(), token: node.newId() }
}

async function put(side: Side, other: Side, permissions: Permission[], mark: Omit<CounterpartyMark, 'role' | 'counterparty'>, more: Partial<Access>): Promise<void> {
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

async function record(side: Side, id: string, scope: string, type: string, content: Record<string, unknown>): Promise<void> {
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

export interface Seen {
  id: string
  type: string
  streamIds: string[]
  created: number
  createdBy: string
  content: Content
}

/** Waits until nothing is due on these nodes. */
export async function quiet(...nodes: TestNode[]): Promise<void> {
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

/** Writes an event by a token, waits for what follows from it, and answers it as it is then. */
export async function said(side: Stage, streamId: string, type: string, content: unknown, options: { token?: string; door?: Door; nodes?: TestNode[] } = {}): Promise<Seen> {
  const { status, body } = await callThrough(options.door ?? 'http', side, options.token ?? side.owner, 'events.create', { streamIds: [streamId], type, content })
  if (status !== 201) throw new Error(`events.create is answered ${status}: ${JSON.stringify(body)}`)
  await quiet(side.node, ...(options.nodes ?? []))
  return seen(side, (body['event'] as Seen).id)
}

/** An event as its account has it. */
export async function seen(stage: Stage, id: string): Promise<Seen> {
  const { prefix, db } = await accountOf(stage)
  const event = findEvent(db, prefix, id)
  if (event === undefined) throw new Error(`no event ${id}`)
  return event as unknown as Seen
}

/** The events in a stream, by type, the latest first. */
export async function inStream(stage: Stage, streamId: string, type?: string): Promise<Seen[]> {
  const { events } = await stage.arrange('events.get', { streams: [streamId], ...(type === undefined ? {} : { types: [type] }), limit: 50 })
  return events as Seen[]
}

export const inInbox = (stage: Stage, type = 'consent/revoke-cmc'): Promise<Seen[]> => inStream(stage, CMC_INBOX, type)

/** The access that the other account holds, as it is now; undefined once it has ended. */
export const accessOf = ({ account, accessId }: Side): Access | undefined => findAccessRecord(account.db, account.prefix, accessId)

/** Changes the access of the other account, whatever it is. */
export async function remarkAccess(side: Side, more: (access: Access) => Access): Promise<void> {
  const { node } = side.node
  const before = accessOf(side)
  if (before === undefined) throw new Error('the access has ended')
  const token = new Secret(side.token)
  const after = withAccessIntegrity(node, more(before), token)
  await side.account.write((t) => putAccess(t, node.store.seal, after, token, { access: before, token }))
}

/** Changes what the access of the other account says of the relationship. */
export const remark = (side: Side, more: (mark: CounterpartyMark) => CounterpartyMark): Promise<void> =>
  remarkAccess(side, (access) => ({
    ...access,
    clientData: { ...access.clientData, cmc: { ...more(access.clientData?.['cmc'] as unknown as CounterpartyMark) } },
  }))

/** Gives the relationship another address of the other account. */
export const readdress = (side: Side, apiEndpoint: string | undefined): Promise<void> =>
  remark(side, (mark) => {
    const { apiEndpoint: _, ...rest } = mark.counterparty
    return { ...mark, counterparty: { ...rest, ...(apiEndpoint === undefined ? {} : { apiEndpoint }) } }
  })

export const entries = (...streams: string[]): Permission[] => streams.map((streamId) => ({ streamId, level: 'read' }))
