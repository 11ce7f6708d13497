/**
 * Process in which a test opens, stops and kills nodes. Arguments: the home, and settings as JSON. Lines of the input: `open`,
 * `close`, and commands of the caller; the process answers each by a line of JSON, after a first one, `{"ready":true}`.
 */
import { createInterface } from 'node:readline'
import { loadConfig } from '../../src/server/config/config.js'
import { createLog } from '../../src/server/base/log.js'
import { runNode, type RunningNode } from '../../src/server/launch/run.js'
import type { NodeOptions } from '../../src/server/index.js'
import { StoreLocked } from '../../src/store/engine/lock.js'

export const say = (line: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** Serves until the input ends. `other` runs the commands of the caller, with the open node; `options` replace parts of nodes. */
export async function serve(
  other?: (running: RunningNode, words: string[]) => Promise<void>,
  options: Pick<NodeOptions, 'registry'> = {},
): Promise<void> {
  const [home = '', settings = '{}'] = process.argv.slice(2)
  const flags = { 'http.port': 0, ...(JSON.parse(settings) as Record<string, unknown>) }
  let running: RunningNode | undefined

  async function open(): Promise<void> {
    try {
      running = await runNode({
        store: `${home}/store`,
        key: `${home}/node.key`,
        socket: `${home}/${process.pid}.sock`,
        config: loadConfig({ file: `${home}/config.toml`, flags }),
        ...options,
        log: createLog('error', () => 0, (line) => void process.stderr.write(line)),
      })
      say({ url: running.url })
    } catch (error) {
      const holder = error instanceof StoreLocked ? { holder: error.pid ?? null } : {}
      say({ refused: error instanceof Error ? error.constructor.name : 'unknown', message: String(error), ...holder })
    }
  }

  say({ ready: true })
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'open') await open()
    else if (line === 'close') {
      await running?.stop(1000)
      running = undefined
      say({ closed: true })
    } else if (running !== undefined) await other?.(running, line.split(' '))
  }
  await running?.stop(0)
}
