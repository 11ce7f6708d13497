/**
 * The final filter of all terminal output: commands, prompts, screens drawn by ink. Sequences that move the cursor or
 * colour are the program's own; texts of others lose them before (text.ts).
 */
import type { Writable } from 'node:stream'

/** An escape that begins no such sequence, control characters but for tabs and ends of lines, and format characters. */
const UNFIT = /\u001b(?!\[[0-?]*[ -/]*[@-~])|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\p{Cf}]/gu
const PLAIN = /^[\x20-\x7e\n]*$/

/** A text without what may not reach a screen. */
export const fitForScreen = (text: string): string => (PLAIN.test(text) ? text : text.replace(UNFIT, ''))

/** The stream with `write` looking at every text. Everything else is that of the stream itself. */
export function guardedScreen<T extends Writable>(stream: T): T {
  const write = (chunk: unknown, ...more: unknown[]): unknown =>
    Reflect.apply(stream.write, stream, [typeof chunk === 'string' ? fitForScreen(chunk) : chunk, ...more])
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'write') return write
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
