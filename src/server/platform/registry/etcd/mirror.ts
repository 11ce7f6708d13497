/** Copy in memory of all keys with a prefix, kept current by a watch. */
import type { Log } from '../../../base/log.js'
import type { EtcdClient, KeyValue, RangeResult } from './api.js'

const PAGE = 1000
const RETRY_MS = 1000

export interface Mirror {
  /** Resolves when the keys were read once. */
  readonly ready: Promise<void>
  /** True once the keys were read. */
  readonly isReady: boolean
  /** Revision up to which the copy is current. */
  readonly revision: number
  get(key: string): KeyValue | undefined
  /** Returns the keys with a prefix, in order. */
  list(prefix: string): KeyValue[]
  /** Applies a change that this process made, so that it reads its own writes. */
  applied(key: string, revision: number, item: KeyValue | undefined): void
  /** Calls `listener` with each changed key. Returns a function that stops. */
  follow(listener: (key: string, item: KeyValue | undefined) => void): () => void
  stop(): void
}

/** Reads all keys with a prefix, as of one revision. */
export async function readAll(client: Pick<EtcdClient, 'range'>, prefix: string, isSerializable = false): Promise<RangeResult> {
  const items: KeyValue[] = []
  let revision: number | undefined
  for (;;) {
    const after = items.at(-1)?.key
    const page = await client.range({
      key: prefix,
      isPrefix: true,
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
      ...(revision === undefined ? {} : { revision }),
      ...(isSerializable ? { isSerializable } : {}),
    })
    revision ??= page.revision
    items.push(...page.items)
    if (page.items.length < PAGE) return { items, count: items.length, revision }
  }
}

/** Starts a copy of the keys with a prefix. Retries until it is stopped. */
export function createMirror(client: Pick<EtcdClient, 'range' | 'watch'>, prefix: string, log: Log): Mirror {
  const items = new Map<string, KeyValue>()
  /** Revisions of removals by this process that the watch has not yet delivered. */
  const removed = new Map<string, number>()
  const listeners = new Set<(key: string, item: KeyValue | undefined) => void>()
  let revision = 0
  let isReady = false
  let isStopped = false
  let unwatch = (): void => {}
  let retry: NodeJS.Timeout | undefined
  let resolveReady = (): void => {}
  const ready = new Promise<void>((resolve) => (resolveReady = resolve))

  function apply(key: string, at: number, item: KeyValue | undefined): void {
    const known = items.get(key)
    const latest = Math.max(known?.revision ?? 0, removed.get(key) ?? 0)
    if (at <= latest) return
    if (item === undefined) {
      items.delete(key)
      removed.set(key, at)
    } else {
      items.set(key, item)
      removed.delete(key)
    }
    for (const listener of listeners) listener(key, item)
  }

  /** Reads all keys, and applies the differences. */
  async function readAgain(): Promise<number> {
    const read = await readAll(client, prefix)
    const present = new Set(read.items.map(({ key }) => key))
    // A cluster that was restored or replaced counts from an earlier revision: what is known of the former one says nothing.
    if (read.revision < revision) {
      revision = 0
      removed.clear()
      for (const [key, item] of items) items.set(key, { ...item, revision: 0 })
    }
    for (const item of read.items) apply(item.key, item.revision, item)
    for (const [key, { revision: at }] of items) if (!present.has(key) && at <= read.revision) apply(key, read.revision, undefined)
    passed(read.revision)
    isReady = true
    resolveReady()
    return read.revision
  }

  function passed(at: number): void {
    revision = Math.max(revision, at)
    for (const [key, removal] of removed) if (removal <= revision) removed.delete(key)
  }

  function begin(): void {
    readAgain().then(
      (from) => {
        if (isStopped) return
        unwatch = client.watch(prefix, from, {
          changed(events) {
            for (const { key, revision: at, item } of events) apply(key, at, item)
            passed(events.at(-1)?.revision ?? 0)
          },
          lost: readAgain,
        })
      },
      (error: unknown) => {
        if (isStopped) return
        log.warn('shared records could not be read; trying again', { prefix, error: String(error) })
        retry = setTimeout(begin, RETRY_MS).unref()
      },
    )
  }
  begin()

  return {
    ready,
    get isReady() {
      return isReady
    },
    get revision() {
      return revision
    },
    get: (key) => items.get(key),
    list: (under) =>
      [...items.values()].filter(({ key }) => key.startsWith(under)).sort((a, b) => (a.key < b.key ? -1 : 1)),
    applied(key, at, item) {
      // Otherwise the watch has delivered it already.
      if (at > revision) apply(key, at, item)
    },
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop() {
      isStopped = true
      clearTimeout(retry)
      unwatch()
    },
  }
}
