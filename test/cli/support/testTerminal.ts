/** Terminal stub with a given input and a recorded output. */
import { PassThrough, Writable } from 'node:stream'
import { runCommandLine } from '../../../src/cli/program.js'
import type { Environment } from '../../../src/cli/framework/paths.js'
import { terminalOver } from '../../../src/cli/terminal/terminal.js'
import type { Streams, Terminal, TerminalChoices } from '../../../src/cli/terminal/terminal.js'

export interface Screen {
  streams: Streams & { stdin: PassThrough }
  out(): string
  err(): string
  /** Exit codes with which the terminal asked to end the process. */
  exits: number[]
  terminal(choices?: Partial<TerminalChoices>): Terminal
}

/** Creates a stub; `tty` selects the streams that are terminals. */
export function screen(tty: { stdin?: boolean; stdout?: boolean; stderr?: boolean; columns?: number } = {}): Screen {
  const recorded = { out: '', err: '' }
  const sink = (name: 'out' | 'err'): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        recorded[name] += String(chunk)
        done()
      },
    })
  const streams = {
    stdin: Object.assign(new PassThrough(), { isTTY: tty.stdin === true }),
    stdout: Object.assign(sink('out'), { isTTY: tty.stdout === true, columns: tty.columns ?? 80 }),
    stderr: Object.assign(sink('err'), { isTTY: tty.stderr === true, columns: tty.columns ?? 80 }),
  }
  const exits: number[] = []
  return {
    streams,
    out: () => recorded.out,
    err: () => recorded.err,
    exits,
    terminal: (choices) => terminalOver(streams, { env: {}, ...choices }, (code) => exits.push(code)),
  }
}

/** Runs a command line in this process; `line` is split at spaces, or given as a list of words. */
export async function coffer(
  line: string | readonly string[],
  given: { env?: Environment; stdin?: string; tty?: boolean } = {},
): Promise<{ code: number; out: string; err: string }> {
  const tty = given.tty === true
  const shown = screen({ stdin: tty, stdout: tty, stderr: tty })
  shown.streams.stdin.end(given.stdin ?? '')
  const env = given.env ?? {}
  const argv = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line
  const code = await runCommandLine(argv, { env, terminal: (choices) => shown.terminal({ ...choices, env }) })
  return { code, out: shown.out(), err: shown.err() }
}
