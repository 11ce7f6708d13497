/** Permissions: what an access may do on which stream (data supplement 7). One evaluation for all methods. */
import { auditStreamOfAccess } from './auditStreams.js'
import type { Access, FeaturePermission, Level, Permission, TagPermission } from './access.js'
import { CMC_INTERNAL } from './cmc.js'
import { capabilityOf } from './consentAccess.js'
import { isAccountStreamId, splitStorePrefix } from './slug.js'
import type { Tree } from './tree.js'

/** What holds permissions. */
export type Holder = Pick<Access, 'id' | 'type' | 'permissions' | 'clientData'>

/** The permissions of an access, ready to be asked. */
export interface Scope {
  readonly accessId: string
  /** Personal accesses manage everything, whatever their permissions say. */
  readonly personal: boolean
  /** Level by stream id, `*` for all, injected entries included. Empty for personal accesses. */
  readonly levels: ReadonlyMap<string, Level>
  /** Level by tag, `*` for all (deprecated in the specification). */
  readonly tags: ReadonlyMap<string, TagPermission['level']>
  readonly features: ReadonlyMap<string, FeaturePermission['setting']>
  /** Streams of which every event that this access reads must have one each (data supplement 7.5). */
  readonly forcedStreams: readonly string[]
}

/**
 * The permissions of an access as access-info answers them: stored ones between the injected (data supplement 7.3).
 * Undefined for personal accesses. Without `audit` (switched off on the node) no access sees its own audit stream.
 */
export function effectivePermissions(access: Holder, audit = true): Permission[] | undefined {
  if (access.type === 'personal') return undefined
  const stored = access.permissions ?? []
  const selfAudit = stored.findLast((permission) => 'feature' in permission && permission.feature === 'selfAudit')
  const ownAudit = audit && !(selfAudit && 'setting' in selfAudit && selfAudit.setting === 'forbidden')
  return [
    { streamId: ':_system:account', level: 'none' },
    ...stored,
    ...(ownAudit ? [{ streamId: auditStreamOfAccess(access.id), level: 'read' } satisfies Permission] : []),
  ]
}

/**
 * Compiles an access; of two entries for one stream, tag or feature the later counts. Streams that the node keeps for itself
 * are for the links that it makes alone, whoever names them (consent supplement 1.2).
 */
export function compileScope(access: Holder, audit = true): Scope {
  const isLink = capabilityOf(access) !== undefined
  const levels = new Map<string, Level>()
  const tags = new Map<string, Level>()
  const features = new Map<string, FeaturePermission['setting']>()
  const forcedStreams: string[] = []
  for (const permission of effectivePermissions(access, audit) ?? []) {
    if ('streamId' in permission) {
      if (isLink || !isInternal(permission.streamId)) levels.set(permission.streamId, permission.level)
    } else if ('tag' in permission) tags.set(permission.tag, permission.level)
    else {
      features.set(permission.feature, permission.setting)
      if (permission.feature === 'forcedStreams') forcedStreams.push(...streamsOf(permission))
    }
  }
  return { accessId: access.id, personal: access.type === 'personal', levels, tags, features, forcedStreams }
}

function streamsOf({ streams }: FeaturePermission): string[] {
  return Array.isArray(streams) ? streams.filter((id) => typeof id === 'string') : []
}

/**
 * The level of an access on a stream: that of the stream itself, else of the nearest ancestor with an entry, else of
 * `*` where `*` reaches (data supplement 7.2). Undefined: no permission. For `'*'` itself, its own level.
 */
export function levelOn(scope: Scope, streamId: string, tree: Tree): Level | undefined {
  if (scope.personal) return 'manage'
  let reachedByStar = true
  let id: string | undefined = streamId
  for (let steps = tree.size + 3; id !== undefined && steps >= 0; steps--) {
    const level = scope.levels.get(id)
    if (level !== undefined) return level
    reachedByStar &&= isReachedByStar(id)
    id = parentOf(id, tree)
  }
  return reachedByStar ? scope.levels.get('*') : undefined
}

