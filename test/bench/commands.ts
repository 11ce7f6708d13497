/** Measures the duration of command processes, compared with a Node.js process that does nothing. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createStreams, creations, register } from './account.js'
import { callApi } from './client.js'
import { latencyRow } from './live.js'
import type { Measured } from './measure.js'
import { startNode } from './processes.js'

/** Rows, with the words of the command and the state of the node. */
const measuredCommands = {
  'command-version': { words: ['--version'], state: 'running' },
  'command-help': { words: ['--help'], state: 'running' },
  'command-users': { words: ['users', 'list'], state: 'running' },
  'command-events': { words: ['events', 'list', '--user', 'ana-lovelace'], state: 'running' },
  'command-users-closed': { words: ['users', 'list'], state: 'closed' },
  'command-events-closed': { words: ['events', 'list', '--user', 'ana-lovelace'], state: 'closed' },
} as const

export type CommandRow = keyof typeof measuredCommands
export const commandRows = Object.keys(measuredCommands) as CommandRow[]

const MAX_MS = 250
const RUNS = 15
const WARM_UPS = 2

const PROGRAM = fileURLToPath(new URL('../../bin/coffer.js', import.meta.url))
const run = promisify(execFile)

/** Runs a command on the node of a home. */
export async function runCommand(home: string, ...words: string[]): Promise<void> {
  await run(process.execPath, [PROGRAM, ...words, '--home', home])
}

/** Measures commands without a node, those that call the running node, and the same ones on a closed store. */
export async function measureCommands(home: string, isSelected: (id: CommandRow) => boolean, record: (measured: Measured) => void): Promise<void> {
  const node = await startNode(home)
  const ana = await register(node, 'ana-lovelace')
  await register(node, 'ben-hopper')
  await createStreams(node, ana)
  await callApi(node, { verb: 'POST', path: ana.username, token: ana.token, body: creations() })
  for (const state of ['running', 'closed'] as const) {
    if (state === 'closed') await node.stop()
    for (const id of commandRows) {
      const { words, state: needed } = measuredCommands[id]
      if (needed !== state || !isSelected(id)) continue
      const isOption = words[0].startsWith('--')
      // A home would be an argument of the help.
      const work = isOption ? async (): Promise<void> => void (await run(process.execPath, [PROGRAM, ...words])) : () => runCommand(home, ...words)
      record(await measureCommand(id, `coffer ${words.slice(0, 2).join(' ')}${isOption ? '' : state === 'running' ? ', node running' : ', closed store'}`, work))
    }
  }
}

async function measureCommand(id: CommandRow, label: string, work: () => Promise<void>): Promise<Measured> {
  const nothing = async (): Promise<void> => void (await run(process.execPath, ['-e', '0']))
  for (let n = 0; n < WARM_UPS; n++) await work()
  const times: number[] = []
  const floors: number[] = []
  for (let n = 0; n < RUNS; n++) {
    floors.push(await timed(nothing))
    times.push(await timed(work))
  }
  return latencyRow({ id, label, max: MAX_MS }, times, floors)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
