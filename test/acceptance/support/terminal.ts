/** Runs the real binary on a terminal: script(1) gives it one, and the test is the person at the keys. */
import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { binary, words } from './coffer.js'
import type { Env, Line } from './coffer.js'

export interface Session {
  /**
   * What the screen showed since the last keys, once it holds all these texts. Fails when the command ends before. Only
   * they are sure to be in it: a screen is drawn bit by bit.
   */
  shows(...texts: readonly string[]): Promise<string>
  type(keys: string): void
  /** Everything the screen showed, and the exit code, once the command has ended. */
  ended: Promise<{ code: number | null; screen: string }>
}

const escapes = /\u001b\[[?\d;]*[A-Za-z]/g

/** The screen's text without what moves the cursor and colours it. */
export const plain = (screen: string): string => screen.replace(escapes, '').replaceAll('\r\n', '\n')

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Runs `coffer <line>` on a terminal of so many columns. */
export function onTerminal(line: Line, { env = {}, columns = 100 }: { env?: Env; columns?: number } = {}): Session {
  const command = [process.execPath, binary, ...words(line)].map(quoted).join(' ')
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows 40; exec ${command}`, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: '/nowhere', LANG: 'C.UTF-8', TERM: 'xterm-256color', TZ: 'UTC', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined)
  let screen = ''
  let since = 0
  let look = (): void => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // A terminal gives what was drawn in pieces that end anywhere; here, always after each line.
    for (const piece of text.split(/(?<=\n)/)) {
      screen += piece
      look()
    }
  })
  const ended = new Promise<{ code: number | null; screen: string }>((give) => {
    child.on('close', (code) => give({ code, screen: plain(screen) }))
  })
  return {
    ended,
    type: (keys) => {
      since = screen.length
      child.stdin.write(keys)
    },
    shows: (...texts) =>
      new Promise((give, fail) => {
        const shown = (): string => plain(screen.slice(since))
        const missing = (): string[] => texts.filter((text) => !shown().includes(text))
        look = () => {
          if (missing().length === 0) give(shown())
        }
        look()
        const failed = (how: string): void => fail(new Error(`${how} before it showed ${missing().join(' and ')}: ${plain(screen)}`))
        const late = setTimeout(failed, 60_000, 'a minute went by')
        void ended.then(({ code }) => {
          clearTimeout(late)
          failed(`it ended with ${code}`)
        })
      }),
  }
}
