/**
 * Access to the process's streams. Decides on colour, width and prompts, so that commands behave alike on a terminal, in a
 * pipe and under a service manager.
 */
import type { Readable, Writable } from 'node:stream'
import pc from 'picocolors'
import { usageError, type ExitCode } from '../framework/exit.js'
import { guardedScreen } from './output/screenGuard.js'
import type { Environment } from '../framework/paths.js'

export type Paint = ReturnType<typeof pc.createColors>

export interface Streams {
  stdin: Readable & { isTTY?: boolean; setRawMode?(on: boolean): unknown }
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number }
}

export interface Terminal {
  /** On a terminal, output streams pass only the program's own control sequences. */
  readonly streams: Streams
  /** True when stdout is a terminal; `errIsTerminal` for stderr. */
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** Characters per line of stdout; 80 where unknown. */
  readonly width: number
  /** True when prompts are possible and not disabled. */
  readonly mayAsk: boolean
  /** True when full screens with single-key input are possible. */
  readonly mayShowScreens: boolean
  readonly paintOut: Paint
  readonly paintErr: Paint
  /** Writes to stdout; waits while the reader is slow. */
  write(text: string): Promise<void>
  /** Writes to stderr. */
  writeStderr(text: string): void
  /**
   * Returns stdin for reading; on a terminal, notes what it waits for: `the events`.
   * @throws CommandError 2 when it was read before, except on a terminal
   */
  openStdin(what: string): Streams['stdin']
  /** Reads all of stdin as text, like `openStdin`. */
  readAll(what: string): Promise<string>
  /** Keeps the process running from now on when stdout is closed. */
  ignoreClosedStdout(): void
}

export interface TerminalChoices {
  env: Environment
  /** `--no-color` gives false. */
  color?: boolean
  /** `--no-input` gives false. */
  input?: boolean
}

/** Checks whether to colour a stream; colour never carries meaning alone. */
export function mayColour(isTerminal: boolean, { env, color }: TerminalChoices): boolean {
  const force = env['FORCE_COLOR']
  if (color === false || force === '0' || force === 'false') return false
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (force !== undefined && force !== '') return true
  return isTerminal && env['TERM'] !== 'dumb'
}

/** Creates a terminal over the given streams. `exit` ends the process when stdout is closed. */
export function terminalOver(streams: Streams, choices: TerminalChoices, exit: (code: ExitCode) => void): Terminal {
  const { stdin } = streams
  const outIsTerminal = streams.stdout.isTTY === true
  const errIsTerminal = streams.stderr.isTTY === true
  const stdout = outIsTerminal ? guardedScreen(streams.stdout) : streams.stdout
  const stderr = errIsTerminal ? guardedScreen(streams.stderr) : streams.stderr
  const mayAsk = choices.input !== false && stdin.isTTY === true && errIsTerminal
  // A dumb terminal cannot move its cursor, and ink draws nothing in CI.
  const isBuild = ['CI', 'CONTINUOUS_INTEGRATION'].some((name) => !['0', 'false'].includes(choices.env[name] ?? '0'))
  const canDraw = choices.env['TERM'] !== 'dumb' && !isBuild
  let exitsWithStdout = true
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!exitsWithStdout) return
    // `coffer … | head` closed the pipe after reading enough.
    if (error.code !== 'EPIPE') stderr.write(`✖ cannot write to stdout: ${error.message}\n`)
    exit(error.code === 'EPIPE' ? 0 : error.code === 'ENOSPC' ? 75 : 1)
  })
  stderr.on('error', () => undefined)
  let readBefore: string | undefined
  const openStdin: Terminal['openStdin'] = (what) => {
    if (readBefore !== undefined && stdin.isTTY !== true) {
      throw usageError(`${readBefore} and ${what} cannot both be read from stdin`, 'Put one of them into a file, and pass its path.')
    }
    readBefore = what
    if (stdin.isTTY === true) stderr.write(`Reading ${what} from the terminal; end with Ctrl-D on an empty line\n`)
    return stdin
  }
  return {
    streams: { stdin, stdout, stderr },
    outIsTerminal,
    errIsTerminal,
    width: stdout.columns ?? 80,
    mayAsk,
    mayShowScreens: mayAsk && outIsTerminal && canDraw && stdin.setRawMode !== undefined,
    paintOut: pc.createColors(mayColour(outIsTerminal, choices)),
    paintErr: pc.createColors(mayColour(errIsTerminal, choices)),
    write: (text) =>
      new Promise((resolve) => {
        if (stdout.destroyed || stdout.write(text)) return resolve()
        const finish = (): void => {
          stdout.off('drain', finish).off('close', finish)
          resolve()
        }
        stdout.on('drain', finish).on('close', finish)
      }),
    writeStderr: (text) => void stderr.write(text),
    openStdin,
    readAll: async (what) => {
      const chunks: Buffer[] = []
      for await (const chunk of openStdin(what)) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString('utf8')
    },
    ignoreClosedStdout: () => {
      exitsWithStdout = false
    },
  }
}

/** Returns the terminal of this process. Call once. */
export function processTerminal(choices: TerminalChoices): Terminal {
  const { stdin, stdout, stderr } = process
  return terminalOver({ stdin, stdout, stderr }, choices, (code) => process.exit(code))
}
