/** Starts a node in the background: runs `coffer start` in its own process until it listens or has failed. */
import { spawn } from 'node:child_process'
import { CommandError, exitCodes, type ExitCode } from '../framework/exit.js'
import { recordOf, textOf, type Record_ } from './answer.js'

/**
 * Runs `coffer <words> --json` detached from this process; returns its first line of output.
 * @throws CommandError with the failure of that command
 */
export async function startDetached(words: readonly string[]): Promise<Record_> {
  const line = [...process.execArgv, process.argv[1] ?? '', ...words, '--json', '--no-input']
  const child = spawn(process.execPath, line, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  const started = await new Promise<Record_>((resolve, reject) => {
    child.on('error', reject)
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const end = out.indexOf('\n')
      if (end >= 0) resolve(recordOf(JSON.parse(out.slice(0, end))))
    })
    child.on('close', (code) => reject(failureOf(err, code)))
  })
  // The node writes its log to a file; its output is no longer read.
  child.stdout.destroy()
  child.stderr.destroy()
  child.unref()
  return started
}

/** Converts the failure that the command printed under --json. */
function failureOf(stderr: string, code: number | null): CommandError {
  const exit: ExitCode = exitCodes.find((each) => each.code === code)?.code ?? 1
  try {
    const { error } = recordOf(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? ''))
    const { message, data } = recordOf(error)
    const hint = textOf(recordOf(data)['hint'])
    return new CommandError(textOf(message), { exit, ...(hint === '' ? {} : { hint }) })
  } catch {
    return new CommandError(`The node did not start: ${stderr.trim() || `it exited with ${code ?? 'a signal'}`}`, { exit: exit === 0 ? 1 : exit })
  }
}
