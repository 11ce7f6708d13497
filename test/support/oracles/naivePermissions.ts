/**
 * Naive evaluation of docs/interface/permissions.md: no index, nothing compiled, each test by the list of permissions and a map
 * of parents. It is written from those texts alone, to check the code.
 */
import type { Level, Permission } from '../../../src/store/model/access.js'

/** Parent of every stream of an account, by id; null for roots. */
export type Parents = Pick<ReadonlyMap<string, string | null>, 'get'>

/** Permissions of an access. */
export interface Grant {
  accessId: string
  /** Undefined for personal accesses. */
  permissions: readonly Permission[] | undefined
}

/** Actions on a stream. */
export type StreamAction = 'list' | 'read' | 'create' | 'change' | 'manage'
/** Actions on an event: found by events.get, read by id, created, changed or deleted. */
export type EventAction = 'find' | 'getOne' | 'create' | 'change'

export interface NaiveEvent {
  streamIds: readonly string[]
  tags?: readonly string[]
}

/** docs/interface/permissions.md#levels, line by line. */
const ALLOWED: Record<Level, readonly StreamAction[]> = {
  none: [],
  read: ['list', 'read'],
  'create-only': ['list', 'create'],
  contribute: ['list', 'read', 'create', 'change'],
  manage: ['list', 'read', 'create', 'change', 'manage'],
}

const isAccountStream = (id: string): boolean => id.startsWith(':_system:') || id.startsWith(':system:')
const isAuditStream = (id: string): boolean => id.startsWith(':_audit:')
/** Tests for areas that `*` does not include, although they are among the account's own streams. */
const isSetApart = (id: string, parents: Parents): boolean =>
  lineOf(id, parents).some((one) => one === ':_emails:' || one === ':_shared-secrets:')

/** Parents of the streams of every account. */
const FIXED: Readonly<Record<string, string>> = {
  ':_system:language': ':_system:account',
  ':_system:storageUsed': ':_system:account',
  ':_system:dbDocuments': ':_system:storageUsed',
  ':_system:attachedFiles': ':_system:storageUsed',
  ':system:email': ':_system:account',
  ':_audit:accesses': ':_audit:',
  ':_audit:actions': ':_audit:',
}

/** Returns the stream and its ancestors, nearest first. */
export function lineOf(id: string, parents: Parents): string[] {
  let parent: string | null = parents.get(id) ?? FIXED[id] ?? null
  if (id.startsWith(':_audit:access-')) parent = ':_audit:accesses'
  if (id.startsWith(':_audit:action-')) parent = ':_audit:actions'
  return parent === null ? [id] : [id, ...lineOf(parent, parents)]
}

/** Returns the list with the injected entries before and after it (7.3), unless self-audit is forbidden (7.5). */
function withInjected({ accessId, permissions = [] }: Grant): readonly Permission[] {
  const selfAudit = permissions.filter((one) => 'feature' in one && one.feature === 'selfAudit').at(-1)
  const forbidden = selfAudit !== undefined && 'setting' in selfAudit && selfAudit.setting === 'forbidden'
  const before: Permission = { streamId: ':_system:account', level: 'none' }
  const after: Permission = { streamId: `:_audit:access-${accessId}`, level: 'read' }
  return forbidden ? [before, ...permissions] : [before, ...permissions, after]
}

/** Returns the level of the last entry for a stream; undefined when there is none. */
function entryFor(grant: Grant, id: string): Level | undefined {
  let level: Level | undefined
  for (const one of withInjected(grant)) if ('streamId' in one && one.streamId === id) level = one.level
  return level
}

/** Returns the level that applies to a stream (7.2); undefined without any entry. */
export function levelAt(grant: Grant, id: string, parents: Parents): Level | undefined {
  if (grant.permissions === undefined) return 'manage'
  for (const one of lineOf(id, parents)) {
    const level = entryFor(grant, one)
    if (level !== undefined) return level
  }
  if (isAccountStream(id) || isAuditStream(id) || isSetApart(id, parents)) return undefined
  return entryFor(grant, '*')
}

/** Tests whether an access may perform an action on a stream; `'*'` is the root of the tree. */
export function mayWithStream(grant: Grant, action: StreamAction, id: string, parents: Parents): boolean {
  const level = levelAt(grant, id, parents)
  return level !== undefined && ALLOWED[level].includes(action)
}

/** Tests whether the permissions on tags alone allow an action for an event with these tags. They add up; `*` is any tag. */
function mayByTag({ permissions = [] }: Grant, action: StreamAction, tags: readonly string[]): boolean {
  return permissions.some(
    (one) =>
      'tag' in one && (one.tag === '*' ? tags.length > 0 : tags.includes(one.tag)) && ALLOWED[one.level].includes(action),
  )
}

/** Tests whether the permissions on tags allow an action on an event, independent of its streams. */
export function isOpenByTag(grant: Grant, what: StreamAction, event: NaiveEvent, parents: Parents): boolean {
  const { streamIds, tags = [] } = event
  const levels = streamIds.map((id) => levelAt(grant, id, parents))
  // Masked events, and those in areas outside of `*`, are never opened by tags.
  if (levels.some((level) => level === 'none' || level === 'create-only')) return false
  return !streamIds.some((id) => isAccountStream(id) || isAuditStream(id)) && mayByTag(grant, what, tags)
}

/** Tests whether an access may perform an action on an event. */
export function mayWithEvent(grant: Grant, action: EventAction, event: NaiveEvent, parents: Parents): boolean {
  const { streamIds } = event
  if (grant.permissions === undefined) return true
  const levels = streamIds.map((id) => levelAt(grant, id, parents))
  const may = (what: StreamAction) => (level: Level | undefined) => level !== undefined && ALLOWED[level].includes(what)
  const isMasked = levels.some((level) => level === 'none' || level === 'create-only')
  const byTag = (what: StreamAction): boolean => isOpenByTag(grant, what, event, parents)
  switch (action) {
    case 'find':
      // 7.6, and forcedStreams of 7.5.
      return !isMasked && (levels.some(may('read')) || byTag('read')) && hasForced(grant, streamIds, parents)
    case 'getOne':
      // 2.7: only `none` refuses; the e-mails' container is for the owner alone.
      return (
        !levels.includes('none') &&
        !streamIds.some((id) => lineOf(id, parents).includes(':_emails:')) &&
        (levels.some(may('read')) || byTag('read'))
      )
    case 'create':
      return levels.every(may('create')) || byTag('create')
    case 'change':
      // 7.6: an event in a masked stream is not visible, so it cannot be changed.
      return !levels.includes('none') && (levels.some(may('change')) || byTag('change'))
  }
}

/** Tests whether an event has a stream below each of those of the feature forcedStreams. */
function hasForced({ permissions = [] }: Grant, streamIds: readonly string[], parents: Parents): boolean {
  const forced = permissions.filter((one) => 'feature' in one && one.feature === 'forcedStreams').at(-1)
  const streams: unknown = forced !== undefined && 'streams' in forced ? forced.streams : []
  if (!Array.isArray(streams)) return true
  return streams.every((wanted) => streamIds.some((id) => lineOf(id, parents).includes(String(wanted))))
}
