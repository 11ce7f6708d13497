/**
 * Ways to break the product on purpose, so that the programme shows that it can fail: `COFFER_BREAK=nosync` and so on.
 * A break is an edit of the sources as they are compiled for a test. The sources themselves hold no switch, so neither
 * does what is built of them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Edit {
  /** A source, from the root of the project. */
  file: string
  /** A text that is in it once. */
  find: string
  with: string
}

export interface Break {
  /** What is wrong with a product that is broken so. */
  is: string
  edits: readonly Edit[]
}

export const breaks = {
  nosync: {
    is: 'commits are acknowledged before they are on disk',
    edits: [
      {
        file: 'src/store/engine/commit.ts',
        find: 'await batch.write({ sync: group.sync || group.entries.length > 0 })',
        with: 'await batch.write({ sync: false })',
      },
    ],
  },
  nochain: {
    is: 'opening a store does not compare its chain of commits with the high-water mark',
    edits: [
      { file: 'src/store/engine/open.ts', find: 'if (head === undefined || head.sequence < mark.sequence) {', with: 'head ??= mark\nif (false) {' },
      { file: 'src/store/engine/open.ts', find: 'if (sequence === mark.sequence && ', with: 'if (false && ' },
    ],
  },
  nofsyncdir: {
    is: 'a file that was renamed into its place is not on disk there',
    edits: [{ file: 'src/store/leveldb/filesOnDisk.ts', find: 'await folder.sync()', with: '' }],
  },
  nomay: {
    is: 'a peer may write everything, whatever is shared with it',
    edits: [
      {
        file: 'src/store/replication/peers.ts',
        find: "export const mayReceive = (scope: Scope): boolean => scope.is === 'mirror' || scope.direction !== 'send'",
        with: 'export const mayReceive = (scope: Scope): boolean => scope !== undefined',
      },
      {
        file: 'src/sync/merge/scope.ts',
        find: 'if (share.streams.includes(stream)) return ',
        with: 'if (share.streams.length > 0) return true\n  if (share.streams.includes(stream)) return ',
      },
    ],
  },
  retry: {
    is: 'after an I/O error the next commit is tried as if nothing had happened',
    edits: [{ file: 'src/store/engine/commit.ts', find: '        broken = cause\n', with: '        if (cause === undefined) broken = cause\n' }],
  },
  noreserve: {
    is: 'writes go on until the disk is full to its last byte',
    edits: [{ file: 'src/store/engine/commit.ts', find: 'full = bytes < RESERVE_BYTES', with: 'full = bytes < 0' }],
  },
  nodrop: {
    is: 'a checkpoint whose maker is gone stays for good',
    edits: [{ file: 'src/server/maintenance/checkpoints.ts', find: 'if (!(pid > 0) || !processExists(pid)) await rm(', with: 'if (pid < 0) await rm(' }],
  },
  nolinger: {
    is: 'a client that was refused on the bare connection may keep it',
    edits: [{ file: 'src/server/http/listen.ts', find: 'setTimeout(() => void socket.destroy(), LINGER_MS)', with: 'setTimeout(() => {}, LINGER_MS)' }],
  },
  nokeeping: {
    is: 'attached files are removed while a copy of the store links them',
    edits: [{ file: 'src/store/blobs/blobs.ts', find: 'while (removalBlockers.size > 0 || removing.has(path)) {', with: 'while (removing.has(path)) {' }],
  },
} as const satisfies Record<string, Break>

export type BreakName = keyof typeof breaks

/** The root of the project, with a slash behind it. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The break that `COFFER_BREAK` names; undefined when nothing is to be broken. */
export function chosenBreak(): BreakName | undefined {
  const name = process.env['COFFER_BREAK'] ?? ''
  if (name === '') return undefined
  if (!(name in breaks)) throw new Error(`COFFER_BREAK=${name}: there are ${Object.keys(breaks).join(', ')}.`)
  return name as BreakName
}

/** The edited sources of a break, by their paths. Throws where an edit does not fit: what it broke was rewritten. */
export function brokenSources(name: BreakName): Map<string, string> {
  const sources = new Map<string, string>()
  for (const { file, find, with: text } of breaks[name].edits) {
    const path = join(root, file)
    const parts = (sources.get(path) ?? readFileSync(path, 'utf8')).split(find)
    if (parts.length !== 2) throw new Error(`The break ${name} does not fit ${file} any more: ${JSON.stringify(find)} is there ${parts.length - 1} times.`)
    sources.set(path, parts.join(text))
  }
  return sources
}
