/** The door of the pages: loaded with the first page that somebody asks for, not with the node. */
import type { WebPages } from '../http/listen.js'
import type { Node } from '../node.js'

const ROOT = '/web'

export function pagesOf(node: Node): WebPages {
  let loading: Promise<{ fetch: WebPages['fetch'] }> | undefined
  return {
    has: (path) => path === ROOT || path.startsWith(`${ROOT}/`),
    async fetch(request, bindings) {
      loading ??= import('./router.js').then(({ createPages }) => createPages(node, ROOT))
      return (await loading).fetch(request, bindings)
    },
  }
}
