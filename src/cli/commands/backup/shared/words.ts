/** Folder and content of backups, for commands. */
import { loadConfig } from '../../../../server/config/config.js'
import type { Counts } from '../../../../store/backup/manifest.js'
import type { Context } from '../../../command.js'
import { usageError } from '../../../framework/exit.js'
import { amount } from '../../../terminal/output/format.js'

const NOUNS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  users: ['account', 'accounts'],
  streams: ['stream', 'streams'],
  events: ['event', 'events'],
  attachments: ['attachment', 'attachments'],
  series: ['series', 'series'],
  accesses: ['access', 'accesses'],
  files: ['file on disk', 'files on disk'],
}

/**
 * Returns the backup folder from the option or the settings.
 * @throws CommandError 2 without one
 */
export function backupFolder({ paths, env }: Context, to: string | undefined): string {
  const folder = to ?? loadConfig({ file: paths.config, env }).get('backup.to')
  if (folder === null || folder === '') throw usageError('--to is missing', 'Pass the folder of the backups, or set it: coffer config set backup.to <folder>')
  return folder
}

/** Returns one line for each kind of content: `  12,001 events`. */
export function countLines(counts: Counts): string[] {
  const rows = Object.entries(NOUNS).map(([noun, [one, many]]) => [amount(counts[noun] ?? 0), counts[noun] === 1 ? one : many] as const)
  const width = Math.max(...rows.map(([count]) => count.length))
  return rows.map(([count, words]) => `  ${count.padStart(width)} ${words}`)
}
