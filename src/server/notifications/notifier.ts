/**
 * Who is told when an account changes: websockets and webhooks. Messages follow the journal, whatever brought the
 * change: a call over any door, a command, another node (specification, "Events"; data supplement 9.1).
 */
import type { JournalEntry } from '../../store/engine/journal.js'
import type { Store } from '../../store/index.js'

/** Messages that tell which kind of resource changed, and nothing more. */
export const coarseMessages = ['eventsChanged', 'streamsChanged', 'accessesChanged'] as const
export type CoarseMessage = (typeof coarseMessages)[number]

/** What changed in one account, in the order of its journal. Holds every kind of entry, and what each was about. */
export type Changes = readonly JournalEntry[]

export interface Notifier {
  /**
   * Tells of the changes of an account, each once, soon after they are on disk and after their callers were answered;
   * changes that come together are told together. Answers how to stop.
   */
  follow(account: string, notify: (changes: Changes) => void): () => void
  stop(): void
}

type Notify = (changes: Changes) => void

export function createNotifier(store: Pick<Store, 'follow'>): Notifier {
  const followers = new Map<string, Set<Notify>>()
  let waiting = new Map<string, JournalEntry[]>()

  function notifyAll(): void {
    const described = waiting
    waiting = new Map()
    for (const [account, changes] of described) {
      for (const notify of followers.get(account) ?? []) {
        try {
          notify(changes)
        } catch (error) {
          // A fault of one follower is not one of the others.
          process.emitWarning(error instanceof Error ? error : String(error))
        }
      }
    }
  }

  const leave = store.follow((entries) => {
    if (followers.size === 0) return
    for (const entry of entries) {
      if (!followers.has(entry.account)) continue
      // Whoever waits for this commit is answered first.
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

/** The messages that tell of some changes, each once. */
export function messagesOf(changes: Changes): CoarseMessage[] {
  const found = new Set<CoarseMessage>()
  for (const change of changes) {
    const message = MESSAGES[change.kind]
    if (message !== undefined) found.add(message)
    if (mayShowEvents(change)) found.add('eventsChanged')
  }
  return [...found]
}

/**
 * Whether a change may show events elsewhere that have no entries of their own: those whose stream comes after them from
 * another node, or goes there.
 */
const mayShowEvents = ({ kind, action, origin }: JournalEntry): boolean =>
  kind === 'stream' && action !== 'update' && origin !== undefined
