/**
 * Notifies websockets and webhooks of changes of an account. Notifications follow the journal, whatever the source of a change:
 * an API call, a command, another node (docs/interface/notifications.md#messages).
 */
import type { JournalEntry } from '../../store/engine/journal.js'
import type { Store } from '../../store/index.js'

/** Messages that name the kind of changed resource only. */
type CoarseMessage = 'eventsChanged' | 'streamsChanged' | 'accessesChanged'

/** Changes of one account in journal order, of all kinds. */
export type Changes = readonly JournalEntry[]

export interface Notifier {
  /**
   * Calls `notify` with the changes of an account, each once, after commit and after the response to the caller; concurrent
   * changes are batched. Returns a stop function.
   */
  follow(account: string, notify: (changes: Changes) => void): () => void
  stop(): void
}

type Notify = (changes: Changes) => void

export function createNotifier(store: Pick<Store, 'follow'>): Notifier {
  const followers = new Map<string, Set<Notify>>()
  let waiting = new Map<string, JournalEntry[]>()

  function notifyAll(): void {
    const batch = waiting
    waiting = new Map()
    for (const [account, changes] of batch) {
      for (const notify of followers.get(account) ?? []) {
        try {
          notify(changes)
        } catch (error) {
          // An error of one follower does not affect the others.
          process.emitWarning(error instanceof Error ? error : String(error))
        }
      }
    }
  }

  const leave = store.follow((entries) => {
    if (followers.size === 0) return
    for (const entry of entries) {
      if (!followers.has(entry.account)) continue
      // Defers notifications until callers that wait for the commit have their response.
      if (waiting.size === 0) setImmediate(notifyAll)
      const changes = waiting.get(entry.account)
      if (changes === undefined) waiting.set(entry.account, [entry])
      else changes.push(entry)
    }
  })

  return {
    follow(account, notify) {
      const notifies = followers.get(account) ?? new Set()
      followers.set(account, notifies)
      notifies.add(notify)
      return () => {
        notifies.delete(notify)
        if (notifies.size === 0 && followers.get(account) === notifies) followers.delete(account)
      }
    },
    stop() {
      leave()
      followers.clear()
    },
  }
}

const MESSAGES: Partial<Record<JournalEntry['kind'], CoarseMessage>> = {
  event: 'eventsChanged',
  stream: 'streamsChanged',
  access: 'accessesChanged',
}

/** Returns the messages for some changes, without duplicates. */
export function messagesOf(changes: Changes): CoarseMessage[] {
  const found = new Set<CoarseMessage>()
  for (const change of changes) {
    const message = MESSAGES[change.kind]
    if (message !== undefined) found.add(message)
    if (mayMoveEvents(change)) found.add('eventsChanged')
  }
  return [...found]
}

/**
 * Checks whether a change may move events without journal entries of their own: those whose stream arrives later from another
 * node, or is removed there.
 */
const mayMoveEvents = ({ kind, action, origin }: JournalEntry): boolean =>
  kind === 'stream' && action !== 'update' && origin !== undefined

/** Needed by functions that notify clients of changes. */
export interface NotifierDeps {
  readonly notifier: Notifier
}
