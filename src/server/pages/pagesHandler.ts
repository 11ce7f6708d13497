/** HTTP handler of the pages. Loads the page code with the first request, not at startup. */
import { PAGES_PATH } from '../config/apiEndpoint.js'
import type { WebPages } from '../http/root.js'
import type { PagesContext } from './page.js'

/** Pages that exist on the hosts of accounts too. */
const accountPaths = ['/account', '/assets', '/shared'].map((path) => PAGES_PATH + path)

export function pagesOf(node: PagesContext): WebPages {
  let loading: Promise<{ fetch: WebPages['fetch'] }> | undefined
  return {
    has: (path) => path === PAGES_PATH || path.startsWith(`${PAGES_PATH}/`),
    isOnAccountHost: (path) => accountPaths.some((start) => path === start || path.startsWith(`${start}/`)),
    async fetch(request, bindings) {
      loading ??= import('./router.js').then(({ createPages }) => createPages(node, PAGES_PATH))
      return (await loading).fetch(request, bindings)
    },
  }
}
