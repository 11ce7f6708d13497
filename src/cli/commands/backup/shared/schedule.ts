/** Reads the settings of scheduled backups. Used at each start, so it imports little. */
import type { Config } from '../../../../server/config/config.js'

export interface Schedule {
  folder: string
  everySeconds: number
  passphraseFile: string | null
  keep: { last: number; daily: number; weekly: number; monthly: number }
}

/** Returns the schedule in the settings; undefined when scheduled backups are off. */
export function scheduleOf(config: Config): Schedule | undefined {
  const folder = config.get('backup.to')
  const everySeconds = config.get('backup.everySeconds')
  if (folder === null || everySeconds === 0) return undefined
  const keep = {
    last: config.get('backup.keepLast'),
    daily: config.get('backup.keepDaily'),
    weekly: config.get('backup.keepWeekly'),
    monthly: config.get('backup.keepMonthly'),
  }
  return { folder, everySeconds, passphraseFile: config.get('backup.passphraseFile'), keep }
}
