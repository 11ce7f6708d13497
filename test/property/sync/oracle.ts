/** What must be in an account at the end, from what its nodes acknowledged: no knowledge of how they come to it. */

/** Something that a node acknowledged. */
interface Act {
  place: number
  at: number
  /** The node was restored to before it: perhaps nobody knows of it. */
  isLost?: true
}

interface Life {
  made: Act
  gone: Act[]
}

export type Fate = 'there' | 'gone' | 'either'

export class Oracle {
  /** Counts acts. */
  now = 0
  #acts: Act[] = []
  #lives = new Map<string, Life>()
  /** First changes of streams, by stream. */
  #roots = new Map<string, Set<string>>()
  /** Streams that were ever deleted anywhere. */
  readonly #deletedStreams = new Set<string>()

  /** Whose acts the others need not know of: they share but some streams with it, and may take them back. */
  readonly #guest: number | undefined

  constructor(guest?: number) {
    this.#guest = guest
  }

  #act(place: number): Act {
    const act: Act = { place, at: ++this.now, ...(place === this.#guest ? { isLost: true } : {}) }
    this.#acts.push(act)
    return act
  }

  made(place: number, item: string): void {
    if (!this.#lives.has(item)) this.#lives.set(item, { made: this.#act(place), gone: [] })
    else {
      const life = this.#lives.get(item) as Life
      // Of two that made the same, one is enough.
      if (life.made.isLost) life.made = this.#act(place)
    }
  }

  deleted(place: number, item: string): void {
    this.#lives.get(item)?.gone.push(this.#act(place))
  }

  streamMade(place: number, stream: string, root: string): void {
    const roots = this.#roots.get(stream) ?? new Set()
    this.#roots.set(stream, roots.add(root))
    this.made(place, `root ${root}`)
  }

  streamDeleted(place: number, stream: string, roots: readonly string[]): void {
    this.#deletedStreams.add(stream)
    for (const root of roots) this.deleted(place, `root ${root}`)
  }

  restored(place: number, since: number): void {
    for (const act of this.#acts) if (act.place === place && act.at > since) act.isLost = true
  }

  isLost(item: string): boolean {
    return this.#lives.get(item)?.made.isLost === true
  }

  fate(item: string): Fate {
    const life = this.#lives.get(item)
    if (life === undefined || life.gone.some(({ isLost }) => isLost !== true)) return 'gone'
    return life.made.isLost || life.gone.length > 0 ? 'either' : 'there'
  }

  fateOfStream(stream: string): Fate {
    const fates = [...(this.#roots.get(stream) ?? [])].map((root) => this.fate(`root ${root}`))
    if (fates.includes('there')) return 'there'
    return fates.includes('either') ? 'either' : 'gone'
  }

  wasDeleted = (stream: string): boolean => this.#deletedStreams.has(stream)
  items = (kind: string): string[] => [...this.#lives.keys()].filter((item) => item.startsWith(`${kind} `))
  streams = (): string[] => [...this.#roots.keys()]
}
