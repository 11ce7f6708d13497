/** Work on the node's own store, while it runs. */
import type { NodeMethod } from '../control.js'
import { groundOf } from '../storeWork/ground.js'
import { doWork, workNames, workProgress } from '../storeWork/work.js'

export const storeMethods: Readonly<Record<string, NodeMethod>> = {
  ...Object.fromEntries(workNames.map((name): [string, NodeMethod] => [name, (node, params, left) => doWork(groundOf(node), name, params, left)])),
  'store.progress': (node) => workProgress(groundOf(node)),
}
