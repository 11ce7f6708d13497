/** Terminal stub for ink: records the output, and sends typed text as single keys. */
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Streams } from '../../../src/cli/terminal/terminal.js'

class Keys extends PassThrough {
  readonly isTTY = true
  /** True in raw mode, in which single keys arrive. */
  isRaw = false
  setRawMode(on: boolean): this {
    this.isRaw = on
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}

export interface Drawn {
  streams: Streams
  stdin: Keys
  /** Output since the last key. */
  text(): string
  /** Resolves with the output once it contains a text. */
  shows(text: string): Promise<string>
  type(keys: string): void
  /** Changes the size of the terminal. */
  resize(columns: number, rows: number): void
}

/** Creates a terminal with a size. */
export function drawnTerminal(columns = 100, rows = 40): Drawn {
  const stdin = new Keys()
  const changed = new EventEmitter()
  let text = ''
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows })
  stdout.on('data', (chunk) => {
    text += String(chunk)
    changed.emit('drawn')
  })
  return {
    streams: { stdin, stdout, stderr: new PassThrough() },
    stdin,
    text: () => text,
    type(keys) {
      text = ''
      stdin.write(keys)
    },
    resize(wide, high) {
      text = ''
      Object.assign(stdout, { columns: wide, rows: high })
      stdout.emit('resize')
    },
    shows: (wanted) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!text.includes(wanted)) return
          changed.off('drawn', check)
          resolve(text)
        }
        changed.on('drawn', check)
        check()
      }),
  }
}

/** Returns the length of the longest line without escape sequences. */
export function widest(text: string): number {
  const lines = text.replace(/\u001b\[[?\d;]*[A-Za-z]/g, '').split('\n')
  return Math.max(...lines.map((line) => [...line].length))
}
