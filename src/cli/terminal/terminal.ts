/**
 * The terminal: the only reader of the process's streams. It decides on colour, width and whether a person can be
 * asked, so that commands behave alike on a terminal, in a pipe and under a service manager.
 */
import type { Readable, Writable } from 'node:stream'
import pc from 'picocolors'
import type { ExitCode } from '../framework/exit.js'
import { guardedScreen } from './output/screenGuard.js'
import type { Environment } from '../framework/paths.js'

export type Paint = ReturnType<typeof pc.createColors>

export interface Streams {
  stdin: Readable & { isTTY?: boolean; setRawMode?(on: boolean): unknown }
  stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number }
  stderr: Writable & { isTTY?: boolean; columns?: number }
}

export interface Terminal {
  /** Those of screens let nothing through that could steer them but the program's own sequences. */
  readonly streams: Streams
  /** Whether a person, not a pipe, reads stdout and stderr. */
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** Characters per line of stdout; 80 where unknown. */
  readonly width: number
  /** Whether questions may be put: someone sits there and did not forbid it. */
  readonly mayAsk: boolean
  /** Whether a screen may be drawn that is driven by single keys. */
  readonly mayShowScreens: boolean
  readonly paintOut: Paint
  readonly paintErr: Paint
  /** Writes to stdout; waits while the reader is slow. */
  write(text: string): Promise<void>
  /** Writes to stderr. */
  writeStderr(text: string): void
  /** All of stdin as text. */
  readAll(): Promise<string>
  /** From now on the process outlives its stdout: what it does matters more than who reads of it. */
  outlive(): void
}

export interface TerminalChoices {
  env: Environment
  /** `--no-color` gives false. */
  color?: boolean
  /** `--no-input` gives false. */
  input?: boolean
}

/** Whether to colour a stream; colour never carries meaning alone. */
export function mayColour(isTerminal: boolean, { env, color }: TerminalChoices): boolean {
  const force = env['FORCE_COLOR']
  if (color === false || force === '0' || force === 'false') return false
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  if (force !== undefined && force !== '') return true
  return isTerminal && env['TERM'] !== 'dumb'
}

/** A terminal over the given streams. `leave` ends the process when stdout is gone. */
export function terminalOver(streams: Streams, choices: TerminalChoices, leave: (code: ExitCode) => void): Terminal {
  const { stdin } = streams
  const outIsTerminal = streams.stdout.isTTY === true
  const errIsTerminal = streams.stderr.isTTY === true
  const stdout = outIsTerminal ? guardedScreen(streams.stdout) : streams.stdout
  const stderr = errIsTerminal ? guardedScreen(streams.stderr) : streams.stderr
  const mayAsk = choices.input !== false && stdin.isTTY === true && errIsTerminal
  // A dumb terminal cannot move its cursor, and ink draws nothing on a build machine.
  const isBuild = ['CI', 'CONTINUOUS_INTEGRATION'].some((name) => !['0', 'false'].includes(choices.env[name] ?? '0'))
  const canDraw = choices.env['TERM'] !== 'dumb' && !isBuild
  let isBound = true
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isBound) return
    // `coffer … | head` closed the pipe: it has what it wanted.
    if (error.code !== 'EPIPE') stderr.write(`✖ stdout cannot be written: ${error.message}\n`)
    leave(error.code === 'EPIPE' ? 0 : error.code === 'ENOSPC' ? 75 : 1)
  })
  stderr.on('error', () => undefined)
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
        const go = (): void => {
          stdout.off('drain', go).off('close', go)
          resolve()
        }
        stdout.on('drain', go).on('close', go)
      }),
    writeStderr: (text) => void stderr.write(text),
    readAll: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString('utf8')
    },
    outlive: () => {
      isBound = false
    },
  }
}

/** The terminal of this process. Call once. */
export function processTerminal(choices: TerminalChoices): Terminal {
  const { stdin, stdout, stderr } = process
  return terminalOver({ stdin, stdout, stderr }, choices, (code) => process.exit(code))
}