/** The id of a stream's parent, also in the account and audit stores, whose streams are not in the account's tree. */
export function parentOf(id: string, tree: Tree): string | undefined {
  if (id.startsWith(':')) {
    const { store, prefix, item } = splitStorePrefix(id)
    if (store === '_system') return accountParentOf(id)
    if (store === '_audit') return auditParentOf(item)
    if (store !== 'local' && !tree.has(id)) return item === '' ? undefined : prefix
  }
  return tree.parent(id)?.id
}

function accountParentOf(id: string): string | undefined {
  if (id === ':_system:account') return undefined
  return id === ':_system:dbDocuments' || id === ':_system:attachedFiles' ? ':_system:storageUsed' : ':_system:account'
}

/** The parent of an item of the audit store: its lists hold one stream per access and per method. */
export function auditParentOf(item: string): string | undefined {
  if (item === '') return undefined
  if (item.startsWith('access-')) return ':_audit:accesses'
  return item.startsWith('action-') ? ':_audit:actions' : ':_audit:'
}

/**
 * Whether a permission, or a query, on `*` can reach an id: neither another store's nor the areas of secrets and
 * e-mails, which must be named (data supplement 2.3, 7.2).
 */
export function isReachedByStar(id: string): boolean {
  if (!id.startsWith(':')) return true
  if (id.startsWith(':_shared-secrets:') || id.startsWith(':_emails:') || isAccountStreamId(id)) return false
  return splitStorePrefix(id).store === 'local'
}

/** Whether a level lets read events. `create-only` shows the stream, not its events (data supplement 7.1). */
export function allowsReading(level: Level | undefined): boolean {
  return level === 'read' || level === 'contribute' || level === 'manage'
}

/** May read the stream's events. */
export function mayRead(scope: Scope, streamId: string, tree: Tree): boolean {
  return allowsReading(levelOn(scope, streamId, tree))
}

/** May create events in the stream. */
export function mayCreate(scope: Scope, streamId: string, tree: Tree): boolean {
  const level = levelOn(scope, streamId, tree)
  return level === 'create-only' || level === 'contribute' || level === 'manage'
}

/** May change and delete the stream's events. */
export function mayContribute(scope: Scope, streamId: string, tree: Tree): boolean {
  const level = levelOn(scope, streamId, tree)
  return level === 'contribute' || level === 'manage'
}

/** May change the stream and create streams below it; asked of `'*'`, may create root streams. */
export function mayManage(scope: Scope, streamId: string, tree: Tree): boolean {
  return levelOn(scope, streamId, tree) === 'manage'
}

/** May see the stream itself in streams.get: any level but `none`. */
export function mayList(scope: Scope, streamId: string, tree: Tree): boolean {
  const level = levelOn(scope, streamId, tree)
  return level !== undefined && level !== 'none'
}

/**
 * The level of an access on a tag: its own entry and that of `*` add up; `none`, which is not granted any more, takes
 * the tag out of `*`.
 */
export function levelOnTag(scope: Scope, tag: string): Level | undefined {
  const own = scope.tags.get(tag)
  const star = scope.tags.get('*')
  if (own === undefined || star === undefined || own === 'none') return own ?? star
  return own === 'read' ? star : own
}

/** Whether the access's tag permissions alone let it read an event with these tags. */
export function mayReadTags(scope: Scope, tags: readonly string[]): boolean {
  return scope.personal || tags.some((tag) => allowsReading(levelOnTag(scope, tag)))
}

function mayContributeTags(scope: Scope, tags: readonly string[]): boolean {
  return tags.some((tag) => {
    const level = levelOnTag(scope, tag)
    return level === 'contribute' || level === 'manage'
  })
}

/** Streams that the server keeps for itself, shown only to an access with an entry for the very stream. */
const internal = [CMC_INTERNAL, ':_delegation:_internal']

/** Whether a stream is one that the server keeps for itself. */
export function isInternal(id: string): boolean {
  return id.startsWith(':') && internal.some((root) => id === root || id.startsWith(root + ':'))
}

