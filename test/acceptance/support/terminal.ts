/** Runs the real binary on a terminal of script(1), controlled by the test. */
import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { binary, words } from './coffer.js'
import type { Env, Line } from './coffer.js'

export interface Session {
  /**
   * Resolves with the output since the last keys, once it contains all texts. Rejects when the command ends before. Other
   * texts may still be missing, because screens are drawn in parts.
   */
  shows(...texts: readonly string[]): Promise<string>
  type(keys: string): void
  /** Resolves with the complete output, the same with escape sequences, and the exit code when the command has ended. */
  ended: Promise<{ code: number | null; screen: string; raw: string }>
}

const escapes = /\u001b\[[?\d;]*[A-Za-z]/g

/** Removes cursor movements and colours from the output. */
export const plain = (screen: string): string => screen.replace(escapes, '').replaceAll('\r\n', '\n')

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

interface Size {
  columns?: number
  rows?: number
}

/** Runs `coffer <line>` on a terminal, by default of 100 columns. */
export function onTerminal(line: Line, { env, columns = 100 }: { env?: Env; columns?: number } = {}): Session {
  const command = ['exec', ...[process.execPath, binary, ...words(line)].map(quoted)].join(' ')
  return commandOnTerminal(command, { columns, ...(env === undefined ? {} : { env }) })
}

/** Runs a command line of the shell on a terminal, by default of 80 columns and 40 rows. */
export function commandOnTerminal(command: string, { env = {}, cwd, columns = 80, rows = 40 }: Size & { env?: Env; cwd?: string } = {}): Session {
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: '/nowhere', LANG: 'C.UTF-8', TERM: 'xterm-256color', TZ: 'UTC', SHELL: '/bin/bash', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined)
  let screen = ''
  let since = 0
  let check = (): void => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // Splits chunks after each line, because terminals split output anywhere.
    for (const piece of text.split(/(?<=\n)/)) {
      screen += piece
      check()
    }
  })
  const ended: Session['ended'] = new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, screen: plain(screen), raw: screen }))
  })
  return {
    ended,
    type: (keys) => {
      since = screen.length
      child.stdin.write(keys)
    },
    shows: (...texts) =>
      new Promise((resolve, reject) => {
        const shown = (): string => plain(screen.slice(since))
        const missing = (): string[] => texts.filter((text) => !shown().includes(text))
        check = () => {
          if (missing().length === 0) resolve(shown())
        }
        check()
        const failed = (how: string): void => reject(new Error(`${how} before it showed ${missing().join(' and ')}: ${plain(screen)}`))
        const late = setTimeout(failed, 60_000, 'timeout after a minute')
        void ended.then(({ code }) => {
          clearTimeout(late)
          failed(`it ended with ${code}`)
        })
      }),
  }
}
