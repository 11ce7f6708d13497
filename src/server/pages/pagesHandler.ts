/** HTTP handler of the pages. Loads the page code with the first request, not at startup. */
import { PAGES_PATH } from '../config/apiEndpoint.js'
import { asFailure } from '../dispatch/call.js'
import type { WebPages } from '../http/root.js'
import type { PagesContext } from './page.js'

/** Pages that exist on the hosts of accounts too. */
const accountPaths = ['/account', '/assets', '/shared'].map((path) => PAGES_PATH + path)

type Router = Pick<WebPages, 'fetch'>

const loadRouter = async (node: PagesContext): Promise<Router> => (await import('./router.js')).createPages(node, PAGES_PATH)

/** Creates the handler; `load` loads the page code. */
export function pagesOf(node: PagesContext, load = loadRouter): WebPages {
  let loading: Promise<Router> | undefined
  return {
    has: (path) => path === PAGES_PATH || path.startsWith(`${PAGES_PATH}/`),
    isOnAccountHost: (path) => accountPaths.some((start) => path === start || path.startsWith(`${start}/`)),
    async fetch(request, bindings) {
      loading ??= load(node)
      let router: Router
      try {
        router = await loading
      } catch (error) {
        loading = undefined
        return unavailable(asFailure(node, 'pages', error).message)
      }
      return router.fetch(request, bindings)
    },
  }
}

/** Returns the answer when the page code cannot be loaded: another version was installed over the running node. */
const unavailable = (message: string): Response =>
  new Response(`${message}\n`, {
    status: 503,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' },
  })
