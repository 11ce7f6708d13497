/**
 * Cookies of the pages. Values are encrypted and authenticated. Names contain a mark of the node, because cookies are
 * shared by all ports of a host. API calls never read cookies.
 */
import { parseCookies } from '../base/parseCookies.js'
import type { Context } from '../call/context.js'
import { pagesRoot } from './links.js'

/**
 * Names of the cookies.
 * `session`: the signed-in user. `form`: protection against forged forms (CSRF). `step`: the login that a second step
 * continues. `enrol`: a second factor that waits for its confirmation. `register`: an address being verified, or its
 * proof. `reset`, `verify`: the content of a mailed link. `for`: the account that a request is answered for. `away`:
 * the flow to resume after a third-party login. `export`: the confirmed download of an account. `operator`: the operator's session.
 * `view-<id>`: a shared link that was opened.
 */
export type CookieName = 'session' | 'form' | 'step' | 'enrol' | 'register' | 'reset' | 'verify' | 'for' | 'away' | 'export' | 'operator' | ViewCookie

export type ViewCookie = `view-${string}`

export interface Cookies {
  /** Returns the value of a cookie of this node; undefined when it is absent, altered or from another node. */
  get(name: CookieName): string | undefined
  /** Sets a cookie for `seconds`; without them, until the browser is closed. */
  set(name: CookieName, value: string, seconds?: number): void
  remove(name: CookieName): void
  /** Returns the names of the cookies of shared links, the oldest first. */
  views(): ViewCookie[]
  /** Returns the `Set-Cookie` headers of the changed cookies. */
  headers(): string[]
}

const place = (name: CookieName): string => `cookie ${name}`

/** Parses the `Cookie` header of a request. */
export function cookiesOf(node: Context, header: string | undefined): Cookies {
  const { seal } = node.store
  const cookies = parseCookies(header)
  const mark = seal.digest('name of cookies').slice(0, 6).replace(/\W/g, 'x')
  const fullName = (name: CookieName): string => `coffer_${mark}_${name}`
  const secure = node.publicBase().startsWith('https:') ? '; Secure' : ''
  const attributes = `; Path=${pagesRoot(node)}; HttpOnly; SameSite=Lax${secure}`
  const changed = new Map<CookieName, string>()
  return {
    get(name) {
      const sealed = cookies.get(fullName(name))
      if (sealed === undefined) return undefined
      try {
        return seal.open(sealed, place(name))
      } catch {
        return undefined
      }
    },
    set(name, value, seconds) {
      const age = seconds === undefined ? '' : `; Max-Age=${Math.floor(seconds)}`
      changed.set(name, `${fullName(name)}=${seal.seal(value, place(name))}${attributes}${age}`)
    },
    remove(name) {
      changed.set(name, `${fullName(name)}=${attributes}; Max-Age=0`)
    },
    views() {
      const start = fullName('view-')
      return [...cookies.keys()].filter((name) => name.startsWith(start)).map((name): ViewCookie => `view-${name.slice(start.length)}`)
    },
    headers: () => [...changed.values()],
  }
}
