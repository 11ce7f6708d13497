/**
 * Expands a streams query for one access and one tree (docs/interface/events.md#streams-queries,
 * docs/interface/permissions.md#read-exclusions).
 */
import { isDelegationStream } from './delegation.js'
import {
  allowsReading,
  auditParentOf,
  internalRoots,
  isInternal,
  isReachedByStar,
  mayRead,
  mayReadTags,
  parentOf,
  type Scope,
} from './permission.js'
import { isSecretsStream, SECRETS_ROOT, secretsStreamOf } from './sharedSecret.js'
import { isAccountStreamId, splitStorePrefix } from './slug.js'
import type { Tree } from './tree.js'

/** A parsed query. An id with suffix `!` excludes its descendants. All ids are of one store. */
export interface StreamsQuery {
  any: string[]
  all: string[]
  not: string[]
}

/**
 * A query with permissions and the tree applied. An event matches when one of its streams is in `any`, one is in each set
 * of `all`, and none is in `not`.
 */
export interface ResolvedStreamsQuery {
  /**
   * `everything`: all local events, and those of the account streams in `account`; no lookup by stream.
   * With `except`, the same, without events that are only in these streams (hidden by the trash).
   */
  any: ReadonlySet<string> | 'everything' | { except: ReadonlySet<string> }
  /** Account streams covered by `any`; also members of `any` when that is a set. */
  account: ReadonlySet<string>
  all: readonly ReadonlySet<string>[]
  not: ReadonlySet<string>
  /** Additional condition on the event's tags, for access through tag permissions only. */
  tagged?: (tags: readonly string[]) => boolean
}

/** Account streams for a query; they are outside the tree (docs/interface/account-streams.md). */
export interface AccountStreams {
  /** Checks whether the stream is visible at all. */
  isReadable(id: string): boolean
  known(id: string): boolean
  /** All visible account streams. */
  all: readonly string[]
}

export interface ExpansionContext {
  scope: Scope
  tree: Tree
  /** State of the requested events. With `default`, trashed streams are not searched. */
  state: 'default' | 'trashed' | 'all'
  systemStreams: AccountStreams
}

/** Roots that `*` never covers. */
const secluded = [':_shared-secrets:', ':_emails:']
const auditLists = new Set([':_audit:', ':_audit:accesses', ':_audit:actions'])

/** Splits the suffix `!` off an id of a query, which excludes descendants. */
export function reference(text: string): { id: string; alone: boolean } {
  return text.endsWith('!') ? { id: text.slice(0, -1), alone: true } : { id: text, alone: false }
}

/** Checks whether a set covers an audit stream through one of its parent lists. */
export function coversAuditStream(set: ReadonlySet<string>, id: string): boolean {
  const above = auditParentOf(id.slice(':_audit:'.length))
  return set.has(':_audit:') || (above !== undefined && set.has(above))
}

/** Checks whether a non-personal access may name a stream of secrets: its own stream and the root. */
const mayNameSecrets = ({ accessId }: Scope, id: string): boolean =>
  id === SECRETS_ROOT || id === secretsStreamOf(accessId)

export interface Expansion {
  /** Checks whether a member of `any` exists and is readable. */
  judge(text: string): 'fine' | 'unknown' | 'forbidden'
  /** Expands a query; each member of `any` must exist and be readable. */
  resolve(query: StreamsQuery): ResolvedStreamsQuery
  /** Expands the part of a query opened by tag permissions; undefined when none: they never open a named stream. */
  resolveTagged(query: StreamsQuery): ResolvedStreamsQuery | undefined
}

