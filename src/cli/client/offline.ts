/** Opens the closed store of a home in this process: the same methods, without a listening node. */
import type { Config } from '../../server/config/config.js'
import { createControl } from '../../server/control/control.js'
import { openNode } from '../../server/index.js'
import { createLog } from '../../server/base/log.js'
import { methods } from '../../server/api/methods.js'
import { RawList, resultText } from '../../server/call/results.js'
import { systemClock } from '../../server/base/clock.js'
import type { Opening } from '../../store/keyring/nodeKey.js'
import { pathsOf } from '../framework/paths.js'
import { listOf, recordOf } from './answer.js'
import { typedClient, type Authority, type NodeClient } from './nodeClient.js'
import { limitCommandHeap } from './nodeHeap.js'
import { storeProblem } from './storeProblem.js'

/**
 * Opens the store in `home`.
 * @throws CommandError 10 without a store, 11 when another process has locked it, 12 for a wrong passphrase of its key, 13
 * when it is damaged
 */
export async function openOffline(home: string, config: Config, passphrase?: Opening['passphrase']): Promise<NodeClient> {
  const paths = pathsOf({ home, env: {} })
  const log = createLog('error', () => systemClock.now(), (line) => void process.stderr.write(line))
  const { operatorMethods } = await import('../../server/control/operatorMethods.js')
  limitCommandHeap()
  const node = await openNode({ store: paths.store, key: paths.key, passphrase, config, log }).catch((error: unknown) => {
    throw storeProblem(error, home)
  })
  const control = createControl(node, methods, operatorMethods)
  return typedClient({
    kind: 'offline' as const,
    async call(method: string, params: unknown, as: Authority): Promise<Record<string, unknown>> {
      const text = await resultText(await control.call(method, params, as), Infinity)
      return JSON.parse(text) as Record<string, unknown>
    },
    async *texts(method: string, params: unknown, as: Authority, list: string): AsyncGenerator<string[]> {
      const items = (await control.call(method, params, as))[list]
      if (items instanceof RawList && items.joined === undefined) return yield* items.pages
      const text = await resultText(items === undefined ? {} : { items }, Infinity)
      yield listOf(recordOf(JSON.parse(text))['items']).map((item) => JSON.stringify(item))
    },
    close: () => node.close(),
  })
}
