/** Words about archives. */
import { loadConfig } from '../../server/config/config.js'
import type { Counts } from '../../store/backup/manifest.js'
import type { Context } from '../command.js'
import { usageError } from '../framework/exit.js'
import { amount } from '../terminal/output/format.js'

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  users: ['account', 'accounts'],
  streams: ['stream', 'streams'],
  events: ['event', 'events'],
  attachments: ['attachment', 'attachments'],
  series: ['series', 'series'],
  accesses: ['access', 'accesses'],
  files: ['file on disk', 'files on disk'],
}

/** The folder that was named, or that the settings name. @throws CommandError 2 without one */
export function backupFolder({ paths, env }: Context, to: string | undefined): string {
  const folder = to ?? loadConfig({ file: paths.config, env }).get('backup.to')
  if (folder === null || folder === '') throw usageError('--to is missing', 'Name the folder of the backups, or set it: coffer config set backup.to <folder>')
  return folder
}

/** `  12,001 events`, for the nouns that people ask about. */
export function countLines(counts: Counts): string[] {
  const displayed = Object.entries(NOUNS).map(([noun, [one, many]]) => [amount(counts[noun] ?? 0), counts[noun] === 1 ? one : many] as const)
  const width = Math.max(...displayed.map(([count]) => count.length))
  return displayed.map(([count, words]) => `  ${count.padStart(width)} ${words}`)
}
