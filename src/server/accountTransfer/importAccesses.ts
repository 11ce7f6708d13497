/**
 * Imports accesses and webhooks. Their token and alias indexes are node-wide, so they are validated here and staged with
 * the last transaction, which makes the account visible.
 */
import * as z from 'zod'
import type { Transaction } from '../../store/engine/account.js'
import {
  accessNamed,
  holderOfAlias,
  isTokenTaken,
  putAccess,
  putAccessDeletion,
  putSession,
  putUsage,
  storeVersion,
  type LiveAccess,
  type Usage,
} from '../../store/accesses/accesses.js'
import { ACCESS_ID, type Access, type AccessDeletion } from '../../store/model/access.js'
import { markerOf } from '../../store/model/delegation.js'
import { accessIntegrity, algorithmIn } from '../../store/model/integrity.js'
import { Secret } from '../../store/model/secret.js'
import { MAX_ID_LENGTH } from '../../store/model/slug.js'
import { isActive, noRuns, type WebhookRuns, type Webhook } from '../../store/model/webhook.js'
import { WebAddress } from '../../store/model/webAddress.js'
import { putWebhook } from '../../store/accesses/webhooks.js'
import { accessFault } from '../../sync/merge/accessShape.js'
import { Members } from '../base/tableSchema.js'
import type { Context } from '../call/context.js'
import { MAX_SCOPES } from '../notifications/scopes.js'
import { isScopeKind } from '../notifications/scopeCriteria.js'
import type { Import } from './importContext.js'
import { idIn } from './report.js'
import { objectionOf, readAs } from './shapes.js'

/** An access to stage. */
export interface ImportedAccess {
  live: LiveAccess
  session?: number
  usage?: Usage
  versions: readonly Access[]
}

const ACCESSES = 'accesses.ndjson'
/** Maximum number of accesses, which are held in memory. */
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

