/** Scheduled backups of a running node, each in a child process so that API calls are not delayed. */
import { execFile } from 'node:child_process'
import { errorMessage } from '../../../../store/model/errorMessage.js'
import type { Log } from '../../../../server/base/log.js'
import { archivesIn } from '../../../../store/backup/archive.js'
import type { Schedule } from './schedule.js'

/** Interval of checks for a due backup, in milliseconds. */
const CHECK_EVERY_MS = 60_000
/** Delay before a retry after a failure, in seconds. */
const AFTER_FAILURE_S = 900
const MAX_OUTPUT = 10_000_000

/** Returns the command lines of one backup: create it, then prune by the retention rules. */
export function linesOf(schedule: Schedule, home: string): string[][] {
  const { folder, passphraseFile, keep } = schedule
  const where = ['--home', home, '--to', folder, '--no-input', '--json']
  const sealing = passphraseFile === null ? ['--unsealed'] : ['--passphrase-file', passphraseFile]
  const rules = Object.entries(keep).flatMap(([rule, n]) => (n > 0 ? [`--keep-${rule}`, String(n)] : []))
  return [
    ['backup', 'create', ...where, ...sealing],
    ...(rules.length === 0 ? [] : [['backup', 'prune', ...where, ...rules, '--yes']]),
  ]
}

/** Checks whether the latest archive of the folder is as old as the interval of the schedule, or older. */
export async function isDue({ folder, everySeconds }: Schedule, now: number): Promise<boolean> {
  const latest = (await archivesIn(folder)).filter(({ kind }) => kind === 'node').at(-1)
  // Do not delay backups when the clock was set back.
  return latest === undefined || now - latest.made >= everySeconds || latest.made > now + everySeconds
}

/** Starts scheduled backups. Returns a function that stops them without waiting for a running one. */
export function startSchedule(schedule: Schedule, context: { home: string; log: Log; now(): number }): () => void {
  const { home, log, now } = context
  let isBusy = false
  let notBefore = -Infinity
  async function runBackup(): Promise<void> {
    for (const line of linesOf(schedule, home)) {
      const failed = await runSelf(line)
      if (failed !== undefined) throw new Error(failed)
    }
    log.info('created a scheduled backup', { folder: schedule.folder })
  }
  const tick = (): void => {
    if (isBusy || now() < notBefore) return
    isBusy = true
    isDue(schedule, now())
      .then((due) => (due ? runBackup() : undefined))
      .catch((error: unknown) => {
        notBefore = now() + AFTER_FAILURE_S
        log.error('a scheduled backup failed', { folder: schedule.folder, error: errorMessage(error) })
      })
      .finally(() => {
        isBusy = false
      })
  }
  tick()
  const timer = setInterval(tick, CHECK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Runs a command of this program. Returns its error output when it fails, else undefined. */
function runSelf(line: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [process.argv[1] ?? '', ...line], { maxBuffer: MAX_OUTPUT }, (error, _, stderr) => {
      resolve(error === null ? undefined : stderr.trim() === '' ? error.message : stderr.trim())
    })
  })
}
