/**
 * Write target of an import: batches steps into transactions of hundreds. A dry run writes nothing and only tracks ids.
 */
import type { Account, Transaction } from '../../store/engine/account.js'
import { findDeletion, isEventIdTaken } from '../../store/events/events.js'
import { reservedStreams } from '../../store/model/cmc.js'
import type { Stream } from '../../store/model/stream.js'
import { createTree, type Tree } from '../../store/model/tree.js'
import type { Context } from '../call/context.js'

type StagedWrite = (t: Transaction) => void

const STEPS = 250
const STEP_BYTES = 1024 * 1024

/** Properties of an event that holds a series. */
interface SeriesHolder {
  type: string
  time: number
}

export class ImportTarget {
  /** Streams of the account, pending ones included. */
  readonly tree: Tree
  /** Known events that hold series. */
  readonly holders = new Map<string, SeriesHolder>()
  readonly #node: Context
  readonly #account: Account | undefined
  #steps: StagedWrite[] = []
  #bytes = 0
  /** Event ids, live or deleted: all in a dry run, else those of pending steps. */
  readonly #ids = new Set<string>()
  /** Ids of deleted events, in a dry run. */
  readonly #deleted = new Set<string>()
  #held: string[] = []

  /** @param account absent in a dry run */
  constructor(node: Context, account: Account | undefined) {
    this.#node = node
    this.#account = account
    this.tree = createTree(reservedStreams)
  }

  get isTrial(): boolean {
    return this.#account === undefined
  }

  /** The account being filled. @throws in a dry run */
  get account(): Account {
    if (this.#account === undefined) throw new Error('A dry run has no account.')
    return this.#account
  }

  /** Checks whether an event id exists or was deleted. */
  hasEvent(id: string): boolean {
    if (this.#ids.has(id)) return true
    return this.#account !== undefined && isEventIdTaken(this.#node.store.db, this.#account.prefix, id)
  }

  /** Checks whether an event was deleted, on disk or, in a dry run, in the archive. */
  isDeleted(id: string): boolean {
    if (this.#account === undefined) return this.#deleted.has(id)
    return findDeletion(this.#node.store.db, this.#account.prefix, id) !== undefined
  }

  /** Adds the deletion of an event. */
  async addDeletion(step: StagedWrite, event: string): Promise<void> {
    if (this.isTrial) this.#deleted.add(event)
    await this.add(step, 500, event)
  }

  /** Adds a step that writes about this many bytes; `event` is the id it uses. */
  async add(step: StagedWrite, bytes: number, event?: string): Promise<void> {
    if (event !== undefined) this.#ids.add(event)
    if (this.#account === undefined) return
    this.#steps.push(step)
    this.#bytes += bytes
    if (this.#steps.length >= STEPS || this.#bytes >= STEP_BYTES) await this.flush()
  }

  /** Adds a stream, which is in the tree immediately. */
  async addStream(stream: Stream, step: StagedWrite): Promise<void> {
    this.tree.put(stream)
    await this.add(step, 500)
  }

  /** Holds the bytes of a file in place until pending steps are on disk. */
  hold(digest: string): void {
    this.#held.push(digest)
  }

  /** Writes pending steps; resolves once they are on disk. */
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
