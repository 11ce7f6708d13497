/**
 * Announces changes of an account to its open pages, as server-sent events: `change`, and `audit` for calls by other accesses than
 * that of the pages, each at most every half second. A page then requests a new copy of itself, so the events carry no data.
 */
import { accessBase, auditStreamOfAccess } from '../../../store/model/auditStreams.js'
import type { Answer, Page } from '../page.js'
import { consolePage, type ConsoleVisit } from './consolePage.js'

const MIN_INTERVAL_MS = 500
/** Interval of comments, so that a proxy does not close the connection and a closed one is noticed. */
const PULSE_MS = 25_000
/** Maximum number of open connections of the pages of an account. */
const MAX_CONNECTIONS = 30
/** Duration of a connection; browsers connect again, with their session as it is then. */
const MAX_MS = 10 * 60_000

const connections = new Map<string, number>()

export const livePage: Page = consolePage({
  path: '/live',
  section: 'overview',
  show: (visit) => announce(visit),
})

function announce({ node, session, isHead }: ConsoleVisit): Answer {
  const headers = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }
  const { prefix } = session.account
  const open = connections.get(prefix) ?? 0
  if (isHead) return { response: new Response(null, { headers }) }
  // 204 makes browsers stop connecting.
  if (open >= MAX_CONNECTIONS) return { response: new Response(null, { status: 204 }) }
  let stop = (): void => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string): void => controller.enqueue(new TextEncoder().encode(text))
      const change = announcer('change', send)
      const audit = announcer('audit', send)
      // A page that reads the account in answer to its own calls would never stop.
      const own = `"${auditStreamOfAccess(accessBase(session.caller.access.id))}"`
      const follows = [
        node.store.follow((entries) => {
          if (entries.some(({ account }) => account === prefix)) change.announce()
        }),
        node.audit.follow((account, record) => {
          if (account === prefix && !record.includes(own)) audit.announce()
        }),
        node.sync.peers.follow(prefix, change.announce),
        node.sync.pairings.follow(prefix, change.announce),
      ]
      const pulse = setInterval(() => send(':\n\n'), PULSE_MS)
      const end = setTimeout(() => {
        stop()
        controller.close()
      }, MAX_MS)
      for (const timer of [pulse, end]) timer.unref()
      connections.set(prefix, open + 1)
      stop = () => {
        for (const unfollow of follows) unfollow()
        change.stop()
        audit.stop()
        clearInterval(pulse)
        clearTimeout(end)
        const left = (connections.get(prefix) ?? 1) - 1
        if (left > 0) connections.set(prefix, left)
        else connections.delete(prefix)
      }
      send('retry: 3000\n\n')
    },
    cancel: () => stop(),
  })
  return { response: new Response(body, { headers }) }
}

/** Creates a sender of an event that is sent at most every half second. */
function announcer(name: string, send: (text: string) => void): { announce(): void; stop(): void } {
  let waiting: NodeJS.Timeout | undefined
  return {
    announce() {
      waiting ??= setTimeout(() => {
        waiting = undefined
        send(`event: ${name}\ndata:\n\n`)
      }, MIN_INTERVAL_MS)
    },
    stop: () => clearTimeout(waiting),
  }
}
