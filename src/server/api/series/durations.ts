/**
 * Raises the duration of events to the time of their series' last point, shortly after points were written: once for many
 * calls. Pending updates are keys written with the points, so that a crash loses none.
 */
import { each } from '../../../store/engine/database.js'
import { findEvent, replaceEvent } from '../../../store/events/events.js'
import { nodeKeys, under } from '../../../store/engine/keys.js'
import type { Event } from '../../../store/model/event.js'
import { lastDelta } from '../../../store/series/series.js'
import { readUser } from '../../../store/accounts/users.js'
import { withIntegrity } from '../shared/integrity.js'
import type { Context } from '../../call/context.js'

/** Delay after the first points, and minimum interval while more are written. */
const SOON_MS = 2000
const MIN_MS = 30_000

interface Durations {
  /** Processes pending updates of this process and stops; those of others are found at the next start. */
  stop(): Promise<void>
}

interface PendingUpdate {
  account: string
  event: string
  /** Written to since the last check. */
  isOpen: boolean
  /** True when written by this process. */
  isOwn: boolean
  timer?: NodeJS.Timeout
}

/** Starts following writes, and processes updates pending from before. */
export async function keepDurations(node: Context, soonMs = SOON_MS, minMs = MIN_MS): Promise<Durations> {
  const { store } = node
  const waiting = new Map<string, PendingUpdate>()
  const underWay = new Set<Promise<void>>()
  let hasStopped = false

  function wait(due: PendingUpdate, ms: number): void {
    if (hasStopped) return
    due.timer = setTimeout(() => {
      const update = applyUpdate(due).finally(() => underWay.delete(update))
      underWay.add(update)
    }, ms)
    due.timer.unref()
  }

  /** Marks a series as pending; it is checked now, or after the pause that follows the last check. */
  function note(account: string, event: string, isOwn: boolean): void {
    const key = nodeKeys.seriesDue(account, event)
    const known = waiting.get(key)
    if (known !== undefined) {
      known.isOpen = true
      known.isOwn ||= isOwn
      return
    }
    const due: PendingUpdate = { account, event, isOpen: true, isOwn }
    waiting.set(key, due)
    wait(due, soonMs)
  }

  async function applyUpdate(due: PendingUpdate): Promise<void> {
    if (!due.isOpen) {
      waiting.delete(nodeKeys.seriesDue(due.account, due.event))
      return
    }
    due.isOpen = false
    try {
      await raiseDuration(node, due.account, due.event)
    } catch (error) {
      // A full disk may get room again. The key stays, so the next start retries at the latest.
      due.isOpen = true
      node.log.warn('duration of a series not updated', { event: due.event, error: String(error) })
    }
    wait(due, minMs)
  }

  const leave = store.follow((entries) => {
    for (const { kind, action, account, id, origin } of entries) {
      // For synced points, the node where they were written raises the duration, which arrives as an event change.
      if (kind === 'series' && action !== 'delete' && origin === undefined) note(account, id, true)
    }
  })
  for await (const key of each(store.db.keys(under(nodeKeys.seriesDues)))) {
    const [account = '', event = ''] = key.slice(nodeKeys.seriesDues.length).split('/')
    note(account, event, false)
  }

  return {
    async stop() {
      hasStopped = true
      leave()
      for (const { timer } of waiting.values()) clearTimeout(timer)
      await Promise.all(underWay)
      for (const due of waiting.values()) if (due.isOpen && due.isOwn) await applyUpdate(due)
    },
  }
}

/** Raises the duration of an event below the time of its last point. Running events keep running. */
async function raiseDuration(node: Context, prefix: string, event: string): Promise<void> {
  const { store, clock } = node
  if (store.state !== 'writable') return
  const due = nodeKeys.seriesDue(prefix, event)
  if (readUser(store.db, prefix) === undefined) {
    // The account was deleted meanwhile.
    await store.platform.write((t) => t.delete(due))
    return
  }
  const account = await store.account(prefix)
  await account.write((t) => {
    t.delete(due)
    const before = findEvent(t, prefix, event)
    const last = lastDelta(t, prefix, event)
    if (before === undefined || last === undefined || before.duration === null) return
    if (last <= (before.duration ?? 0)) return
    const after: Event = { ...before, duration: last, modified: clock.now(), modifiedBy: 'system' }
    withIntegrity({ node }, after)
    replaceEvent(t, store.recorder, before, after)
  })
}
