/** Whether there are backups, how old they are, and when one was last restored to see that it does. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { archivesIn } from '../../store/backup/archive.js'
import type { Manifest } from '../../store/backup/manifest.js'
import { ago } from '../terminal/output/format.js'
import { fault, fine, off, warning, type Check } from './finding.js'

const DAY_S = 86_400
/** Without a schedule, so old is too old. */
const OLD_S = 30 * DAY_S
/** How long a restore that was tried says something about the next one. */
const PROVED_S = 40 * DAY_S

export const backups: Check = {
  name: 'backups',
  async run({ config, context, now }) {
    const folder = config?.get('backup.to') ?? null
    if (folder === null) return [off('no folder for backups is set: coffer backup schedule')]
    const every = config?.get('backup.everySeconds') ?? 0
    const create = context.commandFor('backup', 'create')
    const found = (await archivesIn(folder)).filter(({ kind }) => kind === 'node')
    const latest = found.at(-1)
    if (latest === undefined) return [(every > 0 ? fault : warning)(`no backup is in ${folder}`, create)]
    const age = now - latest.made
    const described = `latest backup ${ago(latest.made, now)}, in ${folder}`
    const isLate = every > 0 ? age > 2 * every : age > OLD_S
    const first = isLate ? (every > 0 ? fault : warning)(described, every > 0 ? context.commandFor('logs', '--level', 'error') : create) : fine(described)
    const proved = await lastProved(folder, found)
    const verify = context.commandFor('backup', 'verify', '--latest')
    if (proved === undefined) return [first, warning('no backup was ever restored to see whether it does', verify)]
    const words = `last verified restore ${ago(proved, now)}`
    return [first, now - proved > PROVED_S ? warning(words, verify) : fine(words)]
  },
}

/** When a backup was last verified, in seconds; `coffer backup verify` notes it in the archive. */
async function lastProved(folder: string, archives: readonly Manifest[]): Promise<number | undefined> {
  let latest: number | undefined
  for (const { name } of archives) {
    const text = await readFile(join(folder, name, 'verified'), 'utf8').catch(() => '')
    const time = Date.parse(text.trim()) / 1000
    if (Number.isFinite(time) && (latest === undefined || time > latest)) latest = time
  }
  return latest
}
