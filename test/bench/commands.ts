/** Measures the duration of command processes, compared with a Node.js process that does nothing. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { register } from './account.js'
import { latencyRow } from './live.js'
import type { Measured } from './measure.js'
import { startNode } from './processes.js'

export const commandRows = ['command-version', 'command-users', 'command-users-closed'] as const
export type CommandRow = (typeof commandRows)[number]

const MAX_MS = 250
const RUNS = 15
const WARM_UPS = 2

const PROGRAM = fileURLToPath(new URL('../../bin/coffer.js', import.meta.url))
const run = promisify(execFile)

/** Runs a command on the node of a home. */
export async function runCommand(home: string, ...words: string[]): Promise<void> {
  await run(process.execPath, [PROGRAM, ...words, '--home', home])
}

/** Measures a command without a node, one that calls the running node, and the same one on a closed store. */
export async function measureCommands(home: string, isSelected: (id: CommandRow) => boolean, record: (measured: Measured) => void): Promise<void> {
  const node = await startNode(home)
  for (const username of ['ana-lovelace', 'ben-hopper']) await register(node, username)
  const list = (): Promise<void> => runCommand(home, 'users', 'list')
  if (isSelected('command-version')) {
    record(await measureCommand('command-version', 'coffer --version', async () => void (await run(process.execPath, [PROGRAM, '--version']))))
  }
  if (isSelected('command-users')) record(await measureCommand('command-users', 'coffer users list, node running', list))
  await node.stop()
  if (isSelected('command-users-closed')) record(await measureCommand('command-users-closed', 'coffer users list, closed store', list))
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
