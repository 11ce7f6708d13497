/** Links that open a page signed in, once: the operator makes them at the terminal. They are in memory of the node. */
import { createHash, randomBytes } from 'node:crypto'
import { Secret } from '../../store/model/secret.js'
import type { Aim } from './page.js'

/** What a link opens. */
export interface OneTimeLink {
  /** Prefix of the account. */
  account: string
  page: Aim
  /** Opens the session of the pages, and answers its token. */
  enter(): Promise<Secret<string>>
}

export interface OneTimeLinks {
  /** Keeps a link for a short while. Answers the code that uses it, and until when, in seconds. */
  make(link: OneTimeLink): { code: Secret<string>; expires: number }
  /** Uses a code up: of all who bring it, one gets the link. Undefined for unknown, used and expired codes. */
  take(code: string): OneTimeLink | undefined
}

const CODE_BYTES = 32
const LIFETIME_SECONDS = 120
/** More than these do not wait at once: the oldest gives way. */
const MOST = 100

const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex')

/** `now` in seconds. */
export function createOneTimeLinks(now: () => number): OneTimeLinks {
  // By the digest of the code, in the order of making, which is that of their end.
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
