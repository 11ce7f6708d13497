/** One-time links that open a page signed in. The operator creates them at the terminal; they are in memory only. */
import { createHash, randomBytes } from 'node:crypto'
import { Secret } from '../../store/model/secret.js'
import type { Aim } from './flow.js'

/** The target of a one-time link. */
interface OneTimeLink {
  /** Prefix of the account. */
  account: string
  page: Aim
  /** Opens a session of the pages and returns its token. */
  enter(): Promise<Secret<string>>
}

interface OneTimeLinks {
  /** Stores a link for a short time. Returns its code and the time of its expiry, in seconds. */
  make(link: OneTimeLink): { code: Secret<string>; expires: number }
  /** Consumes a code and returns its link. Returns undefined for unknown, used and expired codes. */
  take(code: string): OneTimeLink | undefined
}

const CODE_BYTES = 32
const LIFETIME_SECONDS = 120
/** Maximum number of stored links; the oldest is dropped. */
const MOST = 100

const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex')

/** Creates the store of one-time links. `now` is in seconds. */
export function createOneTimeLinks(now: () => number): OneTimeLinks {
  // By the digest of the code, in order of creation, which is also the order of expiry.
  const links = new Map<string, OneTimeLink & { expires: number }>()
  return {
    make(link) {
      const oldest = links.keys().next().value
      if (links.size >= MOST && oldest !== undefined) links.delete(oldest)
      const code = randomBytes(CODE_BYTES).toString('base64url')
      const expires = now() + LIFETIME_SECONDS
      links.set(digestOf(code), { ...link, expires })
      return { code: new Secret(code), expires }
    },
    take(code) {
      const digest = digestOf(code)
      const link = links.get(digest)
      links.delete(digest)
      return link === undefined || link.expires <= now() ? undefined : link
    },
  }
}

/** Needed by functions that open pages signed in. */
export interface OneTimeLinkDeps {
  readonly oneTimeLinks: OneTimeLinks
}
