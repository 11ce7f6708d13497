/**
 * Announces changes of an account to its open pages, as server-sent events: `change` at most every half second. A page then
 * requests a new copy of itself, so the events carry no data.
 */
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
      let waiting: NodeJS.Timeout | undefined
      const changed = (): void => {
        waiting ??= setTimeout(() => {
          waiting = undefined
          send('event: change\ndata:\n\n')
        }, MIN_INTERVAL_MS)
      }
      const follows = [
        node.store.follow((entries) => {
          if (entries.some(({ account }) => account === prefix)) changed()
        }),
        node.sync.peers.follow(prefix, changed),
        node.sync.pairings.follow(prefix, changed),
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
        clearTimeout(waiting)
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
