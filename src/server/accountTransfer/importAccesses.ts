/**
 * Takes in accesses and webhooks. What leads to an access lies outside of the account, so they are read and checked here,
 * and staged with the last transaction, by which the account comes to be.
 */
import * as z from 'zod'
import type { Transaction } from '../../store/engine/account.js'
import { accessNamed, holderOfAlias, isTokenTaken, storeVersion, putAccess, putSession, putUsage, type LiveAccess, type Usage } from '../../store/accesses/accesses.js'
import { putAccessDeletion } from '../../store/accesses/deletedAccesses.js'
import { ACCESS_ID, type Access, type AccessDeletion } from '../../store/model/access.js'
import { markerOf } from '../../store/model/delegation.js'
import { accessIntegrity, algorithmIn } from '../../store/model/integrity.js'
import { Secret } from '../../store/model/secret.js'
import { MAX_ID_LENGTH } from '../../store/model/slug.js'
import { isActive, noRuns, type WebhookRuns, type Webhook } from '../../store/model/webhook.js'
import { WebAddress } from '../../store/model/webAddress.js'
import { putWebhook } from '../../store/accesses/webhooks.js'
import { accessFault } from '../../sync/merge/accessShape.js'
import type { Node } from '../node.js'
import { MAX_SCOPES } from '../notifications/scopes.js'
import { isScopeKind } from '../notifications/scopeCriteria.js'
import type { Import } from './importAccount.js'
import { idIn } from './report.js'
import { Members, objectionOf, readAs } from './shapes.js'

/** An access that is to be staged. */
export interface Arriving {
  live: LiveAccess
  session?: number
  usage?: Usage
  versions: readonly Access[]
}

const ACCESSES = 'accesses.ndjson'
/** More than any account has; they are kept in memory. */
const MAX_ACCESSES = 100_000

const token = z.string().min(1).max(MAX_ID_LENGTH)
const Counts = z.record(z.string().max(200), z.int().min(0))
const Line = z.union([
  z.strictObject({
    access: Members,
    token,
    session: z.number().optional(),
    usage: z.strictObject({ lastUsed: z.number().optional(), calls: Counts }).optional(),
    versions: z.array(Members).max(100_000).optional(),
  }),
  z.strictObject({ deletion: Members, token }),
])

/** Reads the accesses, and takes in those that were deleted. */
export async function importAccesses({ lines, arrival, report, node, count }: Import): Promise<Arriving[]> {
  const found: Arriving[] = []
  const ids = new Set<string>()
  const claimed = new Set<string>()
  for await (const { number, value } of lines(ACCESSES)) {
    const { access: live, deletion } = Object(value) as { access?: unknown; deletion?: unknown }
    const place = { file: ACCESSES, line: number, ...idIn(live ?? deletion) }
    const read = readAs(Line, value)
    if ('refused' in read) {
      report.refuse(place, 'A line holds an access or a deleted one, with its token.')
      continue
    }
    const line = read.item
    const access = ('access' in line ? line.access : line.deletion) as unknown as Access
    const secret = new Secret(line.token)
    const fault = faultOf(access, secret) ?? (ids.has(access.id) ? 'An access of this id came before.' : undefined)
    if (fault !== undefined) {
      report.refuse(place, fault)
      continue
    }
    if (!('access' in line)) {
      const { deleted } = access as AccessDeletion
      if (typeof deleted !== 'number') {
        report.refuse(place, 'The deletion has no time.')
        continue
      }
      ids.add(access.id)
      await arrival.add((t) => putAccessDeletion(t, node.store.seal, { access: access as AccessDeletion, token: secret }, undefined), 1000)
      count('accessDeletions')
      continue
    }
    const versions = (line.versions ?? []) as unknown as Access[]
    const wrong = versionsFault(access, versions)
    const claims = [`t${line.token}`, `n${JSON.stringify([access.type, access.name, access.deviceName])}`, ...(access.alias === undefined ? [] : [`a${access.alias}`])]
    const taken = claims.some((claim) => claimed.has(claim)) ? 'Another access has its token, its name or its alias.' : undefined
    const many = found.length >= MAX_ACCESSES ? 'There are too many accesses.' : undefined
    const refused = 'deleted' in access ? 'The access was deleted.' : (wrong ?? taken ?? many)
    if (refused !== undefined) {
      report.refuse(place, refused)
      continue
    }
    ids.add(access.id)
    for (const claim of claims) claimed.add(claim)
    const { session, usage } = line
    found.push({
      live: { access: unaliased(node, access, secret, (message) => report.refuse(place, message)), token: secret },
      ...(session === undefined || access.type !== 'personal' ? {} : { session }),
      ...(usage === undefined ? {} : { usage: usage as Usage }),
      versions,
    })
  }
  return found
}

/** What is wrong with an access or the deletion of one. Personal ones have no permissions, else they are as others. */
function faultOf(access: Access, secret: Secret<string>): string | undefined {
  const { integrity, ...rest } = access
  if (access.type === 'personal' && access.permissions !== undefined) return 'A personal access has no permissions.'
  const shaped = access.type === 'personal' ? { ...rest, type: 'app' as const, permissions: [] } : rest
  const fault = accessFault(shaped, secret)
  if (fault !== undefined) return fault
  if (markerOf(access) !== undefined) return 'It is the work of a delegation, which stays with its node.'
  if (integrity === undefined) return undefined
  const algorithm = typeof integrity === 'string' ? algorithmIn('ACCESS', integrity) : undefined
  if (algorithm === undefined) return 'Its integrity is of an unknown kind.'
  const isWhole = accessIntegrity({ ...access, token: secret.reveal() }, algorithm) === integrity
  return isWhole ? undefined : 'It does not match its integrity.'
}

