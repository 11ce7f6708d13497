/**
 * Scopes: which changes a websocket or a webhook is told of, each under a key that its client chose (specification,
 * "Events"; data supplement 8.2, 9.4). Here they are checked when they are set, and compiled to match changes.
 */
import type { JournalDetail } from '../../store/engine/journal.js'
import { Failure } from '../../store/model/failure.js'
import type { Scope } from '../../store/model/permission.js'
import type { Tree } from '../../store/model/tree.js'
import { accountStreamsOf } from '../accountStreams.js'
import type { Call } from '../method.js'
import { previousTree } from './previousTree.js'
import type { Changes } from './notifier.js'
import { criterionOf, isScopeKind, type Criterion, type ScopeKind, type View } from './scopeCriteria.js'

/** A scope as its client gets it back: the query is the client's own. */
export interface AskedScope {
  kind: ScopeKind
  query: Record<string, unknown>
}

/** Scopes by key. Keys are free text: the map has no prototype. */
export type ScopeMap = Record<string, AskedScope>

/** Whose scopes they are. */
export type Holder = Pick<Call, 'node' | 'account' | 'caller'>

/** How many scopes one websocket or webhook may have. */
export const MAX_SCOPES = 100
const MAX_KEY_LENGTH = 256

/** A map for scopes. */
export const noScopes = (): ScopeMap => Object.create(null) as ScopeMap

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The scopes that a client asks for, `{ <key>: { kind?, query? } }`. All are refused with the first that is.
 * @throws Failure as `readScope`; `invalid-request-structure` also for too many
 */
export function readScopes(holder: Holder, input: unknown): ScopeMap {
  if (!isObject(input)) throw refusal('Scopes are an object of { kind, query } by key.')
  const entries = Object.entries(input)
  const scopes = noScopes()
  for (const [key, scope] of entries) addScope(holder, scopes, key, scope)
  return scopes
}

/**
 * Adds one scope that a client asks for, in place of that of the same key.
 * @throws Failure as `readScope`; `invalid-request-structure` also for too many
 */
export function addScope(holder: Holder, scopes: ScopeMap, key: string, input: unknown): void {
  const scope = readScope(holder, key, input)
  if (!(key in scopes) && Object.keys(scopes).length >= MAX_SCOPES) {
    throw refusal(`There may be ${MAX_SCOPES} scopes at most.`)
  }
  scopes[key] = scope
}

/**
 * One scope that a client asks for: its form, and whether the access may see what it names.
 * @throws Failure `invalid-request-structure` for its key, its kind and its streams; `invalid-parameters-format` for
 *   other members of its query; `unknown-referenced-resource` for a stream that does not exist; `forbidden` for one
 *   that the access may not read, and for scopes of accesses that are not asked for by a personal access
 */
function readScope(holder: Holder, key: string, input: unknown): AskedScope {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw refusal(`The key of a scope has 1 to ${MAX_KEY_LENGTH} characters.`)
  }
  if (!isObject(input)) throw refusal('A scope is an object { kind, query }.')
  const { kind = 'events', query = {}, ...others } = input
  const [other] = Object.keys(others)
  if (other !== undefined) throw refusal(`A scope has no "${other.slice(0, 50)}", only kind and query.`)
  if (!isScopeKind(kind)) throw refusal('The kind of a scope is events, streams or accesses.')
  if (!isObject(query)) throw refusal('The query of a scope is an object.')
  criterionOf(kind, query).check(viewOf(holder, holder.account.tree))
  return { kind, query }
}

const refusal = (message: string): Failure => new Failure('invalid-request-structure', message)

/** Views by version of the tree and by access: connections of one token share what is worked out for them. */
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
   * The keys of the scopes that some of `part` match, in the order of the map; `changes` are all that are told of together.
   * Follows the tree by itself.
   */
  match(changes: Changes, part?: Changes): string[]
  /** Keys of scopes that the access may not have (any more). */
  readonly dropped: readonly string[]
}

/**
 * Compiles scopes that were read before, for the access as it is now; when that changes they are compiled again. A scope
 * that names what the access may not see is dropped; others are narrowed by its permissions. Streams that are named and
 * gone match nothing, until they come again.
 */
export function compileScopes(holder: Holder, scopes: Readonly<ScopeMap>): CompiledScopes {
  const { tree } = holder.account
  const begin = viewOf(holder, tree)
  const stored: { key: string; criterion: Criterion }[] = []
  const dropped: string[] = []
  for (const [key, { kind, query }] of Object.entries(scopes)) {
    const criterion = readAgain(kind, query)
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

/** A query that an earlier release kept may be none that this one reads. */
function readAgain(kind: ScopeKind, query: unknown): Criterion | undefined {
  try {
    return criterionOf(kind, query)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
