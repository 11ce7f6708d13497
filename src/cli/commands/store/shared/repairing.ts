/** Helpers for repairing the store of a closed home: choice of the backup, and the report. */
import { resolve } from 'node:path'
import type { Archive } from '../../../../store/backup/archive.js'
import type { Loss, Repair, RepairReport } from '../../../../server/maintenance/repair/report.js'
import { neededPassphrase, type PassphraseOptions } from '../../backup/shared/passphrase.js'
import type { Context } from '../../../command.js'
import { CommandError, usageError } from '../../../framework/exit.js'
import { amount, counted } from '../../../terminal/output/format.js'

/**
 * Opens a backup: the folder itself, or the latest one in it.
 * @throws CommandError 5 when there is none
 */
export async function backupAt(context: Context, from: string, passphraseOptions: PassphraseOptions): Promise<Archive> {
  const { archivesIn, openArchive } = await import('../../../../store/backup/archive.js')
  const { NoArchive, readManifest } = await import('../../../../store/backup/manifest.js')
  const { join } = await import('node:path')
  const folder = resolve(from)
  const isBackup = await readManifest(folder).then(
    () => true,
    (error: unknown) => {
      if (error instanceof NoArchive) return false
      throw error
    },
  )
  const latest = isBackup ? undefined : (await archivesIn(folder)).filter(({ kind }) => kind === 'node').at(-1)
  if (!isBackup && latest === undefined) {
    throw new CommandError(`There is no backup in ${folder}.`, { exit: 5, hint: ['List the backups', 'backup', 'list', '--to', '<folder>'] })
  }
  const archive = await openArchive(latest === undefined ? folder : join(folder, latest.name), () => neededPassphrase(context, passphraseOptions))
  if (archive.manifest.kind !== 'node') throw usageError(`${archive.folder} contains one account, not a node`, `Import it into a node: coffer users import ${archive.folder}`)
  return archive
}

/** Returns the place of a loss with the user name: `account ana-lovelace, event c…`. */
const placeOf = ({ where, user }: Loss): string => (user === undefined ? where : where.replace(/\baccount [0-9a-z]+/, `account ${user}`))

const SOURCES: Readonly<Record<Repair['from'], string>> = {
  entries: 'rebuilt from its other entries',
  changes: 'rebuilt from its changes',
  record: 'restored from its last record; its earlier history is lost',
  backup: 'from the backup',
  account: 'from another account of the node',
  peer: 'from the paired node',
}

/** Maximum number of lines, as many as fit on a screen. */
const MAX_SHOWN = 20

function limitLines(lines: readonly string[]): string[] {
  return lines.length <= MAX_SHOWN ? [...lines] : [...lines.slice(0, MAX_SHOWN), `  … and ${amount(lines.length - MAX_SHOWN)} more; see --json`]
}

export const lossLines = (losses: readonly Loss[]): string[] => limitLines(losses.map((loss) => `  ${placeOf(loss)} ${loss.what}`))

/** Renders the report of a repair, or of a dry run. */
export function reportLines({ repaired, lost: losses, waiting, damage }: RepairReport, isDry: boolean, reason: string | undefined): string[] {
  const lines: string[] = []
  if (damage.length > 0) lines.push('Damaged files:', ...limitLines(damage.map((each) => `  ${each}`)))
  if (repaired.length > 0) {
    lines.push(isDry ? 'To be repaired:' : 'Repaired:')
    lines.push(...limitLines(repaired.map((each) => `  ${placeOf(each)}: ${each.count === undefined ? '' : `${amount(each.count)} `}${each.what} — ${SOURCES[each.from]}`)))
  }
  if (losses.length > 0) lines.push(`${counted(losses.length, 'item')} lost:`, ...lossLines(losses))
  if (waiting.length > 0) {
    lines.push('Still to be fetched from the paired node:', ...lossLines(waiting))
  }
  if (reason !== undefined) lines.push(`The paired node is unreachable: ${reason}`)
  return lines
}
