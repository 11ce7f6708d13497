/**
 * Account in memory, with the parts of a store that sessions need: items are sets of changes, each a text `name` or
 * `name<dependency`; a series is a list of stamps; a file is its bytes.
 */
import { hash, randomUUID } from 'node:crypto'
import { WantedCount } from '../../../src/store/engine/wantedCount.js'
import { deletionElement, itemHash, zeroDigest, seriesVersionElement, textElement, xorInto, type DigestElement } from '../../../src/store/model/digestElement.js'
import { itemKey, type Entry, type ItemKind, type ItemRef, type Outcome } from '../../../src/sync/wire/entry.js'
import { mayReceive, type Scope } from '../../../src/store/replication/peers.js'
import type { FeedEntry, ItemSet, Position } from '../../../src/sync/wire/itemSet.js'
import type { Replica, PartialFile } from '../../../src/sync/session/replica.js'
import { createReconciler } from '../../../src/sync/digest/reconcile.js'

interface FakeItem {
  ref: ItemRef
  changes: Set<string>
  deleted?: number
  reaches: Map<string, number>
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const bytes = (of: string): Uint8Array => new Uint8Array(Buffer.from(of))
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class FakeAccount {
  readonly items = new Map<string, FakeItem>()
  journal: FeedEntry[] = []
  readonly positions = new Map<number, Position>()
  readonly pendingFetch = new Map<number, Map<string, ItemRef>>()
  readonly files = new Map<string, Uint8Array>()
  readonly wanted = new Map<string, number>()
  readonly parts = new Map<string, Buffer>()
  readonly noted = new Set<string>()
  /** Names of items that exceed a limit of the protocol. */
  readonly aside = new Set<string>()
  epochs: { id: string; until?: number }[]
  readonly #listeners = new Set<(entries: readonly FeedEntry[], upTo: number) => void>()
  /** Entries passed to `take`, by kind of outcome. */
  readonly outcomes = { applied: 0, known: 0, incomplete: 0, refused: 0 }
  /** Number of applications of each change. */
  readonly applied = new Map<string, number>()
  /** Sequence of the latest entry of each event; rebuilt for a copied journal. */
  readonly latest = new Map<string, number>()
  /** Streams of events, where a test needs them. */
  readonly places = new Map<string, string[]>()
  /** Items within the share. */
  inScope: (item: ItemRef) => boolean = () => true
  /** Milliseconds that each group takes to apply. */
  slow = 0

  constructor(readonly name: string) {
    this.epochs = [{ id: `${name}0` }]
  }

  restart(): void {
    const last = this.epochs.at(-1)
    if (last !== undefined) last.until = this.journal.length + 1
    this.epochs.push({ id: `${this.name}${this.epochs.length}.${randomUUID()}` })
    this.#listeners.clear()
  }

  item(ref: ItemRef): FakeItem {
    let item = this.items.get(itemKey(ref))
    if (item === undefined) {
      item = { ref: { kind: ref.kind, id: ref.id }, changes: new Set(), reaches: new Map() }
      this.items.set(itemKey(ref), item)
    }
    return item
  }

  /** Commits changes of an item. */
  commit(entries: readonly Omit<FeedEntry, 'sequence'>[]): void {
    const numbered = entries.map((entry, i) => ({ ...entry, sequence: this.journal.length + 1 + i }))
    this.journal.push(...numbered)
    for (const { kind, id, sequence } of numbered) if (kind === 'event') this.latest.set(id, sequence)
    for (const listener of this.#listeners) listener(numbered, this.journal.length)
  }

  write(kind: ItemKind, id: string, change: string, origin?: number): void {
    this.item({ kind, id }).changes.add(change)
    this.commit([{ kind, id, action: 'update', change: bytes(change), ...(origin === undefined ? {} : { origin }) }])
  }

  delete(id: string, deleted: number): void {
    const item = this.item({ kind: 'event', id })
    item.changes.clear()
    item.deleted = deleted
    this.journal = this.journal.map((entry) => (entry.id === id ? { ...entry, change: new Uint8Array(0) } : entry))
    this.commit([{ kind: 'event', id, action: 'delete', change: bytes('x') }])
  }

  /** Writes points; followers are notified, readers of the journal are not. */
  points(id: string, actor: string, time: number): void {
    const { reaches } = this.item({ kind: 'series', id })
    const previous = reaches.get(actor) ?? 0
    reaches.set(actor, time)
    const points = { actor, time, previous, segments: [bytes(`${actor}${time}`)] }
    const entry = { kind: 'series' as const, id, action: 'update' as const, change: bytes('x') }
    this.journal.push({ ...entry, sequence: this.journal.length + 1 })
    for (const listener of this.#listeners) {
      listener([{ ...entry, sequence: this.journal.length, about: { points } }], this.journal.length)
    }
  }

  stateOf({ ref, changes, deleted, reaches }: FakeItem): DigestElement {
    const state = zeroDigest()
    const name = itemKey(ref)
    for (const change of changes) xorInto(state, textElement(name, change))
    if (deleted !== undefined) xorInto(state, deletionElement(name, deleted))
    for (const [actor, time] of reaches) xorInto(state, seriesVersionElement(name, actor, time))
    return state
  }

  /** Returns the whole content, to compare two accounts. */
  shown(): Record<string, unknown> {
    const shown: [string, unknown][] = [...this.items].map(([name, { changes, deleted, reaches }]) => [
      name,
      { changes: [...changes].sort(), deleted, reaches: [...reaches].sort() },
    ])
    return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  set(chosen: (item: ItemRef) => boolean): ItemSet {
    const states = (prefix: string): { item: ItemRef; state: DigestElement }[] =>
      [...this.items.values()]
        .filter(({ ref }) => chosen(ref) && itemHash(itemKey(ref)).toString(16).padStart(8, '0').startsWith(prefix))
        .map((item) => ({ item: item.ref, state: this.stateOf(item) }))
        .filter(({ state }) => state.some((byte) => byte > 0))
    const sum = (prefix: string): DigestElement => {
      const total = zeroDigest()
      for (const { state } of states(prefix)) xorInto(total, state)
      return total
    }
    return {
      digest: () => Promise.resolve({ state: sum(''), sequence: this.journal.length }),
      parts: (prefix) => Promise.resolve(Array.from({ length: 16 }, (_, digit) => sum(prefix + digit.toString(16)))),
      items: (prefix) => Promise.resolve(states(prefix)),
    }
  }

  apply(entry: Entry, origin: number, scope: Scope): Outcome {
    if ('withdrawn' in entry) {
      const { kind, id } = entry
      const decides = scope.is === 'share' && scope.grantor === 'us'
      if (decides && this.items.has(itemKey(entry)) && this.inScope({ kind, id })) return { is: 'refused', reason: 'out-of-scope', message: 'It is shared.' }
      if (decides) {
        this.noted.delete(itemKey(entry))
        return { is: 'known' }
      }
      const existed = this.items.delete(itemKey(entry))
      this.noted.delete(itemKey(entry))
      return { is: existed ? 'applied' : 'known' }
    }
    const item = this.item(entry)
    if ('deleted' in entry) {
      if (item.deleted !== undefined) return { is: 'known' }
      item.deleted = entry.deleted
      item.changes.clear()
      this.commit([{ kind: entry.kind, id: entry.id, action: 'delete', change: bytes('x'), origin }])
      return { is: 'applied' }
    }
    if ('segments' in entry) {
      const reach = item.reaches.get(entry.actor) ?? 0
      if (entry.upTo <= reach) return { is: 'known' }
      if (entry.after > reach) return { is: 'incomplete' }
      item.reaches.set(entry.actor, entry.upTo)
      this.commit([{ kind: 'series', id: entry.id, action: 'update', change: bytes('x'), origin }])
      return { is: 'applied' }
    }
    if (!('changes' in entry) || item.deleted !== undefined) return { is: 'known' }
    const fresh = entry.changes.map(text).filter((change) => !item.changes.has(change))
    if (fresh.length === 0) return { is: 'known' }
    if (fresh.some((change) => change.startsWith('bad'))) return { is: 'refused', reason: 'invalid', message: 'It is bad.' }
    const all = new Set([...item.changes, ...fresh].map((change) => change.split('<')[0]))
    for (const change of fresh) {
      const dependency = change.split('<')[1]
      if (dependency !== undefined && !all.has(dependency)) return { is: 'incomplete' }
    }
    for (const change of fresh) {
      item.changes.add(change)
      const name = `${itemKey(entry)} ${change}`
      this.applied.set(name, (this.applied.get(name) ?? 0) + 1)
    }
    for (const digest of entry.files?.values() ?? []) if (!this.files.has(digest)) this.want(digest, 300_000)
    this.commit(fresh.map((change) => ({ kind: entry.kind, id: entry.id, action: 'update', change: bytes(change), origin })))
    return { is: 'applied' }
  }

  replica(peer: number, scope: Scope = { is: 'mirror' }): Replica {
    const pendingFetch = this.pendingFetch.get(peer) ?? new Map<string, ItemRef>()
    this.pendingFetch.set(peer, pendingFetch)
    const isShare = scope.is === 'share'
    const set = this.set(isShare ? (ref) => this.noted.has(itemKey(ref)) : () => true)
    const epoch = (): string => this.epochs.at(-1)?.id ?? ''
    const read = (ref: ItemRef, reaches?: ReadonlyMap<string, number>): Entry[] => {
      const item = this.items.get(itemKey(ref))
      if (item === undefined) return []
      const { kind, id } = ref
      if (kind === 'series') {
        return [...item.reaches].map(([actor, upTo]) => {
          return { kind, id, actor, after: reaches?.get(actor) ?? 0, upTo, segments: [bytes(actor)] }
        })
      }
      if (item.deleted !== undefined) return [{ kind: 'event', id, deleted: item.deleted }]
      if (kind === 'access' || item.changes.size === 0) return []
      const files = new Map([...item.changes].filter((one) => one.startsWith('a:')).map((one) => [one, one.slice(2, 66)]))
      return [{ kind, id, changes: [...item.changes].map(bytes), ...(files.size > 0 ? { files } : {}) } as Entry]
    }
    return {
      scope,
      peer,
      set,
      aside: {
        has: (item) => this.aside.has(itemKey(item)),
        note: async (items) => items.forEach(({ item }) => void this.aside.add(itemKey(item))),
        forget: async (items) => items.forEach((item) => void this.aside.delete(itemKey(item))),
        list: () => Promise.resolve([]),
      },
      feed: {
        position: () => Promise.resolve({ epoch: epoch(), sequence: this.journal.length }),
        positionOf: (sequence) => Promise.resolve({ epoch: epoch(), sequence }),
        knows: (position) => {
          const known = this.epochs.find(({ id }) => id === position.epoch)
          return known !== undefined && position.sequence < (known.until ?? this.journal.length + 1)
        },
        read: async (after, limit) => {
          await turn()
          const page = this.journal.slice(after, after + limit)
          return { entries: page.filter(({ change }) => change.length > 0), upTo: after + page.length }
        },
        follow: (listener) => {
          this.#listeners.add(listener)
          return () => void this.#listeners.delete(listener)
        },
        behind: (after) => this.journal.length - after,
        staged: () => this.journal.length,
      },
      reconciler: () => createReconciler(set),
      verify: () => Promise.resolve(),
      read: (item, reaches) => Promise.resolve(read(item, reaches)),
      versionVector: (event) => Promise.resolve(new Map(this.items.get(`m${event}`)?.reaches)),
      filesOf: (event) => {
        const [entry] = read({ kind: 'event', id: event })
        return entry !== undefined && 'files' in entry ? entry.files : undefined
      },
      stateOf: (event) => this.stateOf(this.items.get(`e${event}`) ?? { ref: { kind: 'event', id: event }, changes: new Set(), reaches: new Map() }),
      latestOf: (event) =>
        this.latest.get(event) ?? this.journal.findLast(({ kind, id }) => kind === 'event' && id === event)?.sequence,
      streamsBehind: (event, sequence) =>
        (this.places.get(event) ?? []).filter((id) => this.journal.slice(sequence).some((entry) => entry.kind === 'stream' && entry.id === id)),
      originAt: (sequence) => this.journal[sequence - 1]?.origin,
      receivedPosition: () => Promise.resolve(this.positions.get(peer)),
      note: (position) => void this.positions.set(peer, position),
      pendingFetch: async (limit) => {
        await turn()
        return [...pendingFetch.values()].slice(0, limit)
      },
      merge: async (entries, notes) => {
        await (this.slow > 0 ? new Promise((resolve) => setTimeout(resolve, this.slow)) : turn())
        // From here on all or nothing: after a crash, the group is complete or absent.
        const outcomes = entries.map((entry): Outcome =>
          mayReceive(scope) ? this.apply(entry, peer, scope) : { is: 'refused', reason: 'out-of-scope', message: 'It may not.' },
        )
        for (const { is } of outcomes) this.outcomes[is] += 1
        for (const item of notes.settled ?? []) pendingFetch.delete(itemKey(item))
        for (const item of notes.pendingFetch ?? []) pendingFetch.set(itemKey(item), item)
        for (const [i, outcome] of outcomes.entries()) {
          const entry = entries[i]
          if (entry === undefined) continue
          if (isShare && (outcome.is === 'applied' || outcome.is === 'known') && !('withdrawn' in entry)) this.noted.add(itemKey(entry))
          if (outcome.is === 'incomplete' && notes.completing) pendingFetch.set(itemKey(entry), { kind: entry.kind, id: entry.id })
        }
        if (notes.position !== undefined) this.positions.set(peer, notes.position)
        await turn()
        return outcomes
      },
      ...(isShare
        ? {
            share: {
              includes: (item: ItemRef) => this.inScope(item),
              excludes: (item: ItemRef) => this.items.has(itemKey(item)) && !this.inScope(item),
              isNoted: (item: ItemRef) => this.noted.has(itemKey(item)),
              roots: (item: ItemRef) => [...(this.items.get(itemKey(item))?.changes ?? [])].filter((change) => !change.includes('<')).map((change) => hash('sha256', change)),
              changed: () => Promise.resolve(undefined),
              answered: () => Promise.resolve([]),
              isApart: () => false,
              isOurs: (item: ItemRef, change: Uint8Array) => this.items.get(itemKey(item))?.changes.has(Buffer.from(change).toString()) === true,
              note: async (items: readonly ItemRef[]) => void items.forEach((item) => this.noted.add(itemKey(item))),
              forget: async (items: readonly ItemRef[]) => void items.forEach((item) => this.noted.delete(itemKey(item))),
              outsideScope: async () => [...this.items.values()].map(({ ref }) => ref).filter((ref) => this.noted.has(itemKey(ref)) && !this.inScope(ref)),
              newStreams: async () => [...this.items.values()].map(({ ref }) => ref).filter((ref) => ref.kind === 'stream' && this.inScope(ref) && !this.noted.has(itemKey(ref))),
              enteredScope: () => pagesOf([...this.items.values()].map(({ ref }) => ref).filter((ref) => this.inScope(ref))),
              all: () => pagesOf([...this.items.values()].map(({ ref }) => ref).filter((ref) => this.inScope(ref))),
            },
          }
        : {}),
      files: {
        wanted: this.wantedCount,
        follow: (listener) => this.wantedCount.follow(listener),
        wantedFrom: (after, most) => {
          const behind = [...this.wanted].filter(([digest]) => digest > after).sort(([a], [b]) => (a < b ? -1 : 1))
          const files = behind.slice(0, most).map(([digest, size]) => ({ digest, size }))
          const last = behind.length > most ? files.at(-1)?.digest : undefined
          return Promise.resolve({ files, ...(last === undefined ? {} : { next: last }) })
        },
        isForPeer: () => true,
        isWanted: (digest) => this.wanted.has(digest),
        read: (digest, offset, length) => Promise.resolve(this.files.get(digest)?.subarray(offset, offset + length)),
        begin: (digest, size) => Promise.resolve(this.partial(digest, size)),
      },
    }
  }

  readonly wantedCount = new WantedCount()

  want(digest: string, size: number): void {
    if (this.wanted.has(digest)) return
    this.wanted.set(digest, size)
    this.countWanted(digest, size, true)
  }

  countWanted(digest: string, size: number, isWanted: boolean): void {
    this.wantedCount.stage({ digest, size, isWanted })
    this.wantedCount.committed({ digest, size, isWanted })
  }

  /** Offsets at which files were started. */
  readonly begun: number[] = []

  partial(digest: string, size: number): PartialFile {
    const { parts, files, wanted } = this
    this.begun.push(parts.get(digest)?.length ?? 0)
    return {
      get offset() {
        return parts.get(digest)?.length ?? 0
      },
      write: async (more) => void parts.set(digest, Buffer.concat([parts.get(digest) ?? Buffer.alloc(0), more])),
      finish: async () => {
        const whole = parts.get(digest) ?? Buffer.alloc(0)
        parts.delete(digest)
        if (whole.length !== size || hash('sha256', whole) !== digest) return false
        files.set(digest, whole)
        if (wanted.delete(digest)) this.countWanted(digest, size, false)
        return true
      },
      suspend: async () => {},
    }
  }
}

async function* pagesOf(items: ItemRef[]): AsyncGenerator<ItemRef[]> {
  yield items
}
