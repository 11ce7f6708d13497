/** Announces a pairing offer in the networks of this machine until it ends. */
import { randomBytes } from 'node:crypto'
import type { Secret } from '../../store/model/secret.js'
import { announcementPacket, asksForAnnouncements } from './announcement.js'
import { openMulticast, type MulticastOptions } from './multicast.js'
import { sealLink } from './sealedLink.js'

interface Announcing {
  /** Withdraws the announcement; may be called again. */
  end(): Promise<void>
}

interface AnnounceOptions extends MulticastOptions {
  link: string
  code: Secret<string>
  /** Port of the node. */
  nodePort: number
  /** Seconds until the offer expires. */
  seconds: number
}

/** Seconds for which others may keep an announcement. */
const TTL_S = 120
/** RFC 6762, 8.3: a second announcement follows after one second; 6: a record is multicast at most once a second. */
const INTERVAL_MS = 1000
const INSTANCE_BYTES = 8

/**
 * Announces a link, sealed with a code, and answers those who search. Resolves once it was sent.
 * @throws MulticastUnavailable
 * @throws LinkTooLong
 */
export async function announce({ link, code, nodePort, seconds, ...network }: AnnounceOptions): Promise<Announcing> {
  const announcement = { instance: randomBytes(INSTANCE_BYTES).toString('hex'), ...(await sealLink(link, code)) }
  const multicast = await openMulticast(network)
  let isRecent = false
  let ended: Promise<void> | undefined
  const send = (ttl = TTL_S): Promise<void> => multicast.send(announcementPacket(announcement, nodePort, ttl))
  const resend = (): void => {
    if (isRecent || ended !== undefined) return
    isRecent = true
    timers.push(setTimeout(() => (isRecent = false), INTERVAL_MS))
    void send().catch(() => undefined)
  }
  const end = async (): Promise<void> => {
    for (const timer of timers) clearTimeout(timer)
    await send(0).catch(() => undefined)
    await multicast.close()
  }
  const timers = [setTimeout(resend, INTERVAL_MS), setTimeout(() => void (ended ??= end()), seconds * 1000)]
  multicast.listen((packet) => {
    if (asksForAnnouncements(packet)) resend()
  })
  const announcing: Announcing = { end: () => (ended ??= end()) }
  try {
    await send()
    return announcing
  } catch (error) {
    await announcing.end()
    throw error
  }
}
