/**
 * Cookies of the pages. Values are sealed, so that nobody reads or makes them; the names tell nodes on one host apart,
 * since cookies do not know ports. Calls of the interface never look at cookies.
 */
import { parseCookies } from '../base/parseCookies.js'
import type { Node } from '../node.js'
import { pagesRoot } from './links.js'

/**
 * `session`: who is signed in. `form`: against forged forms. `step`: what a further step of signing in continues. `enrol`: a
 * second factor that waits for its confirmation. `register`: an address on the way to being proved, or its proof. `reset`,
 * `verify`: what a mailed link brought. `for`: the account that a request is answered for. `away`: what goes on when somebody
 * comes back from a third party.
 */
export type CookieName = 'session' | 'form' | 'step' | 'enrol' | 'register' | 'reset' | 'verify' | 'for' | 'away'

export interface Cookies {
  /** The value of a cookie of this node; undefined when it is absent, altered or of another node. */
  get(name: CookieName): string | undefined
  /** Sets a cookie, for `seconds` or until the browser is closed. */
  set(name: CookieName, value: string, seconds?: number): void
  remove(name: CookieName): void
  /** The `Set-Cookie` headers of what was changed. */
  headers(): string[]
}

const place = (name: CookieName): string => `cookie ${name}`

/** The cookies of a request, by its `Cookie` header. */
export function cookiesOf(node: Node, header: string | undefined): Cookies {
  const { seal } = node.store
  const given = parseCookies(header)
  const mark = seal.digest('name of cookies').slice(0, 6).replace(/\W/g, 'x')
  const fullName = (name: CookieName): string => `coffer_${mark}_${name}`
  const secure = node.publicBase().startsWith('https:') ? '; Secure' : ''
  const attributes = `; Path=${pagesRoot(node)}; HttpOnly; SameSite=Lax${secure}`
  const changed = new Map<CookieName, string>()
  return {
    get(name) {
      const sealed = given.get(fullName(name))
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
    headers: () => [...changed.values()],
  }
}
