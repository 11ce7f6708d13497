/** Expected content of an account, from the acknowledged operations alone, without knowledge of sync. */

/** Acknowledged operation. */
interface Operation {
  machine: number
  at: number
  /** The node was restored to an earlier state: the operation may be lost. */
  isLost?: true
}

interface History {
  created: Operation
  deletions: Operation[]
}

export type Fate = 'there' | 'gone' | 'either'

export class Oracle {
  /** Number of operations. */
  now = 0
  #operations: Operation[] = []
  #histories = new Map<string, History>()
  /** Initial changes of streams, by stream. */
  #roots = new Map<string, Set<string>>()
  /** Streams that were deleted on any node. */
  readonly #deletedStreams = new Set<string>()

  /** Node whose operations may be lost: it has a share alone, which may be withdrawn. */
  readonly #guest: number | undefined

  constructor(guest?: number) {
    this.#guest = guest
  }

  #operation(machine: number): Operation {
    const operation: Operation = { machine, at: ++this.now, ...(machine === this.#guest ? { isLost: true } : {}) }
    this.#operations.push(operation)
    return operation
  }

  created(machine: number, item: string): void {
    if (!this.#histories.has(item)) this.#histories.set(item, { created: this.#operation(machine), deletions: [] })
    else {
      const history = this.#histories.get(item) as History
      // Of two creations of the same item, one is enough.
      if (history.created.isLost) history.created = this.#operation(machine)
    }
  }

  deleted(machine: number, item: string): void {
    this.#histories.get(item)?.deletions.push(this.#operation(machine))
  }

  streamCreated(machine: number, stream: string, root: string): void {
    const roots = this.#roots.get(stream) ?? new Set()
    this.#roots.set(stream, roots.add(root))
    this.created(machine, `root ${root}`)
  }

  streamDeleted(machine: number, stream: string, roots: readonly string[]): void {
    this.#deletedStreams.add(stream)
    for (const root of roots) this.deleted(machine, `root ${root}`)
  }

  restored(machine: number, since: number): void {
    for (const operation of this.#operations) if (operation.machine === machine && operation.at > since) operation.isLost = true
  }

  isLost(item: string): boolean {
    return this.#histories.get(item)?.created.isLost === true
  }

  fate(item: string): Fate {
    const history = this.#histories.get(item)
    if (history === undefined || history.deletions.some(({ isLost }) => isLost !== true)) return 'gone'
    return history.created.isLost || history.deletions.length > 0 ? 'either' : 'there'
  }

  fateOfStream(stream: string): Fate {
    const fates = [...(this.#roots.get(stream) ?? [])].map((root) => this.fate(`root ${root}`))
    if (fates.includes('there')) return 'there'
    return fates.includes('either') ? 'either' : 'gone'
  }

  wasDeleted = (stream: string): boolean => this.#deletedStreams.has(stream)
  items = (kind: string): string[] => [...this.#histories.keys()].filter((item) => item.startsWith(`${kind} `))
  streams = (): string[] => [...this.#roots.keys()]
}