/** Reads the accesses, and imports deletions. */
export async function importAccesses({ lines, target, report, node, count }: Import): Promise<ImportedAccess[]> {
  const found: ImportedAccess[] = []
  const ids = new Set<string>()
  const claimed = new Set<string>()
  for await (const { number, value } of lines(ACCESSES)) {
    const { access: live, deletion } = Object(value) as { access?: unknown; deletion?: unknown }
    const place = { file: ACCESSES, line: number, ...idIn(live ?? deletion) }
    const read = readAs(Line, value)
    if ('refused' in read) {
      report.refuse(place, 'Expected an access or a deleted access, with its token.')
      continue
    }
    const line = read.item
    const access = ('access' in line ? line.access : line.deletion) as unknown as Access
    const secret = new Secret(line.token)
    const fault = faultOf(access, secret) ?? (ids.has(access.id) ? 'Duplicate access id.' : undefined)
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
      await target.add((t) => putAccessDeletion(t, node.store.seal, { access: access as AccessDeletion, token: secret }, undefined), 1000)
      count('accessDeletions')
      continue
    }
    const versions = (line.versions ?? []) as unknown as Access[]
    const wrong = versionsFault(access, versions)
    const claims = [`t${line.token}`, `n${JSON.stringify([access.type, access.name, access.deviceName])}`, ...(access.alias === undefined ? [] : [`a${access.alias}`])]
    const taken = claims.some((claim) => claimed.has(claim)) ? 'Another access has its token, its name or its alias.' : undefined
    const many = found.length >= MAX_ACCESSES ? 'Too many accesses.' : undefined
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

/** Returns the fault of an access or its deletion. Personal accesses are checked like others, without permissions. */
function faultOf(access: Access, secret: Secret<string>): string | undefined {
  const { integrity, ...rest } = access
  if (access.type === 'personal' && access.permissions !== undefined) return 'A personal access has no permissions.'
  const shaped = access.type === 'personal' ? { ...rest, type: 'app' as const, permissions: [] } : rest
  const fault = accessFault(shaped, secret)
  if (fault !== undefined) return fault
  if (markerOf(access) !== undefined) return 'The access belongs to a delegation and cannot be moved to another node.'
  if (integrity === undefined) return undefined
  const algorithm = typeof integrity === 'string' ? algorithmIn('ACCESS', integrity) : undefined
  if (algorithm === undefined) return 'Unknown integrity algorithm.'
  const isWhole = accessIntegrity({ ...access, token: secret.reveal() }, algorithm) === integrity
  return isWhole ? undefined : 'Integrity mismatch.'
}

/** Returns a fault of an access's earlier versions. Synced copies may lack some versions. */
function versionsFault(access: Access, versions: readonly Access[]): string | undefined {
  let next = 0
  for (const version of versions) {
    const { integrity: _, ...rest } = version
    const shaped = version.type === 'personal' ? { ...rest, type: 'app' as const, permissions: [] } : rest
    if (accessFault(shaped, new Secret('version')) !== undefined) return 'An earlier version is invalid.'
    const { serial = 0 } = version
    if (version.id !== access.id) return 'An earlier version belongs to another access.'
    if (serial < next || serial >= (access.serial ?? 0)) return 'The earlier versions are not in order.'
    next = serial + 1
  }
  return undefined
}

/** Drops an alias that is in use on this node. */
function unaliased(node: Context, access: Access, secret: Secret<string>, refuse: (message: string) => void): Access {
  const { alias, integrity, ...rest } = access
  if (alias === undefined || holderOfAlias(node.store.db, alias) === undefined) return access
  refuse(`Its alias ${alias} is in use on this node; the access is imported without it.`)
  const algorithm = algorithmIn('ACCESS', integrity)
  return algorithm === undefined ? rest : { ...rest, integrity: accessIntegrity({ ...rest, token: secret.reveal() }, algorithm) }
}

/** Stages accesses. @throws when a token or name was taken meanwhile */
export function stageAccesses(node: Context, t: Transaction, accesses: readonly ImportedAccess[]): void {
  const { seal } = node.store
  for (const { live, session, usage, versions } of accesses) {
    const { access, token: secret } = live
    const isTaken = accessNamed(t, t.account, access) !== undefined || isTokenTaken(t, seal, t.account, secret.reveal())
    if (isTaken) throw new Error('Two accesses share a name or a token.')
    for (const version of versions) storeVersion(t, version)
    putAccess(t, seal, access, secret)
    if (session !== undefined) putSession(t, access.id, session)
    if (usage !== undefined) putUsage(t, access.id, usage)
  }
}

const WEBHOOKS = 'webhooks.ndjson'

const Scope = z.strictObject({ kind: z.string().refine(isScopeKind, { error: 'Unknown kind of scope.' }), query: Members })
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

/** A webhook to stage. */
export interface ImportedWebhook {
  webhook: Webhook
  runs?: WebhookRuns
  /** Set when an active webhook becomes inactive by the import. */
  isPaused: boolean
}

/**
 * Reads the webhooks of imported accesses. In an account with another name they are inactive: the original may still exist
 * and call the same URLs.
 */
export async function importWebhooks({ lines, report, owner, node }: Import, accesses: readonly ImportedAccess[]): Promise<ImportedWebhook[]> {
  const owners = new Set(accesses.map(({ live }) => live.access.id))
  const ids = new Set<string>()
  const found: ImportedWebhook[] = []
  for await (const { number, value } of lines(WEBHOOKS)) {
    const place = { file: WEBHOOKS, line: number, ...idIn(Object(value).webhook) }
    const { success, data, error } = WebhookLine.safeParse(value)
    const refused = !success
      ? objectionOf(error)
      : ids.has(data.webhook.id)
        ? 'Duplicate webhook id.'
        : !owners.has(data.webhook.accessId)
          ? 'The access of the webhook does not exist.'
          : Object.keys(data.webhook.scopes ?? {}).length > MAX_SCOPES
            ? 'Too many scopes.'
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

export function stageWebhooks({ store }: Pick<Context, 'store'>, t: Transaction, webhooks: readonly ImportedWebhook[]): void {
  for (const { webhook, runs } of webhooks) putWebhook(t, store.seal, webhook, 'create', runs)
}
