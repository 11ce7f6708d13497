/** Formats log entries of the node for people. */
import type { LogEntry } from '../../../server/base/log.js'
import type { Paint } from '../terminal.js'
import { printable } from './text.js'
import { clock } from './format.js'

/**
 * Formats an entry: `16:02:11 warn  login refused: wrong password  user="ana" ip="10.0.0.2"`; multi-line fields such as
 * stack traces follow below.
 */
export function logText({ time, level, message, fields }: LogEntry, paint: Paint): string {
  const words = [message]
  const below: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    const isLong = typeof value === 'string' && value.includes('\n')
    if (isLong) below.push(...value.split('\n').map((line) => `  ${line.trimEnd()}`))
    else words.push(`${name}=${JSON.stringify(value)}`)
  }
  const colour = level === 'error' ? paint.red : level === 'warn' ? paint.yellow : paint.dim
  const lines = [`${clock(time)} ${colour(level.padEnd(5))} ${printable(words.join('  ').replaceAll('\n', ' '))}`]
  return [...lines, ...below.map((line) => paint.dim(printable(line)))].map((line) => `${line}\n`).join('')
}
