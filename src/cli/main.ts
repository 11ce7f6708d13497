/** Entry point of the command line. */
import { productVersion } from '../server/base/version.js'
import { processTerminal } from './terminal/terminal.js'

/** Exit code after Ctrl-C. */
const INTERRUPTED = 130

/**
 * Runs a command line (without `node` and the script) and sets the exit code of the process.
 * Everything except the version is loaded on demand, so that calls answer quickly.
 */
export async function main(argv: string[]): Promise<void> {
  const { env } = process
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    await processTerminal({ env }).write(`${productVersion()}\n`)
    return
  }
  const [command, kind, dashes, ...typed] = argv
  if (command === '__complete' && dashes === '--') {
    const { completionNames, NAME_KINDS } = await import('./help/completion/completionNames.js')
    const known = NAME_KINDS.find((each) => each === kind)
    if (known !== undefined) {
      const names = await completionNames({ env }, known, typed)
      await processTerminal({ env }).write(names.map((name) => `${name}\n`).join(''))
      process.exitCode = 0
      return
    }
  }
  const { runCommandLine } = await import('./program.js')
  process.exitCode = await runCommandLine(argv, { env, terminal: processTerminal })
  // An interrupted command leaves work behind, such as a store that is being opened. Writes of stores are safe against an end of the process.
  if (process.exitCode === INTERRUPTED) process.exit(INTERRUPTED)
}