/** The roots of the streams that the server keeps for itself. */
export const internalRoots: readonly string[] = internal

/**
 * Whether a stream keeps its events from tag permissions: it is explicitly without a reading level, or in an area that
 * must be named and is not, which all account and audit streams are.
 */
function isClosedToTags(scope: Scope, streamId: string, tree: Tree): boolean {
  if (isAccountStreamId(streamId) || splitStorePrefix(streamId).store !== 'local') return true
  const level = levelOn(scope, streamId, tree)
  if (level !== undefined && !allowsReading(level)) return true
  if (isInternal(streamId)) return !scope.levels.has(streamId)
  return level === undefined && !isReachedFromRoot(streamId, tree)
}

/** Whether neither the stream nor one above it is in an area that must be named. */
function isReachedFromRoot(streamId: string, tree: Tree): boolean {
  if (!isReachedByStar(streamId)) return false
  for (const { id } of tree.ancestors(streamId)) if (!isReachedByStar(id)) return false
  return true
}

const isOpenToTags = (scope: Scope, streamIds: readonly string[], tree: Tree): boolean =>
  !streamIds.some((id) => isClosedToTags(scope, id, tree))

/** What permissions are asked about of an event. Tags are asked for only where tag permissions decide. */
export interface EventPlace {
  streamIds: readonly string[]
  tags: () => readonly string[]
}

/** May read the event: by a stream of it while none is closed, or by a tag (data supplement 7.4, 7.6). */
export function mayReadEvent(scope: Scope, { streamIds, tags }: EventPlace, tree: Tree): boolean {
  if (scope.personal) return true
  if (streamIds.some((id) => mayRead(scope, id, tree))) {
    return !streamIds.some((id) => levelOn(scope, id, tree) === 'none' || tree.isUnder(id, ':_emails:'))
  }
  return scope.tags.size > 0 && isOpenToTags(scope, streamIds, tree) && mayReadTags(scope, tags())
}

/** May create the event: in every one of its streams, or by a tag. */
export function mayCreateEvent(scope: Scope, event: EventPlace, tree: Tree): boolean {
  return event.streamIds.every((id) => mayCreate(scope, id, tree)) || mayChangeByTags(scope, event, tree)
}

/** May change and delete the event: by one of its streams while none is closed, or by a tag. */
export function mayChangeEvent(scope: Scope, event: EventPlace, tree: Tree): boolean {
  // The answer to a change shows the event: what may not be seen is not changed either.
  if (event.streamIds.some((id) => levelOn(scope, id, tree) === 'none')) return false
  return event.streamIds.some((id) => mayContribute(scope, id, tree)) || mayChangeByTags(scope, event, tree)
}

/**
 * May add points to the series that the event holds: one of its streams suffices to create in (data supplement 7.4,
 * 10.2), while none is closed.
 */
export function mayWriteSeries(scope: Scope, event: EventPlace, tree: Tree): boolean {
  if (event.streamIds.some((id) => levelOn(scope, id, tree) === 'none')) return false
  return event.streamIds.some((id) => mayCreate(scope, id, tree)) || mayChangeByTags(scope, event, tree)
}

/** May put the event into these streams and take it out of them: by each of them, or by tags it has before and after. */
export function mayMoveEvent(
  scope: Scope,
  streamIds: readonly string[],
  before: EventPlace,
  after: EventPlace,
  tree: Tree,
): boolean {
  if (streamIds.every((id) => mayContribute(scope, id, tree))) return true
  return mayChangeByTags(scope, before, tree) && mayChangeByTags(scope, after, tree)
}

function mayChangeByTags(scope: Scope, { streamIds, tags }: EventPlace, tree: Tree): boolean {
  return scope.tags.size > 0 && isOpenToTags(scope, streamIds, tree) && mayContributeTags(scope, tags())
}

/** The setting of a feature: `selfRevoke`, `selfAudit`, `secretSharing`, `webhooks` (data supplement 7.5). */
export function feature(scope: Scope, name: string): FeaturePermission['setting'] {
  return scope.features.get(name) ?? 'allowed'
}
