/** Reads and follows the log files of a node. */
import { createReadStream, existsSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { LEVELS, type LogEntry, type LogLevel } from '../../../server/base/log.js'
import { recordOf, textOf } from '../../client/answer.js'
import { rotatedNames } from '../../client/logFile.js'

export interface LogFilter {
  /** Seconds since the epoch. */
  since?: number
  level?: LogLevel
  user?: string
  method?: string
}

/** A line of the log, raw and parsed. */
export interface LogLine {
  text: string
  entry: LogEntry
}

/** Parses a line and applies the filter; undefined for lines that do not match. */
export function parseMatching(text: string, { since, level, user, method }: LogFilter): LogLine | undefined {
  let line
  try {
    line = recordOf(JSON.parse(text))
  } catch {
    // A line truncated by a full disk or a crash.
    return undefined
  }
  const { time, level: entryLevel, message, ...fields } = line
  if (typeof time !== 'number' || !isLevel(entryLevel)) return undefined
  if (since !== undefined && time < since) return undefined
  if (level !== undefined && LEVELS[entryLevel] < LEVELS[level]) return undefined
  if (user !== undefined && fields['user'] !== user && fields['username'] !== user) return undefined
  if (method !== undefined && fields['method'] !== method) return undefined
  return { text, entry: { time, level: entryLevel, message: textOf(message), fields } }
}

const isLevel = (word: unknown): word is LogEntry['level'] => typeof word === 'string' && word !== 'silent' && Object.hasOwn(LEVELS, word)

/** Returns the last `max` matching lines of a log and its `maxFiles` rotated files, the oldest first. */
export async function lastLines(path: string, maxFiles: number, filter: LogFilter, max: number): Promise<LogLine[]> {
  let lines: LogLine[] = []
  for (const name of [path, ...rotatedNames(path, maxFiles)].filter((one) => existsSync(one))) {
    const found: LogLine[] = []
    for await (const text of createInterface({ input: createReadStream(name, 'utf8'), crlfDelay: Infinity })) {
      const line = parseMatching(text, filter)
      if (line === undefined) continue
      found.push(line)
      // Keep at most twice as many lines in memory as are shown.
      if (found.length > 2 * max) found.splice(0, found.length - max)
    }
    lines = found.slice(-(max - lines.length)).concat(lines)
    if (lines.length >= max) break
  }
  return lines
}

const POLL_MS = 200
const CHUNK = 64 * 1024

/** Follows a log line by line, across rotation, until the signal is aborted. */
export async function* addedLines(path: string, filter: LogFilter, signal?: AbortSignal): AsyncGenerator<LogLine> {
  const first = await stat(path).catch(() => undefined)
  let at = first?.size ?? 0
  let inode = first?.ino
  let rest = Buffer.alloc(0)
  while (signal?.aborted !== true) {
    const now = await stat(path).catch(() => undefined)
    if (now !== undefined && (now.ino !== inode || now.size < at)) {
      inode = now.ino
      at = 0
      rest = Buffer.alloc(0)
    }
    const chunk = now !== undefined && now.size > at ? await chunkAt(path, at) : undefined
    if (chunk === undefined || chunk.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      continue
    }
    at += chunk.length
    rest = Buffer.concat([rest, chunk])
    const end = rest.lastIndexOf(0x0a)
    if (end < 0) continue
    const texts = rest.toString('utf8', 0, end).split('\n')
    rest = rest.subarray(end + 1)
    for (const text of texts) {
      const line = parseMatching(text, filter)
      if (line !== undefined) yield line
    }
  }
}

async function chunkAt(path: string, at: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, at)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
