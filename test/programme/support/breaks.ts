/**
 * Fault injection, which proves that tests can fail: `COFFER_BREAK=nosync` etc. A break edits the sources when they are
 * compiled for a test. The sources and builds contain no switch.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Edit {
  /** Path of the source from the project root. */
  file: string
  /** Text that occurs once in the source. */
  find: string
  with: string
}

export interface Break {
  /** Description of the injected fault. */
  fault: string
  edits: readonly Edit[]
}

export const breaks = {
  nosync: {
    fault: 'commits are acknowledged before they are on disk',
    edits: [
      {
        file: 'src/store/engine/commit.ts',
        find: 'await batch.write({ sync: group.sync || group.entries.length > 0 })',
        with: 'await batch.write({ sync: false })',
      },
    ],
  },
  nochain: {
    fault: 'opening a store does not compare its chain of commits with the high-water mark',
    edits: [
      { file: 'src/store/engine/open.ts', find: 'if (head === undefined || head.sequence < mark.sequence) {', with: 'head ??= mark\nif (false) {' },
      { file: 'src/store/engine/open.ts', find: 'if (sequence === mark.sequence && ', with: 'if (false && ' },
    ],
  },
  nofsyncdir: {
    fault: 'the folder of a renamed file is not synced',
    edits: [{ file: 'src/store/leveldb/filesOnDisk.ts', find: 'await folder.sync()', with: '' }],
  },
  nomay: {
    fault: 'a peer may write everything, regardless of the share',
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
    fault: 'after an I/O error the next commit is attempted',
    edits: [{ file: 'src/store/engine/commit.ts', find: '        broken = cause\n', with: '        if (cause === undefined) broken = cause\n' }],
  },
  noreserve: {
    fault: 'writes continue until the disk is completely full',
    edits: [{ file: 'src/store/engine/commit.ts', find: 'full = bytes < RESERVE_BYTES', with: 'full = bytes < 0' }],
  },
  nodrop: {
    fault: 'the checkpoint of a killed process is never removed',
    edits: [{ file: 'src/server/maintenance/checkpoints.ts', find: 'if (!(pid > 0) || !processExists(pid)) await rm(', with: 'if (pid < 0) await rm(' }],
  },
  nolinger: {
    fault: 'a connection refused below HTTP stays open',
    edits: [{ file: 'src/server/http/listen.ts', find: 'setTimeout(() => void socket.destroy(), LINGER_MS)', with: 'setTimeout(() => {}, LINGER_MS)' }],
  },
  nokeeping: {
    fault: 'attached files are removed while a checkpoint links them',
    edits: [{ file: 'src/store/blobs/blobs.ts', find: 'while (removalBlockers.size > 0 || removing.has(path)) {', with: 'while (removing.has(path)) {' }],
  },
  noopid: {
    fault: 'a claim whose answer was lost does not recognise its own hold',
    edits: [{ file: 'src/server/platform/registry/etcd/claims.ts', find: 'if (found.has(operation)) return true', with: 'if (found.size < 0) return true' }],
  },
} as const satisfies Record<string, Break>

export type BreakName = keyof typeof breaks

/** Root of the project, with a trailing slash. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns the break named by `COFFER_BREAK`; undefined without one. */
export function chosenBreak(): BreakName | undefined {
  const name = process.env['COFFER_BREAK'] ?? ''
  if (name === '') return undefined
  if (!(name in breaks)) throw new Error(`COFFER_BREAK=${name}: the breaks are ${Object.keys(breaks).join(', ')}.`)
  return name as BreakName
}

/** Returns the edited sources of a break by path. Throws if an edit no longer matches its source. */
export function brokenSources(name: BreakName): Map<string, string> {
  const sources = new Map<string, string>()
  for (const { file, find, with: text } of breaks[name].edits) {
    const path = join(root, file)
    const parts = (sources.get(path) ?? readFileSync(path, 'utf8')).split(find)
    if (parts.length !== 2) throw new Error(`The break ${name} no longer matches ${file}: ${JSON.stringify(find)} occurs ${parts.length - 1} times.`)
    sources.set(path, parts.join(text))
  }
  return sources
}
