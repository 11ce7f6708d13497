/**
 * Final filter of all terminal output: commands, prompts, and screens drawn by ink. Passes the program's own cursor and
 * colour sequences; text.ts removes those in foreign text before.
 */
import type { Writable } from 'node:stream'

/** An escape without valid sequence, control characters except tabs and line ends, and format characters. */
const UNFIT = /\u001b(?!\[[0-?]*[ -/]*[@-~])|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\p{Cf}]/gu
const PLAIN = /^[\x20-\x7e\n]*$/

/** Removes characters that must not reach a screen. */
export const fitForScreen = (text: string): string => (PLAIN.test(text) ? text : text.replace(UNFIT, ''))

/** Wraps a stream so that `write` filters text. All other members are those of the stream. */
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
