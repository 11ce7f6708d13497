/** A terminal for ink: what it draws is kept, what is typed arrives as from keys. */
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Streams } from '../../../src/cli/terminal/terminal.js'

class Keys extends PassThrough {
  readonly isTTY = true
  /** Whether the terminal gives single keys now. */
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
  /** What was drawn since the last key. */
  text(): string
  /** The same, once it holds a text. */
  shows(text: string): Promise<string>
  type(keys: string): void
  /** Makes the terminal another size. */
  resize(columns: number, rows: number): void
}

/** A terminal of so many columns and rows. */
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
      new Promise((seen) => {
        const look = (): void => {
          if (!text.includes(wanted)) return
          changed.off('drawn', look)
          seen(text)
        }
        changed.on('drawn', look)
        look()
      }),
  }
}

/** The widest line of what was drawn. */
export function widest(text: string): number {
  const lines = text.replace(/\u001b\[[?\d;]*[A-Za-z]/g, '').split('\n')
  return Math.max(...lines.map((line) => [...line].length))
}
