/**
 * Items as Automerge documents; the only file that uses the library. Changes of one item converge on all nodes, whatever their
 * order. `createRecorder` encodes local edits without loading a document, from the document state stored beside the changes
 * (docState.ts, encodeChange.ts). `materialise` merges the changes of other nodes by Automerge.
 *
 * Read next: fields.ts (items as flat maps), parseChange.ts (headers of changes, and initial changes without Automerge),
 * links.ts (dependencies), validate.ts (rules for items of other nodes), eventVersions.ts (earlier versions of events).
 */
import { createRequire } from 'node:module'
import type * as AutomergeModule from '@automerge/automerge'
import { Failure } from '../../store/model/failure.js'
import type { ChangeRecorder, Item, PriorChanges } from '../../store/engine/changeRecorder.js'
import {
  creationOperations,
  decodeDocState,
  diffOps,
  encodeDocState,
  isConflictFree,
  visibleOpOf,
  streamsIn,
  visibleAfter,
  type DocState,
  type VisibleOp,
} from './docState.js'
import { compareOpIds, encodeChange, STAMP, type FieldValue, type OpId } from './encodeChange.js'
import type { Fields } from './fields.js'
import { decodeInitialChange, parseChange, type ReadChange } from './parseChange.js'
import { registersOf } from './profileDocuments.js'
import { versionsOf } from './eventVersions.js'

/** Automerge beside the bundle, set by build.js; undefined when running from the sources. */
declare const AUTOMERGE_FILE: string | undefined

const require = createRequire(import.meta.url)
let loaded: typeof AutomergeModule | undefined

/** Loads the library when changes of other nodes are first merged: local edits need none of its 13 MB. */
function automerge(): typeof AutomergeModule {
  return (loaded ??= require(typeof AUTOMERGE_FILE === 'undefined' ? '@automerge/automerge' : AUTOMERGE_FILE) as typeof AutomergeModule)
}

/** Result of materialising the changes of an item. */
export interface Materialised {
  /** Visible value of each key. */
  fields: Fields
  /** Hashes of the changes on which no other builds, sorted. */
  heads: string[]
  /** All values of keys with concurrent edits; the last is the one in `fields`. */
  conflicts: Record<string, FieldValue[]>
  /** Operations that set the values of `conflicts`, in the same order. */
  conflictOps: Record<string, OpId[]>
  /** Document state for the next local edit; see `ChangeRecorder`. */
  docState: Uint8Array
  /** Hashes of missing dependencies, sorted. Changes that build on them have no effect on the other fields. */
  missing: string[]
}

/**
 * Creates the recorder, which encodes the edits of one process as changes. `actor` is 32 lower-case hexadecimal digits,
 * random at each start of the process: a restored backup must never reuse sequence numbers. `edited` throws Failure
 * `corrupted-data` when the document state or the first change cannot be read.
 */
export function createRecorder({ actor }: { actor: string }): ChangeRecorder {
  if (!/^[0-9a-f]{32}$/.test(actor)) throw new RangeError('An actor must have 32 lower-case hexadecimal digits.')
  return {
    created: (next, generation) => encodeFirst(actorIn(actor, generation), next),
    createdByAll: (next, generation) => encodeFirst(actorIn(SHARED_ACTOR, generation), next),
    edited: (before, after, prior, isStamp) => encodeNext(actorIn(actor, prior.generation), before, after, prior, isStamp),
    streamsOf: (prior) => streamsIn(priorDocState(prior).visibleOps),
    versionsOf: (id, changes, bounds) => [...versionsOf(id, changes, bounds)].filter((version) => version !== undefined),
    registersOf,
    rootOf(change) {
      const { deps, hash } = parseChange(change)
      return deps.length === 0 ? hash : undefined
    },
  }
}

/** Actor of changes that all nodes derive identically. */
const SHARED_ACTOR = '0'.repeat(32)

/** Returns the actor for a generation of an id; each generation has its own. */
const actorIn = (actor: string, generation = 0): string => (generation === 0 ? actor : actor + generation.toString(16).padStart(8, '0'))

const priorDocState = ({ docState, initialChange: first }: PriorChanges): DocState => (docState === undefined ? docStateOf(first()) : decodeDocState(docState))

function secondsOf({ item }: Item): number {
  const seconds = Math.floor(item.modified)
  return Number.isSafeInteger(seconds) ? seconds : 0
}

