/** Maintenance of the store of a running node. */
import type { NodeMethod } from '../control.js'
import { workTarget } from '../../maintenance/work/workTarget.js'
import { noteCheck } from '../../maintenance/work/lastCheck.js'
import { doWork, workNames, workProgress } from '../../maintenance/work/work.js'

export const storeMethods: Readonly<Record<string, NodeMethod>> = {
  ...Object.fromEntries(workNames.map((name): [string, NodeMethod] => [name, (node, params, left) => doWork(workTarget(node), name, params, left)])),
  async 'store.check'(node, params, left) {
    const result = await doWork(workTarget(node), 'store.check', params, left)
    const isWhole = params['user'] === undefined && params['sample'] === undefined
    noteCheck(node.store.db, result, { at: node.clock.now(), isWhole })
    return result
  },
  'store.progress': (node) => workProgress(workTarget(node)),
}
