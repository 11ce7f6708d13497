/** What a streams query means for one access and one tree (data supplement 2.3, 7.6). */
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

/** One query as parsed. An id ending with `!` means that stream without its descendants. Ids are of one store. */
export interface StreamsQuery {
  any: string[]
  all: string[]
  not: string[]
}

/**
 * One query with permissions and the tree applied. An event matches when a stream of it is in `any`, one is in each set
 * of `all`, and none is in `not`.
 */
export interface ResolvedStreamsQuery {
  /**
   * `everything`: every local event, and those of the account streams in `account`; nothing to look up by stream.
   * With `except`, the same, without events that are in none but these streams (which the trash hides).
   */
  any: ReadonlySet<string> | 'everything' | { except: ReadonlySet<string> }
  /** The account streams that `any` covers; also members of `any` when that is a set. */
  account: ReadonlySet<string>
  all: readonly ReadonlySet<string>[]
  not: ReadonlySet<string>
  /** Also required of the event's tags: this is what tag permissions alone open. */
  tagged?: (tags: readonly string[]) => boolean
}

/** What a query needs to know of the account streams, which live outside the tree (data supplement 5). */
export interface AccountStreams {
  /** Whether the stream is shown at all. */
  isReadable(id: string): boolean
  known(id: string): boolean
  /** Every account stream that is shown. */
  all: readonly string[]
}

export interface ExpansionContext {
  scope: Scope
  tree: Tree
  /** Which events are asked for. With `default` trashed streams are not searched. */
  state: 'default' | 'trashed' | 'all'
  systemStreams: AccountStreams
}

/** Roots of what `*` never covers. */
const secluded = [':_shared-secrets:', ':_emails:']
const auditLists = new Set([':_audit:', ':_audit:accesses', ':_audit:actions'])

/** An id of a query without the `!` that cuts its descendants off. */
export function reference(text: string): { id: string; alone: boolean } {
  return text.endsWith('!') ? { id: text.slice(0, -1), alone: true } : { id: text, alone: false }
}

/** Whether a set holds an audit stream through one of the lists above it. */
export function auditListHolds(set: ReadonlySet<string>, id: string): boolean {
  const above = auditParentOf(id.slice(':_audit:'.length))
  return set.has(':_audit:') || (above !== undefined && set.has(above))
}

/** Whether an access that is not the owner's may name a stream of secrets: its own, and the root, where it has its own. */
const mayNameSecrets = ({ accessId }: Scope, id: string): boolean =>
  id === SECRETS_ROOT || id === secretsStreamOf(accessId)

export interface Expansion {
  /** Whether a member of `any` exists and may be read. */
  judge(text: string): 'fine' | 'unknown' | 'forbidden'
  /** Expands a query whose members of `any` are judged fine. */
  resolve(query: StreamsQuery): ResolvedStreamsQuery
  /** What tag permissions add to a query; undefined when nothing: they never open a stream that is named. */
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
      // Which account streams exist is told only to those who may read them.
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

  /** The ids that a member of a query stands for, readable or not; below it, `skip` prunes. */
  function expand(text: string, skip: (id: string) => boolean = () => false): string[] {
    const { id, alone } = reference(text)
    const { store, item } = splitStorePrefix(id)
    if (store === '_system') return alone ? [id] : expandAccount(id).filter((under) => !isCut(under, id, skip))
    if (store === '_audit') return item !== '' || mayRead(scope, id, tree) ? [id] : auditEntries
    if (isSecretsStream(id)) return expandSecrets(id, alone).filter((one) => one === id || !skip(one))
    if (!tree.has(id) || !(trashed || tree.isVisible(id))) return []
    return alone ? [id] : tree.subtree(id, { trashed, skip: (stream) => isInternal(stream.id) || skip(stream.id) })
  }

  /** What is below the root of secrets is held by it; others than the owner have their own alone. */
  function expandSecrets(id: string, alone: boolean): string[] {
    if (id === SECRETS_ROOT && alone) return []
    if (scope.personal) return [id]
    return mayNameSecrets(scope, id) ? [secretsStreamOf(scope.accessId)] : []
  }

  function expandAccount(id: string): readonly string[] {
    if (id === ':_system:account') return [id, ...systemStreams.all]
    return id === ':_system:storageUsed' ? [id, ':_system:dbDocuments', ':_system:attachedFiles'] : [id]
  }

  /** Whether an account stream or one between it and `root` is skipped. */
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

  /** The local streams that `*` stands for without a reading level on `*` itself. */
  function starLocal(): string[] {
    const local = entries.filter((id) => isReachedByStar(id) && !isInternal(id))
    return [...local.flatMap((id) => expand(id)), ...openInternal()]
  }

  const starAccount = (): readonly string[] =>
    scope.personal ? systemStreams.all : entries.filter(isAccountStreamId).flatMap(expandAccount)

  /** Streams that take their events out of the answer, even where those are in other streams too. */
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

    /** What a named member stands for: itself always, below it what `not` leaves. */
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
 * Streams at level `none` or `create-only`, trashed ones too: their events are taken out of every answer
 * (data supplement 7.6). Account streams are left out: their events are in no other stream.
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