function encodeFirst(actor: string, item: Item): Uint8Array {
  return encodeChange({ actor, seq: 1, startOp: 1, time: secondsOf(item), deps: [], operations: creationOperations(item) }).bytes
}

function encodeNext(actor: string, before: Item, after: Item, prior: PriorChanges, isStamp = false): ReturnType<ChangeRecorder['edited']> {
  const { heads, maxOp, seqs, visibleOps: visible } = priorDocState(prior)
  const operations = diffOps(before, after, visible)
  const seq = (seqs.get(actor) ?? 0) + 1
  const change = { actor, seq, startOp: maxOp + 1, time: secondsOf(after), deps: heads, operations, ...(isStamp ? { message: STAMP } : {}) }
  const { bytes, hash } = encodeChange(change)
  const docState = encodeDocState({
    heads: [hash],
    maxOp: maxOp + operations.length,
    seqs: new Map(seqs).set(actor, seq),
    visibleOps: visibleAfter(visible, operations, { counter: maxOp + 1, actor }),
  })
  const settles = prior.docState !== undefined && !isConflictFree(prior.docState) && isConflictFree(docState)
  return { change: bytes, docState, settles }
}

function docStateOf(first: Uint8Array): DocState {
  const { state, missing } = interpret([first])
  if (missing.length > 0) throw inconsistent('lack the first one')
  return state()
}

/**
 * Merges the changes of an item, in any order and with duplicates; `fieldsToItem` converts the fields to an item.
 * @throws Failure `corrupted-data` when a change is damaged, or the changes are inconsistent
 */
export const materialise = (changes: readonly Uint8Array[]): Materialised => materialised(interpret(changes))

/** Merges parsed changes, each once. Throws as `materialise` does. */
export const materialiseRead = (changes: readonly ReadChange[]): Materialised => materialised(interpretRead(changes))

function materialised({ fields, heads, conflicts, conflictOps, missing, state }: Interpretation): Materialised {
  let bytes: Uint8Array | undefined
  return {
    fields,
    heads,
    conflicts,
    conflictOps,
    missing,
    // Computed on demand: items of one change need none.
    get docState() {
      return (bytes ??= encodeDocState(state()))
    },
  }
}

/** Merged changes; `state` returns the state of their document. */
type Interpretation = Omit<Materialised, 'docState'> & { state(): DocState }

function interpret(changes: readonly Uint8Array[]): Interpretation {
  const byHash = new Map<string, ReadChange>()
  for (const bytes of changes) {
    const change = parseChange(bytes)
    byHash.set(change.hash, change)
  }
  return interpretRead([...byHash.values()])
}

function interpretRead(changes: readonly ReadChange[]): Interpretation {
  const [first, ...others] = changes
  const alone = first !== undefined && others.length === 0 ? decodeFirst(first) : undefined
  return alone ?? merge(changes)
}

interface Content {
  value: FieldValue
  operation: OpId
}

/** Values of each key of a document, in the order of operations. */
type Contents = Map<string, Content[]>

/**
 * Materialises a single change without loading a document. Undefined unless the change is the first of its actor, has no
 * dependencies, and sets each of its keys once.
 */
function decodeFirst(change: ReadChange): Interpretation | undefined {
  const fields = isFirst(change) ? decodeInitialChange(change.bytes) : undefined
  if (fields === undefined) return undefined
  const { actor, hash } = change
  const state = (): DocState => ({
    heads: [hash],
    visibleOps: new Map(fields.map(([key, value], i) => [key, visibleOpOf(key, value, [{ counter: i + 1, actor }])])),
    ...countersOf([change]),
  })
  return { fields: fieldsOf(fields), heads: [hash], conflicts: {}, conflictOps: {}, missing: [], state }
}

/** Returns fields as an object. With keys that were just decoded, Object.fromEntries takes three times as long. */
function fieldsOf(entries: readonly [key: string, value: FieldValue][]): Fields {
  const fields: Fields = {}
  for (const [key, value] of entries) {
    // Only fromEntries makes it a member of its own.
    if (key === '__proto__') return Object.fromEntries(entries)
    fields[key] = value
  }
  return fields
}

const isFirst = ({ deps, seq, startOp }: ReadChange): boolean => deps.length === 0 && seq === 1 && startOp === 1

/**
 * Returns the fields that a single change sets, without the state of the document.
 * @throws Failure as `materialise`
 */
