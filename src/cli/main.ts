/** Where a call of coffer begins. */
import { productVersion } from '../server/version.js'
import { processTerminal } from './terminal/terminal.js'

/**
 * Runs a command line (without `node` and the script) and sets the exit code of the process.
 * Everything but the version is loaded when it is needed: a call should answer before a person notices.
 */
export async function main(argv: string[]): Promise<void> {
  const { env } = process
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    await processTerminal({ env }).write(`${productVersion()}\n`)
    return
  }
  const { runCommandLine } = await import('./program.js')
  process.exitCode = await runCommandLine(argv, { env, terminal: processTerminal })
}
