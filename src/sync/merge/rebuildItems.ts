/**
 * Restores items of which only changes or only a record are left, through the code that normally writes them. Complete
 * changes are materialised; otherwise the record is written as a new item.
 */
import { randomBytes } from 'node:crypto'
import type { Account, Transaction } from '../../store/engine/account.js'
import { each } from '../../store/engine/database.js'
import { addEvent, findEvent, replaceEvent } from '../../store/events/events.js'
import { accountKeys, under } from '../../store/engine/keys.js'
import { resolveEventStreams } from '../../store/streams/effectiveStreams.js'
import type { Event } from '../../store/model/event.js'
import { eventIntegrity, type IntegrityAlgorithm } from '../../store/model/integrity.js'
import type { OpenedStore } from '../../store/engine/open.js'
import { mergeRegisters, putProfile, createProfile } from '../../store/accounts/profiles.js'
import type { Remains } from '../../store/repair/extractItems.js'
import type { Seal } from '../../store/keyring/seal.js'
import { createStoreView, type Store } from '../../store/index.js'
import { addStream } from '../../store/streams/streams.js'
import { createRecorder } from '../crdt/document.js'
import type { MergerOptions, MergeStep } from './context.js'
import { materialiseAll, type AppliedChanges } from './applyChanges.js'
import { mergeEvent } from './events.js'
import { mergeStreams } from './streams.js'

/** Source from which an item was restored; `nothing` when there was none. */
type RebuiltItems = 'changes' | 'record' | 'nothing'

export interface RebuildOptions {
  opened: OpenedStore
  seal: Seal
  /** Algorithm of event integrity; undefined when it is off. */
  integrity: IntegrityAlgorithm | undefined
  /** Seconds. */
  now(): number
}

/** Number that no peer has: restored items have no origin. */
const NO_PEER = 0
/** Number of items written together. */
const AT_ONCE = 64

/**
 * Restores items, streams first, since events are indexed under them. `mayUseChanges` is false for items whose changes
 * failed before. Returns the source of each, in order. Accounts in `epochs` begin a new epoch, so that peers that read their
 * journals detect the change of history.
 */
export async function rebuildItems(
  options: RebuildOptions,
  remains: readonly { of: Remains; mayUseChanges: boolean }[],
  epochs: Iterable<string> = [],
): Promise<RebuiltItems[]> {
  const store = await createStoreView(options.opened, options.seal, createRecorder({ actor: randomBytes(16).toString('hex') }))
  try {
    const order = [...remains.keys()].sort((a, b) => rank(remains[a]) - rank(remains[b]))
    const made: RebuiltItems[] = []
    for (let from = 0; from < order.length; from += AT_ONCE) {
      const group = order.slice(from, from + AT_ONCE)
      const accounts = await Promise.all(group.map((at) => store.account(remains[at]?.of.broken.account ?? '')))
      // Staged in order, and written together.
      await Promise.all(
        group.map(async (at, i) => {
          const [one, account] = [remains[at], accounts[i]]
          if (one === undefined || account === undefined) return
          made[at] = await account.write((t) => restoreItem({ store, options, account, t }, one.of, one.mayUseChanges))
        }),
      )
    }
    for (const prefix of epochs) await (await store.account(prefix)).beginEpoch()
    await store.settled()
    return made
  } finally {
    await store.close()
  }
}

const rank = (one: { of: Remains } | undefined): number => (one?.of.broken.kind === 'stream' ? 0 : 1)

interface Work {
  store: Store
  options: RebuildOptions
  account: Account
  t: Transaction
}

