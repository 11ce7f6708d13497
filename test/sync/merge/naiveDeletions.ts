/**
 * Naive model of replicas: sets of generations and of covered generations, merged by union. It uses neither changes nor hashes.
 */
import type { ReplicaContent } from './replica.js'

const RECOVERED = 'recovered'

/** Fields that depend on additions and deletions alone: neither names nor contents. */
export type Deletions = Omit<ReplicaContent, 'streams' | 'events'> & { streams: string[]; events: string[] }

/** Returns a replica's content without names and contents. */
export const withoutEdits = (content: ReplicaContent): Deletions => ({
  ...content,
  streams: content.streams.map((line) => line.replace(/ named .*/, '')),
  events: content.events.map((line) => line.replace(/: .*/, '')),
})

/** Stream id: its generations, the deleted ones, and the time of the latest deletion. */
interface NaiveStream {
  generations: Set<string>
  covered: Set<string>
  deleted?: number
}

const latest = (a: number | undefined, b: number | undefined): number | undefined => (a === undefined ? b : Math.max(a, b ?? a))

export class NaiveReplica {
  readonly #name: string
  #generation = 0
  readonly #streams = new Map<string, NaiveStream>()
  readonly #parents = new Map<string, string>()
  /** Stream of each event ever added. */
  readonly #events = new Map<string, string>()
  readonly #dropped = new Map<string, number>()

  constructor(name: string) {
    this.#name = name
  }

  #stream(id: string): NaiveStream {
    const found = this.#streams.get(id) ?? { generations: new Set(), covered: new Set() }
    this.#streams.set(id, found)
    return found
  }

  hasStream(id: string): boolean {
    const { generations, covered } = this.#stream(id)
    return [...generations].some((generation) => !covered.has(generation))
  }

  hasEvent(id: string): boolean {
    return this.#events.has(id) && !this.#dropped.has(id)
  }

  #effective(event: string): string {
    const stream = this.#events.get(event) ?? ''
    return this.hasStream(stream) ? stream : RECOVERED
  }

  #live = (): string[] => [...this.#events.keys()].filter((id) => this.hasEvent(id))

  add(id: string, parent?: string): void {
    this.#stream(id).generations.add(`${this.#name}${++this.#generation}`)
    if (parent !== undefined) this.#parents.set(id, parent)
    this.#recover()
  }

  delete(id: string, now: number): void {
    for (const [child, parent] of this.#parents) if (parent === id && this.hasStream(child)) this.delete(child, now)
    for (const event of this.#live()) if (this.#effective(event) === id) this.#dropped.set(event, now)
    const stream = this.#stream(id)
    for (const generation of stream.generations) stream.covered.add(generation)
    stream.deleted = Math.max(stream.deleted ?? now, now)
  }

  put(event: string, stream: string): void {
    this.#events.set(event, stream)
  }

  drop(event: string, now: number): void {
    this.#dropped.set(event, now)
  }

  merge(other: NaiveReplica): void {
    for (const [id, { generations, covered, deleted }] of other.#streams) {
      const own = this.#stream(id)
      for (const generation of generations) own.generations.add(generation)
      for (const generation of covered) own.covered.add(generation)
      const time = latest(own.deleted, deleted)
      if (time !== undefined) own.deleted = time
    }
    for (const [id, parent] of other.#parents) this.#parents.set(id, parent)
    for (const [id, stream] of other.#events) this.#events.set(id, stream)
    for (const [id, time] of other.#dropped) this.#dropped.set(id, latest(this.#dropped.get(id), time) ?? time)
    this.#recover()
  }

  /** Creates the stream of events without a stream; equal on all replicas after the same number of deletions. */
  #recover(): void {
    if (this.hasStream(RECOVERED) || !this.#live().some((event) => this.#effective(event) === RECOVERED)) return
    const stream = this.#stream(RECOVERED)
    stream.generations.add(`${RECOVERED}${stream.covered.size}`)
  }

  readContent(): Deletions {
    const ids = [...this.#streams.keys()]
    const tombstones = ids.flatMap((id): [string, [number, number]][] => {
      const { deleted, covered } = this.#stream(id)
      return deleted === undefined ? [] : [[id, [deleted, covered.size]]]
    })
    const describe = (id: string): string => {
      const parent = this.#parents.get(id)
      return parent !== undefined && this.hasStream(parent) ? `${id} under ${parent}` : id
    }
    return {
      streams: ids.filter((id) => this.hasStream(id)).map(describe).sort(),
      events: this.#live().map((id) => `${id} in ${this.#effective(id)}`).sort(),
      deletedStreams: Object.fromEntries(tombstones.filter(([id]) => !this.hasStream(id)).map(([id, [deleted]]) => [id, deleted])),
      deletedEvents: Object.fromEntries(this.#dropped),
      tombstones: Object.fromEntries(tombstones),
    }
  }
}
