/**
 * One-time links that open a page signed in (`coffer open`). The operator creates them at the terminal; they are stored
 * in memory only.
 */
import { randomBytes } from 'node:crypto'
import { secretDigest } from '../base/secretDigest.js'
import { Secret } from '../../store/model/secret.js'
import type { LoginTarget } from './flow.js'

/** The target of a one-time link. */
interface OneTimeLink {
  /** Prefix of the account. */
  account: string
  page: LoginTarget
  /** Opens a session of the pages and returns its token. */
  openSession(): Promise<Secret<string>>
}

interface OneTimeLinks {
  /** Creates a link that is valid for two minutes. Returns its code and the time of its expiry, in seconds since 1970. */
  create(link: OneTimeLink): { code: Secret<string>; expires: number }
  /** Consumes a code and returns its link. Returns undefined for unknown, used and expired codes. */
  consume(code: string): OneTimeLink | undefined
}

const CODE_BYTES = 32
const LIFETIME_SECONDS = 120
/** Maximum number of stored links; the oldest is dropped. */
const MAX_LINKS = 100

/** Creates the store of one-time links. `now` is in seconds. */
export function createOneTimeLinks(now: () => number): OneTimeLinks {
  // By the digest of the code, in order of creation, which is also the order of expiry.
  const links = new Map<string, OneTimeLink & { expires: number }>()
  return {
    create(link) {
      const oldest = links.keys().next().value
      if (links.size >= MAX_LINKS && oldest !== undefined) links.delete(oldest)
      const code = randomBytes(CODE_BYTES).toString('base64url')
      const expires = now() + LIFETIME_SECONDS
      links.set(secretDigest(code), { ...link, expires })
      return { code: new Secret(code), expires }
    },
    consume(code) {
      const digest = secretDigest(code)
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