/** Prepares the expansion of queries in one context. */
export function createExpansion({ scope, tree, state, systemStreams }: ExpansionContext): Expansion {
  const trashed = state !== 'default'
  const masked = maskedStreams(scope, tree)
  const entries = [...scope.levels].filter(([, level]) => allowsReading(level)).map(([id]) => id)
  const auditEntries = entries.filter((id) => id.startsWith(':_audit:'))
  const starred = scope.personal || allowsReading(scope.levels.get('*'))

  function judge(text: string): 'fine' | 'unknown' | 'forbidden' {
    const { id } = reference(text)
    // Internal streams are dropped from queries rather than refused; those of delegations are never shown.
    if (id === '*' || isInternal(id) || isDelegationStream(id)) return 'fine'
    if (isSecretsStream(id)) return scope.personal || mayNameSecrets(scope, id) ? 'fine' : 'forbidden'
    const readable = mayRead(scope, id, tree)
    const { store, item } = splitStorePrefix(id)
    if (store === '_system') {
      // Only readers may learn which account streams exist.
      if (!readable) return 'forbidden'
      if (!systemStreams.known(id)) return 'unknown'
      return systemStreams.isReadable(id) ? 'fine' : 'forbidden'
    }
    if (store === '_audit') {
      if (!auditLists.has(id) && !/^(access|action)-./.test(item)) return 'unknown'
      return readable || (item === '' && auditEntries.length > 0) ? 'fine' : 'forbidden'
    }
    if (!tree.has(id)) return 'unknown'
    return readable ? 'fine' : 'forbidden'
  }

  /** Lists the ids covered by a member of a query, readable or not; `skip` prunes descendants. */
  function expand(text: string, skip: (id: string) => boolean = () => false): string[] {
    const { id, alone } = reference(text)
    const { store, item } = splitStorePrefix(id)
    if (store === '_system') return alone ? [id] : expandAccount(id).filter((under) => !isCut(under, id, skip))
    if (store === '_audit') return item !== '' || mayRead(scope, id, tree) ? [id] : auditEntries
    if (isSecretsStream(id)) return expandSecrets(id, alone).filter((one) => one === id || !skip(one))
    if (!tree.has(id) || !(trashed || tree.isVisible(id))) return []
    return alone ? [id] : tree.subtree(id, { trashed, skip: (stream) => isInternal(stream.id) || skip(stream.id) })
  }

  /** The root of secrets covers all secrets; non-personal accesses see only their own. */
  function expandSecrets(id: string, alone: boolean): string[] {
    if (id === SECRETS_ROOT && alone) return []
    if (scope.personal) return [id]
    return mayNameSecrets(scope, id) ? [secretsStreamOf(scope.accessId)] : []
  }

  function expandAccount(id: string): readonly string[] {
    if (id === ':_system:account') return [id, ...systemStreams.all]
    return id === ':_system:storageUsed' ? [id, ':_system:dbDocuments', ':_system:attachedFiles'] : [id]
  }

  /** Checks whether an account stream or one between it and `root` is skipped. */
  function isCut(under: string, root: string, skip: (id: string) => boolean): boolean {
    let id: string | undefined = under
    while (id !== undefined && id !== root) {
      if (skip(id)) return true
      id = parentOf(id, tree)
    }
    return false
  }

  const readableAccount = (ids: readonly string[]): string[] =>
    ids.filter((id) => systemStreams.isReadable(id) && mayRead(scope, id, tree))

  const openInternal = (): string[] => entries.filter(isInternal).flatMap((id) => expand(id))

  /** Lists the local streams covered by `*` without a reading level on `*` itself. */
  function starLocal(): string[] {
    const local = entries.filter((id) => isReachedByStar(id) && !isInternal(id))
    return [...local.flatMap((id) => expand(id)), ...openInternal()]
  }

  const starAccount = (): readonly string[] =>
    scope.personal ? systemStreams.all : entries.filter(isAccountStreamId).flatMap(expandAccount)

  /** Lists streams whose events are excluded from the result even if they are in other streams too. */
  function withheld(star: boolean): string[] {
    const open = new Set(star ? openInternal() : [])
    const roots = star || !scope.personal ? [...internalRoots, ...secluded] : internalRoots
    return roots.flatMap((id) => tree.subtree(id, { trashed: true })).filter((id) => !open.has(id))
  }

  function resolve({ any, all, not }: StreamsQuery): ResolvedStreamsQuery {
    const star = any.includes('*')
    const excluded = new Set(not.flatMap((text) => expand(text)))
    const subtrees = new Set(not.filter((text) => !reference(text).alone))
    const singles = new Set(not.filter((text) => reference(text).alone).map((text) => reference(text).id))

    /** Expands a named member: itself always, and its descendants that `not` leaves. */
    const below = (text: string): string[] =>
      expand(text, (id) => subtrees.has(id)).filter((id) => !singles.has(id) || id === reference(text).id)

    const named = any.filter((text) => !isInternal(reference(text).id))
    const starMembers = (): string[] => [...starAccount(), ...(starred ? [] : starLocal())]
    const covered = star ? starMembers().filter((id) => !excluded.has(id)) : named.flatMap(below)
    const account = new Set(readableAccount(covered.filter(isAccountStreamId)))
    const included = new Set(covered.filter((id) => !masked.has(id) && (!isAccountStreamId(id) || account.has(id))))
    return {
      any: !(star && starred) ? included : trashed || !tree.anyTrashed() ? 'everything' : { except: tree.hidden() },
      account,
      all: [...all, ...scope.forcedStreams].map((text) => new Set(below(text))),
      not: new Set([...excluded, ...masked, ...withheld(star)].filter((id) => !included.has(id))),
    }
  }

  function resolveTagged(query: StreamsQuery): ResolvedStreamsQuery | undefined {
    if (scope.tags.size === 0 || !query.any.includes('*')) return undefined
    const excluded = query.not.flatMap((text) => expand(text))
    return {
      any: trashed || !tree.anyTrashed() ? 'everything' : { except: tree.hidden() },
      account: new Set(),
      all: scope.forcedStreams.map((text) => new Set(expand(text))),
      not: new Set([...excluded, ...masked, ...withheld(true)]),
      tagged: (tags) => mayReadTags(scope, tags),
    }
  }

  return { judge, resolve, resolveTagged }
}

/**
 * Collects the streams at level `none` or `create-only`, including trashed ones: their events are excluded from every result
 * (docs/interface/permissions.md#read-exclusions). Account streams are omitted: their events are in no other stream.
 */
function maskedStreams(scope: Scope, tree: Tree): Set<string> {
  const masked = new Set<string>()
  const maskBelow = (id: string): void => {
    const ids = tree.subtree(id, { trashed: true, skip: (stream) => scope.levels.has(stream.id) })
    for (const under of ids) masked.add(under)
  }
  for (const [id, level] of scope.levels) {
    if (allowsReading(level) || isAccountStreamId(id)) continue
    if (id === '*') {
      const roots = tree.childrenOf(null).map((stream) => stream.id)
      for (const root of roots) if (isReachedByStar(root) && !scope.levels.has(root)) maskBelow(root)
    } else {
      masked.add(id)
      maskBelow(id)
    }
  }
  return masked
}
