/** Checks the existence and the age of backups, and the last verified restore. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archivesIn } from '../../../../store/backup/archive.js'
import type { Manifest } from '../../../../store/backup/manifest.js'
import { ago } from '../../../terminal/output/format.js'
import { fault, fine, off, warning, type Check } from './finding.js'

const DAY_S = 86_400
/** Maximum age of a backup without a schedule, in seconds. */
const MAX_AGE_S = 30 * DAY_S
/** Maximum age of the last verified restore, in seconds. */
const MAX_VERIFIED_AGE_S = 40 * DAY_S

export const backups: Check = {
  name: 'backups',
  async run({ config, context, now }) {
    const folder = config?.get('backup.to') ?? null
    if (folder === null) return [off('no backup folder is set: coffer backup schedule')]
    const every = config?.get('backup.everySeconds') ?? 0
    const create = context.commandFor('backup', 'create')
    const found = (await archivesIn(folder)).filter(({ kind }) => kind === 'node')
    const latest = found.at(-1)
    if (latest === undefined) return [(every > 0 ? fault : warning)(`no backup in ${folder}`, create)]
    const age = now - latest.made
    const latestText = `latest backup ${ago(latest.made, now)}, in ${folder}`
    const isLate = every > 0 ? age > 2 * every : age > MAX_AGE_S
    const first = isLate ? (every > 0 ? fault : warning)(latestText, every > 0 ? context.commandFor('logs', '--level', 'error') : create) : fine(latestText)
    const verifiedAt = await lastVerified(folder, found)
    const verify = context.commandFor('backup', 'verify', '--latest')
    if (verifiedAt === undefined) return [first, warning('no backup was ever verified', verify)]
    const words = `last verified restore ${ago(verifiedAt, now)}`
    return [first, now - verifiedAt > MAX_VERIFIED_AGE_S ? warning(words, verify) : fine(words)]
  },
}

/** Returns the time of the last verified backup, in seconds; `coffer backup verify` records it in the archive. */
async function lastVerified(folder: string, archives: readonly Manifest[]): Promise<number | undefined> {
  let latest: number | undefined
  for (const { name } of archives) {
    const text = await readFile(join(folder, name, 'verified'), 'utf8').catch(() => '')
    const time = Date.parse(text.trim()) / 1000
    if (Number.isFinite(time) && (latest === undefined || time > latest)) latest = time
  }
  return latest
}
