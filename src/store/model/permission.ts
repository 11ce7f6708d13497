/** Evaluates the permissions of an access on streams, tags and events (docs/interface/permissions.md). Shared by all methods. */
import { auditStreamOfAccess } from './auditStreams.js'
import type { Access, FeaturePermission, Level, Permission, TagPermission } from './access.js'
import { CMC_INTERNAL } from './cmc.js'
import { capabilityOf } from './consentAccess.js'
import type { Event } from './event.js'
import { isAccountStreamId, splitStorePrefix } from './slug.js'
import type { Tree } from './tree.js'

/** The members of an access that determine its rights. */
type Holder = Pick<Access, 'id' | 'type' | 'permissions' | 'clientData'>

/** Compiled permissions of an access. */
export interface Scope {
  readonly accessId: string
  /** Personal accesses manage everything, regardless of permissions. */
  readonly personal: boolean
  /** Level by stream id, `*` for all, injected entries included. Empty for personal accesses. */
  readonly levels: ReadonlyMap<string, Level>
  /** Level by tag, `*` for all (deprecated). */
  readonly tags: ReadonlyMap<string, TagPermission['level']>
  readonly features: ReadonlyMap<string, FeaturePermission['setting']>
  /** Streams required by `forcedStreams`: each event read must be in one of each (docs/interface/permissions.md#features). */
  readonly forcedStreams: readonly string[]
}

/**
 * Returns the permissions as shown by access-info: stored ones plus injected ones
 * (docs/interface/permissions.md#injected-permissions). Undefined for personal accesses. Without `audit` (disabled on the node)
 * no access sees its own audit stream.
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
 * Compiles the permissions of an access; the last entry for a stream, tag or feature wins. Entries for node-internal streams
 * apply only to capability links (docs/interface/consents.md#streams).
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
 * Returns the level of an access on a stream: its own entry, else that of the nearest ancestor, else that of `*` within its reach
 * (docs/interface/permissions.md#evaluation). Undefined without permission. For `'*'` itself, its own level.
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

/** Returns the parent id of a stream, including the account and audit stores, which are outside the account's tree. */
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

/** Returns the parent of an item of the audit store; its lists contain one stream per access and per method. */
export function auditParentOf(item: string): string | undefined {
  if (item === '') return undefined
  if (item.startsWith('access-')) return ':_audit:accesses'
  return item.startsWith('action-') ? ':_audit:actions' : ':_audit:'
}

/**
 * Checks whether a permission or query on `*` covers an id: not in other stores, nor in the areas of secrets and e-mails, which
 * must be named (docs/interface/events.md#streams-queries, docs/interface/permissions.md#evaluation).
 */
export function isReachedByStar(id: string): boolean {
  if (!id.startsWith(':')) return true
  if (id.startsWith(':_shared-secrets:') || id.startsWith(':_emails:') || isAccountStreamId(id)) return false
  return splitStorePrefix(id).store === 'local'
}

/**
 * Checks whether a level allows reading events. `create-only` shows the stream, not its events
 * (docs/interface/permissions.md#levels).
 */
export function allowsReading(level: Level | undefined): boolean {
  return level === 'read' || level === 'contribute' || level === 'manage'
}

/** Checks whether the scope may read the stream's events. */
export function mayRead(scope: Scope, streamId: string, tree: Tree): boolean {
  return allowsReading(levelOn(scope, streamId, tree))
}

/** Checks whether the scope may create events in the stream. */
export function mayCreate(scope: Scope, streamId: string, tree: Tree): boolean {
  const level = levelOn(scope, streamId, tree)
  return level === 'create-only' || level === 'contribute' || level === 'manage'
}

/** Checks whether the scope may change and delete the stream's events. */
export function mayContribute(scope: Scope, streamId: string, tree: Tree): boolean {
  const level = levelOn(scope, streamId, tree)
  return level === 'contribute' || level === 'manage'
}

/** Checks whether the scope may change the stream and create child streams; for `'*'`, create root streams. */
export function mayManage(scope: Scope, streamId: string, tree: Tree): boolean {
  return levelOn(scope, streamId, tree) === 'manage'
}

/** Checks whether the scope may see the stream in streams.get: any level but `none`. */
export function mayList(scope: Scope, streamId: string, tree: Tree): boolean {
  const level = levelOn(scope, streamId, tree)
  return level !== undefined && level !== 'none'
}

/**
 * Returns the level of an access on a tag: the sum of its own entry and that of `*`. The level `none`, no longer granted,
 * excludes the tag from `*`.
 */
export function levelOnTag(scope: Scope, tag: string): Level | undefined {
  const own = scope.tags.get(tag)
  const star = scope.tags.get('*')
  if (own === undefined || star === undefined || own === 'none') return own ?? star
  return own === 'read' ? star : own
}