/** Returns a fault of the earlier versions of an access. Copies that were synced may lack some that other nodes have. */
function versionsFault(access: Access, versions: readonly Access[]): string | undefined {
  let next = 0
  for (const version of versions) {
    const { integrity: _, ...rest } = version
    const shaped = version.type === 'personal' ? { ...rest, type: 'app' as const, permissions: [] } : rest
    if (accessFault(shaped, new Secret('version')) !== undefined) return 'One of its earlier versions is none.'
    const { serial = 0 } = version
    if (version.id !== access.id) return 'One of its earlier versions is of another access.'
    if (serial < next || serial >= (access.serial ?? 0)) return 'Its earlier versions are not in their order.'
    next = serial + 1
  }
  return undefined
}

/** An alias that leads elsewhere on this node cannot be had twice: the access comes without it. */
function unaliased(node: Node, access: Access, secret: Secret<string>, refuse: (message: string) => void): Access {
  const { alias, integrity, ...rest } = access
  if (alias === undefined || holderOfAlias(node.store.db, alias) === undefined) return access
  refuse(`Its alias ${alias} is in use on this node; the access comes without it.`)
  const algorithm = algorithmIn('ACCESS', integrity)
  return algorithm === undefined ? rest : { ...rest, integrity: accessIntegrity({ ...rest, token: secret.reveal() }, algorithm) }
}

/** Stages accesses; throws when what one needs was taken since they were read. */
export function stageAccesses(node: Node, t: Transaction, accesses: readonly Arriving[]): void {
  const { seal } = node.store
  for (const { live, session, usage, versions } of accesses) {
    const { access, token: secret } = live
    const isTaken = accessNamed(t, t.account, access) !== undefined || isTokenTaken(t, seal, t.account, secret.reveal())
    if (isTaken) throw new Error('Two accesses have one name or one token.')
    for (const version of versions) storeVersion(t, version)
    putAccess(t, seal, access, secret)
    if (session !== undefined) putSession(t, access.id, session)
    if (usage !== undefined) putUsage(t, access.id, usage)
  }
}

const WEBHOOKS = 'webhooks.ndjson'

const Scope = z.strictObject({ kind: z.string().refine(isScopeKind, { error: 'There is no such kind of scope.' }), query: Members })
const Run = z.strictObject({ status: z.int().min(0).max(999), timestamp: z.number() })
const count = z.int().min(0)
const WebhookLine = z.strictObject({
  webhook: z.strictObject({
    id: z.string().regex(ACCESS_ID),
    accessId: z.string().regex(ACCESS_ID),
    url: WebAddress,
    state: z.enum(['active', 'inactive']),
    maxRetries: count.max(1000),
    minIntervalMs: count.max(86_400_000),
    scopes: z.record(z.string().min(1).max(256), Scope).optional(),
    created: z.number(),
    createdBy: z.string().min(1).max(300),
    modified: z.number(),
    modifiedBy: z.string().min(1).max(300),
  }),
  runs: z
    .strictObject({ runCount: count, failCount: count, lastRun: Run, runs: z.array(Run).max(1000), currentRetries: count, isStopped: z.literal(true).optional() })
    .optional(),
})

/** A webhook that is to be staged. */
export interface ArrivingWebhook {
  webhook: Webhook
  runs?: WebhookRuns
  /** Set when it was active where it came from, and is not here. */
  isPaused: boolean
}

/**
 * Reads the webhooks of accesses that come along. In an account of another name they are inactive: the one that it was made
 * of may live on, and its webhooks are called by that one.
 */
export async function importWebhooks({ lines, report, owner, node }: Import, accesses: readonly Arriving[]): Promise<ArrivingWebhook[]> {
  const owners = new Set(accesses.map(({ live }) => live.access.id))
  const ids = new Set<string>()
  const found: ArrivingWebhook[] = []
  for await (const { number, value } of lines(WEBHOOKS)) {
    const place = { file: WEBHOOKS, line: number, ...idIn(Object(value).webhook) }
    const { success, data, error } = WebhookLine.safeParse(value)
    const refused = !success
      ? objectionOf(error)
      : ids.has(data.webhook.id)
        ? 'A webhook of this id came before.'
        : !owners.has(data.webhook.accessId)
          ? 'The access that made it is not there.'
          : Object.keys(data.webhook.scopes ?? {}).length > MAX_SCOPES
            ? 'It has too many scopes.'
            : undefined
    if (refused !== undefined || !success) {
      report.refuse(place, refused ?? '')
      continue
    }
    ids.add(data.webhook.id)
    const { scopes, ...rest } = data.webhook
    const runs = data.runs as WebhookRuns | undefined
    const isPaused = owner.isRenamed && isActive(rest, runs ?? noRuns)
    const paused = isPaused ? { state: 'inactive', modified: node.clock.now(), modifiedBy: 'system' } : {}
    const webhook = { ...rest, ...(scopes === undefined ? {} : { scopes }), ...paused } as Webhook
    found.push({ webhook, isPaused, ...(runs === undefined ? {} : { runs }) })
  }
  return found
}

export function stageWebhooks({ store }: Pick<Node, 'store'>, t: Transaction, webhooks: readonly ArrivingWebhook[]): void {
  for (const { webhook, runs } of webhooks) putWebhook(t, store.seal, webhook, 'create', runs)
}
