/** Age of the latest backup of the node, from the folder of the settings. */
import { archivesIn } from '../../store/backup/archive.js'
import type { Context } from '../call/context.js'

interface BackupState {
  /** True when the settings name a folder for backups. */
  isConfigured: boolean
  /** Seconds between scheduled backups; 0 without a schedule. */
  everySeconds: number
  /** Time of the latest complete backup in the folder, in seconds since 1970; undefined for none. */
  latest?: number
  /** True when the latest one is older than it should be, or absent. */
  isLate: boolean
}

/** Maximum age of a backup without a schedule, in seconds; that of `coffer doctor`. */
const MAX_AGE_S = 30 * 86_400
/** Seconds for which a state is reused, since reading it opens a file for each backup. */
const FRESH_S = 60

const known = new WeakMap<object, { at: number; state: Promise<BackupState> }>()

/** Returns the state of the backups of a node. */
export function backupState(node: Pick<Context, 'config' | 'clock' | 'store'>): Promise<BackupState> {
  const now = node.clock.now()
  const former = known.get(node.store)
  if (former !== undefined && now >= former.at && now - former.at < FRESH_S) return former.state
  const state = readState(node, now)
  known.set(node.store, { at: now, state })
  return state
}

async function readState({ config }: Pick<Context, 'config'>, now: number): Promise<BackupState> {
  const folder = config.get('backup.to')
  const everySeconds = config.get('backup.everySeconds')
  if (folder === null) return { isConfigured: false, everySeconds: 0, isLate: false }
  const latest = (await archivesIn(folder)).filter(({ kind }) => kind === 'node').at(-1)?.made
  if (latest === undefined) return { isConfigured: true, everySeconds, isLate: true }
  return { isConfigured: true, everySeconds, latest, isLate: now - latest > (everySeconds > 0 ? 2 * everySeconds : MAX_AGE_S) }
}