/** Checks whether tag permissions alone allow reading an event with these tags. */
export function mayReadTags(scope: Scope, tags: readonly string[]): boolean {
  return scope.personal || tags.some((tag) => allowsReading(levelOnTag(scope, tag)))
}

function mayContributeTags(scope: Scope, tags: readonly string[]): boolean {
  return tags.some((tag) => {
    const level = levelOnTag(scope, tag)
    return level === 'contribute' || level === 'manage'
  })
}

/** Roots of node-internal streams, visible only to an access with an entry for the exact stream. */
const internal = [CMC_INTERNAL, ':_delegation:_internal']

/** Checks whether a stream is node-internal. */
export function isInternal(id: string): boolean {
  return id.startsWith(':') && internal.some((root) => id === root || id.startsWith(root + ':'))
}

/** Roots of the node-internal streams. */
export const internalRoots: readonly string[] = internal

/**
 * Checks whether a stream hides its events from tag permissions: it has a level without reading, or it is in an area that
 * must be named and is not. All account and audit streams are.
 */
function isClosedToTags(scope: Scope, streamId: string, tree: Tree): boolean {
  if (isAccountStreamId(streamId) || splitStorePrefix(streamId).store !== 'local') return true
  const level = levelOn(scope, streamId, tree)
  if (level !== undefined && !allowsReading(level)) return true
  if (isInternal(streamId)) return !scope.levels.has(streamId)
  return level === undefined && !isReachedFromRoot(streamId, tree)
}

/** Checks whether the stream and its ancestors are all outside areas that must be named. */
function isReachedFromRoot(streamId: string, tree: Tree): boolean {
  if (!isReachedByStar(streamId)) return false
  for (const { id } of tree.ancestors(streamId)) if (!isReachedByStar(id)) return false
  return true
}

const isOpenToTags = (scope: Scope, streamIds: readonly string[], tree: Tree): boolean =>
  !streamIds.some((id) => isClosedToTags(scope, id, tree))

/** Streams and tags of an event for permission checks. Tags are read only if tag permissions decide. */
export interface EventPlace {
  streamIds: readonly string[]
  tags: () => readonly string[]
}

/** Returns the place of an event. */
export const eventPlace = ({ streamIds, tags }: Pick<Event, 'streamIds' | 'tags'>): EventPlace => ({ streamIds, tags: () => tags })

/**
 * Checks whether the scope may read the event: by one of its streams unless one is `none`, or by a tag
 * (docs/interface/permissions.md#required-levels, docs/interface/permissions.md#read-exclusions).
 */
export function mayReadEvent(scope: Scope, { streamIds, tags }: EventPlace, tree: Tree): boolean {
  if (scope.personal) return true
  if (streamIds.some((id) => mayRead(scope, id, tree))) {
    return !streamIds.some((id) => levelOn(scope, id, tree) === 'none' || tree.isUnder(id, ':_emails:'))
  }
  return scope.tags.size > 0 && isOpenToTags(scope, streamIds, tree) && mayReadTags(scope, tags())
}

/** Checks whether the scope may create the event: in every one of its streams, or by a tag. */
export function mayCreateEvent(scope: Scope, event: EventPlace, tree: Tree): boolean {
  return event.streamIds.every((id) => mayCreate(scope, id, tree)) || mayChangeByTags(scope, event, tree)
}

/** Checks whether the scope may change and delete the event: by one of its streams unless one is `none`, or by a tag. */
export function mayChangeEvent(scope: Scope, event: EventPlace, tree: Tree): boolean {
  // The response to a change contains the event, so an unreadable event must not be changed.
  if (event.streamIds.some((id) => levelOn(scope, id, tree) === 'none')) return false
  return event.streamIds.some((id) => mayContribute(scope, id, tree)) || mayChangeByTags(scope, event, tree)
}

/**
 * Checks whether the scope may add points to the series of an event: create rights in one of its streams suffice
 * (docs/interface/permissions.md#required-levels, docs/interface/series.md#writing), unless one is `none`.
 */
export function mayWriteSeries(scope: Scope, event: EventPlace, tree: Tree): boolean {
  if (event.streamIds.some((id) => levelOn(scope, id, tree) === 'none')) return false
  return event.streamIds.some((id) => mayCreate(scope, id, tree)) || mayChangeByTags(scope, event, tree)
}

/** Checks whether the scope may add the event to these streams or remove it: by each of them, or by tags before and after. */
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

/**
 * Returns the setting of a feature: `selfRevoke`, `selfAudit`, `secretSharing`, `webhooks`
 * (docs/interface/permissions.md#features).
 */
export function feature(scope: Scope, name: string): FeaturePermission['setting'] {
  return scope.features.get(name) ?? 'allowed'
}