export function fieldsOfFirst(bytes: Uint8Array): Fields {
  const change = parseChange(bytes)
  const fields = isFirst(change) ? decodeInitialChange(change.bytes) : undefined
  if (fields !== undefined) return fieldsOf(fields)
  const merged = materialiseRead([change])
  if (merged.missing.length > 0) throw inconsistent('lack the first one')
  return merged.fields
}

function merge(changes: readonly ReadChange[]): Interpretation {
  try {
    const { getBackend, init } = automerge()
    const document = getBackend(init())
    document.applyChanges(changes.map(({ bytes }) => bytes))
    const missing = document.getMissingDeps([]).sort()
    const applied = changes.filter(({ hash }) => missing.length === 0 || document.getChangeMetaByHash(hash) !== null)
    const contents: Contents = new Map(document.keys('_root').map((key) => [key, contentsOf(document, key)]))
    const heads = document.getHeads().sort()
    // Not in a finally block: after a failure inside the library the garbage collector frees it.
    document.free()
    return summary(contents, applied, heads, missing)
  } catch (cause) {
    throw cause instanceof Failure ? cause : inconsistent('are inconsistent', cause)
  }
}

type Backend = ReturnType<typeof AutomergeModule.getBackend>

function contentsOf(document: Backend, key: string): Content[] {
  const contents = document.getAll('_root', key).map(([type, value, id]) => {
    if (id === undefined) throw inconsistent('contain more than scalars')
    return { value: scalarOf(type, value), operation: textToOpId(id) }
  })
  return contents.sort((a, b) => compareOpIds(a.operation, b.operation))
}

/** Converts a scalar; the library returns integers as bigint or number. */
function scalarOf(type: string, value: unknown): FieldValue {
  if (type === 'int' || type === 'uint') return Number(value)
  const isPlain = type === 'str' || type === 'f64' || type === 'boolean' || type === 'null'
  if (isPlain && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')) return value
  if (isPlain && value === null) return null
  throw inconsistent('contain values other than texts, numbers, flags and null')
}

/** Parses an operation id in Automerge's form `<counter>@<actor>`. */
function textToOpId(text: string): OpId {
  const at = text.indexOf('@')
  return { counter: Number(text.slice(0, at)), actor: text.slice(at + 1) }
}

function summary(
  contents: Contents,
  applied: readonly ReadChange[],
  heads: string[],
  missing: string[],
): Interpretation {
  const fields: [string, FieldValue][] = []
  const conflicts: [string, FieldValue[]][] = []
  const conflictOps: [string, OpId[]][] = []
  const visible = new Map<string, VisibleOp>()
  for (const [key, all] of contents) {
    const last = all.at(-1)
    if (last === undefined) continue
    fields.push([key, last.value])
    const operations = all.map(({ operation }) => operation)
    if (all.length > 1) {
      conflicts.push([key, all.map(({ value }) => value)])
      conflictOps.push([key, operations])
    }
    visible.set(key, visibleOpOf(key, last.value, operations))
  }
  const docState = { heads, visibleOps: visible, ...countersOf(applied) }
  // fromEntries defines own properties, so a key named __proto__ stays data.
  return {
    ...{ fields: Object.fromEntries(fields), conflicts: Object.fromEntries(conflicts), conflictOps: Object.fromEntries(conflictOps) },
    ...{ heads: [...heads], missing, state: () => docState },
  }
}

function countersOf(changes: readonly ReadChange[]): Pick<DocState, 'maxOp' | 'seqs'> {
  const seqs = new Map<string, number>()
  let maxOp = 0
  let total = 0
  for (const { actor, seq, startOp, operations } of changes) {
    seqs.set(actor, Math.max(seq, seqs.get(actor) ?? 0))
    maxOp = Math.max(maxOp, startOp + operations - 1)
    total += operations
  }
  // Counters continue from the dependencies. A change that skips could push later ones beyond the number range.
  if (maxOp > total) throw inconsistent('have counters beyond their number of operations')
  return { maxOp, seqs }
}

const inconsistent = (why: string, cause?: unknown): Failure => {
  const failure = new Failure('corrupted-data', `The changes of an item ${why}.`)
  if (cause !== undefined) failure.cause = cause
  return failure
}

/**
 * Returns the hash of a change: SHA-256 as hexadecimal digits.
 * @throws Failure `corrupted-data` when it is not a valid single change
 */
export const changeHash = (change: Uint8Array): string => parseChange(change).hash
