/**
 * Where an account is filled that nobody sees yet: steps are gathered and staged in groups, hundreds in a transaction.
 * A trial gathers nothing: what it would write is only remembered by its ids.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { findDeletion, isEventIdTaken } from '../../store/events/events.js'
import { reservedStreams } from '../../store/model/cmc.js'
import type { Stream } from '../../store/model/stream.js'
import { createTree, type Tree } from '../../store/model/tree.js'
import type { Node } from '../node.js'

type Step = (t: Transaction) => void

const STEPS = 250
const STEP_BYTES = 1024 * 1024

/** What is known of the holder of a series. */
export interface SeriesHolder {
  type: string
  time: number
}

export class ImportTarget {
  /** The streams that are there, those of steps that wait among them. */
  readonly tree: Tree
  /** Holders of series that are there. */
  readonly holders = new Map<string, SeriesHolder>()
  readonly #node: Node
  readonly #account: Account | undefined
  #steps: Step[] = []
  #bytes = 0
  /** Ids of events, live or deleted: of a trial all, else those of steps that wait. */
  readonly #ids = new Set<string>()
  /** Ids of deleted events, of a trial. */
  readonly #deleted = new Set<string>()
  #held: string[] = []

  /** Without an account it is a trial. */
  constructor(node: Node, account: Account | undefined) {
    this.#node = node
    this.#account = account
    this.tree = createTree(reservedStreams)
  }

  get isTrial(): boolean {
    return this.#account === undefined
  }

  /** The account that is filled. Throws in a trial. */
  get account(): Account {
    if (this.#account === undefined) throw new Error('A trial fills no account.')
    return this.#account
  }

  /** Whether an event of an id is there, or was deleted. */
  knows(id: string): boolean {
    if (this.#ids.has(id)) return true
    return this.#account !== undefined && isEventIdTaken(this.#node.store.db, this.#account.prefix, id)
  }

  /** Checks that an event was deleted, by what is on disk; in a trial, by what came. */
  isDeleted(id: string): boolean {
    if (this.#account === undefined) return this.#deleted.has(id)
    return findDeletion(this.#node.store.db, this.#account.prefix, id) !== undefined
  }

  /** Takes the deletion of an event. */
  async addDeletion(step: Step, event: string): Promise<void> {
    if (this.isTrial) this.#deleted.add(event)
    await this.add(step, 500, event)
  }

  /** Takes a step that writes about so many bytes; `event` is the id that it uses up. */
  async add(step: Step, bytes: number, event?: string): Promise<void> {
    if (event !== undefined) this.#ids.add(event)
    if (this.#account === undefined) return
    this.#steps.push(step)
    this.#bytes += bytes
    if (this.#steps.length >= STEPS || this.#bytes >= STEP_BYTES) await this.flush()
  }

  /** Takes a stream, which is in the tree at once. */
  async addStream(stream: Stream, step: Step): Promise<void> {
    this.tree.put(stream)
    await this.add(step, 500)
  }

  /** Keeps the bytes of a file in their place until what waits is on disk. */
  hold(digest: string): void {
    this.#held.push(digest)
  }

  /** Writes what waits; on disk when this resolves. */
  async flush(): Promise<void> {
    const account = this.#account
    if (account === undefined) return
    const [steps, held] = [this.#steps, this.#held]
    this.#steps = []
    this.#held = []
    this.#bytes = 0
    try {
      if (steps.length > 0) {
        await account.write((t) => {
          for (const step of steps) step(t)
        })
      }
      this.#ids.clear()
    } finally {
      for (const digest of held) await this.#node.store.blobs.release(account.prefix, digest)
    }
  }
}
