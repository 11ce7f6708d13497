/**
 * Notification scopes of websockets and webhooks, each under a key that its client chose
 * (docs/interface/notifications.md#scopes). Validates new scopes and compiles them to match changes.
 */
import type { JournalDetail } from '../../store/engine/journal.js'
import { Failure } from '../../store/model/failure.js'
import { isJsonObject } from '../../store/model/json.js'
import type { Scope } from '../../store/model/permission.js'
import type { Tree } from '../../store/model/tree.js'
import { accountStreamsOf } from '../api/shared/accountStreams.js'
import type { Call } from '../call/method.js'
import { previousTree } from './previousTree.js'
import type { Changes } from './notifier.js'
import { criterionOf, isScopeKind, type Criterion, type ScopeKind, type View } from './scopeCriteria.js'

/** A scope as returned to its client, with the original query. */
interface RequestedScope {
  kind: ScopeKind
  query: Record<string, unknown>
}

/** Scopes by key. Keys are free text, so the map has no prototype. */
export type ScopeMap = Record<string, RequestedScope>

/** Owner of scopes. */
export type Holder = Pick<Call, 'node' | 'account' | 'caller'>

/** Maximum number of scopes of one websocket or webhook. */
export const MAX_SCOPES = 100
const MAX_KEY_LENGTH = 256

/** Returns an empty map of scopes. */
export const noScopes = (): ScopeMap => Object.create(null) as ScopeMap

/**
 * Parses the scopes in a request, `{ <key>: { kind?, query? } }`. One invalid scope rejects all.
 * @throws Failure as `readScope`; `invalid-request-structure` also for too many
 */
export function readScopes(holder: Holder, input: unknown): ScopeMap {
  if (!isJsonObject(input)) throw refusal('Scopes must be an object of { kind, query } by key.')
  const entries = Object.entries(input)
  const scopes = noScopes()
  for (const [key, scope] of entries) addScope(holder, scopes, key, scope)
  return scopes
}

/**
 * Adds a scope of a request, replacing that of the same key.
 * @throws Failure as `readScope`; `invalid-request-structure` also for too many
 */
export function addScope(holder: Holder, scopes: ScopeMap, key: string, input: unknown): void {
  const scope = readScope(holder, key, input)
  if (!(key in scopes) && Object.keys(scopes).length >= MAX_SCOPES) {
    throw refusal(`At most ${MAX_SCOPES} scopes are allowed.`)
  }
  scopes[key] = scope
}

/**
 * Parses one scope of a request and checks that the access may see its references.
 * @throws Failure `invalid-request-structure` for its key, its kind and its streams; `invalid-parameters-format` for other
 * members of its query; `unknown-referenced-resource` for a stream that does not exist; `forbidden` for a stream that the access
 * may not read, and for scopes of accesses without a personal access
 */
function readScope(holder: Holder, key: string, input: unknown): RequestedScope {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw refusal(`The key of a scope must have 1 to ${MAX_KEY_LENGTH} characters.`)
  }
  if (!isJsonObject(input)) throw refusal('A scope must be an object { kind, query }.')
  const { kind = 'events', query = {}, ...others } = input
  const [other] = Object.keys(others)
  if (other !== undefined) throw refusal(`Unknown member "${other.slice(0, 50)}" of a scope; only kind and query are allowed.`)
  if (!isScopeKind(kind)) throw refusal('The kind of a scope must be events, streams or accesses.')
  if (!isJsonObject(query)) throw refusal('The query of a scope must be an object.')
  criterionOf(kind, query).check(viewOf(holder, holder.account.tree))
  return { kind, query }
}

const refusal = (message: string): Failure => new Failure('invalid-request-structure', message)

/** Views by tree version and access, shared by connections of one token. */
const views = new WeakMap<object, WeakMap<Scope, View>>()

function viewOf({ node, caller: { scope } }: Holder, tree: Tree): View {
  const known = views.get(tree.version) ?? new WeakMap<Scope, View>()
  const found = known.get(scope)
  if (found !== undefined) return found
  const view = { scope, tree, systemStreams: accountStreamsOf(node.systemStreams) }
  views.set(tree.version, known.set(scope, view))
  return view
}

export interface CompiledScopes {
  /**
   * Returns the keys of the scopes that match some of `part`, in map order; `changes` are all changes of the batch. Follows the
   * tree by itself.
   */
  match(changes: Changes, part?: Changes): string[]
  /** Keys of scopes that the access may not have (any more). */
  readonly dropped: readonly string[]
}

/**
 * Compiles parsed scopes for the access in its current state; recompile when it changes. Drops scopes that name hidden resources;
 * narrows others to the permissions. Deleted streams match nothing until they reappear.
 */
export function compileScopes(holder: Holder, scopes: Readonly<ScopeMap>): CompiledScopes {
  const { tree } = holder.account
  const begin = viewOf(holder, tree)
  const stored: { key: string; criterion: Criterion }[] = []
  const dropped: string[] = []
  for (const [key, { kind, query }] of Object.entries(scopes)) {
    const criterion = parseStored(kind, query)
    if (criterion === undefined || criterion.isForbidden(begin)) dropped.push(key)
    else stored.push({ key, criterion })
  }

  return {
    dropped,
    match(changes, part = changes) {
      const items = part.map(({ about }) => about).filter((about) => about !== undefined)
      if (items.length === 0 || stored.length === 0) return []
      const former = previousTree(tree, changes)
      const seen = [viewOf(holder, tree)]
      if (former !== undefined) seen.push(viewOf(holder, former))
      const isMatched = ({ criterion }: { criterion: Criterion }): boolean =>
        items.some((about: JournalDetail) => criterion.matches(about, seen))
      return stored.filter(isMatched).map(({ key }) => key)
    },
  }
}

/** Parses a stored query; undefined when this release rejects a query of an earlier one. */
function parseStored(kind: ScopeKind, query: unknown): Criterion | undefined {
  try {
    return criterionOf(kind, query)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