function restoreItem(work: Work, { broken, changes, record, profile, files, isDeleted }: Remains, mayUseChanges: boolean): RebuiltItems {
  const { store, account, t } = work
  const { kind, id } = broken
  if (isDeleted) return 'record'
  const ready = mayUseChanges ? materialiseRemains(broken, changes) : undefined
  const step = stepOf(work)
  if (ready !== undefined && kind === 'event') {
    if (mergeEvent(step, { kind, id, changes: ready.changes, files }, ready).is === 'applied') return 'changes'
  } else if (ready !== undefined && kind === 'stream') {
    if (mergeStreams(step, [{ kind, id, changes: ready.changes }])[0]?.is === 'applied') return 'changes'
  } else if (profile !== undefined) {
    createProfile(t, profile)
    return 'record'
  } else if (ready?.declared.kind === 'profile') {
    mergeRegisters(t, id, undefined, { modified: ready.declared.item.modified, registers: store.recorder.registersOf(id, changes) }, NO_PEER)
    return 'changes'
  }
  if (record === undefined) return 'nothing'
  if (record.kind === 'stream') addStream(account, t, store.recorder, record.item)
  else if (record.kind === 'profile') putProfile(t, undefined, record.item)
  else addEvent(t, store.recorder, writableEvent(work, record.item, files), files)
  return 'record'
}

/** Returns an event that can be written: in existing streams, with the files whose digests are known. */
function writableEvent({ store, options, account, t }: Work, event: Event, files: ReadonlyMap<string, string>): Event {
  const { integrity: _, attachments, ...rest } = event
  const streamIds = resolveEventStreams(account, t, store.recorder, event.id, event.streamIds, options.now())
  const named = (attachments ?? []).filter(({ id }) => files.has(id))
  const stored: Event = { ...rest, streamIds, ...(named.length === 0 ? {} : { attachments: named }) }
  return options.integrity === undefined ? stored : { ...stored, integrity: eventIntegrity(stored, options.integrity) }
}

/** Materialises the changes of an item; undefined when some are missing or damaged. */
function materialiseRemains({ kind, id }: Remains['broken'], changes: readonly Uint8Array[]): AppliedChanges | undefined {
  try {
    return materialiseAll(kind, id, changes)
  } catch {
    return undefined
  }
}

function stepOf({ store, options, account, t }: Work): MergeStep {
  const { integrity, now } = options
  const retention = { deletionMode: 'keep-nothing' as const, ...(integrity === undefined ? {} : { integrity }) }
  const never = (): never => {
    throw new Error('Only documents can be restored.')
  }
  const merging: MergerOptions = {
    store,
    types: { check: () => undefined, seriesType: () => undefined },
    keeping: () => retention,
    now,
    // The caller handles missing files.
    noteMissingFile: () => {},
    mergeAccess: never,
    mergeSeries: never,
  }
  return { account, t, from: { peer: NO_PEER, scope: { is: 'mirror' } }, options: merging, now: now() }
}

/** Removes files without bytes from events, as their owners would. */
export async function dropFiles(options: RebuildOptions, files: readonly { account: string; event: string; digest: string }[]): Promise<void> {
  const store = await createStoreView(options.opened, options.seal, createRecorder({ actor: randomBytes(16).toString('hex') }))
  try {
    for (const { account: prefix, digest } of files) {
      const account = await store.account(prefix)
      const events = await eventsWith(account, digest)
      await account.write((t) => {
        for (const id of events) dropFile({ store, options, account, t }, id, digest)
      })
    }
    await store.settled()
  } finally {
    await store.close()
  }
}

async function eventsWith({ db, prefix }: Account, digest: string): Promise<Set<string>> {
  const events = new Set<string>()
  const references = `${accountKeys.fileReferencesTo(prefix, digest)}/`
  for await (const key of each(db.keys(under(references)))) events.add(key.slice(references.length).split('/')[0] ?? '')
  return events
}

function dropFile({ store, options, t }: Work, id: string, digest: string): void {
  const before = findEvent(t, t.account, id)
  if (before === undefined) return
  const { integrity: _, attachments = [], ...rest } = before
  const left = attachments.filter((file) => t.get(accountKeys.fileDigest(t.account, id, file.id)) !== digest)
  const after: Event = { ...rest, ...(left.length === 0 ? {} : { attachments: left }) }
  if (options.integrity !== undefined) after.integrity = eventIntegrity(after, options.integrity)
  replaceEvent(t, store.recorder, before, after)
}
