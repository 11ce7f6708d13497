/** Backups that a running node makes by itself: each in a process of its own, so that calls do not wait for it. */
import { execFile } from 'node:child_process'
import type { Log } from '../../server/base/log.js'
import { archivesIn } from '../../store/backup/archive.js'
import type { Schedule } from './schedule.js'

/** How often it is looked whether a backup is due. */
const LOOK_MS = 60_000
/** How long a failure is left alone. */
const AFTER_FAILURE_S = 900
const MAX_OUTPUT = 10_000_000

/** The command lines of one backup: make it, then remove what no rule keeps. */
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

/** Whether the latest archive of the folder is as old as the schedule says. */
export async function isDue({ folder, everySeconds }: Schedule, now: number): Promise<boolean> {
  const latest = (await archivesIn(folder)).filter(({ kind }) => kind === 'node').at(-1)
  // A clock that was set back must not put backups off for as long.
  return latest === undefined || now - latest.made >= everySeconds || latest.made > now + everySeconds
}

/** Makes backups when they are due. Answers how to stop, which waits for none that is under way. */
export function startSchedule(schedule: Schedule, about: { home: string; log: Log; now(): number }): () => void {
  const { home, log, now } = about
  let isBusy = false
  let notBefore = -Infinity
  async function make(): Promise<void> {
    for (const line of linesOf(schedule, home)) {
      const failed = await runSelf(line)
      if (failed !== undefined) throw new Error(failed)
    }
    log.info('a backup of the schedule is made', { folder: schedule.folder })
  }
  const tick = (): void => {
    if (isBusy || now() < notBefore) return
    isBusy = true
    isDue(schedule, now())
      .then((due) => (due ? make() : undefined))
      .catch((error: unknown) => {
        notBefore = now() + AFTER_FAILURE_S
        log.error('a backup of the schedule failed', { folder: schedule.folder, error: error instanceof Error ? error.message : String(error) })
      })
      .finally(() => {
        isBusy = false
      })
  }
  tick()
  const timer = setInterval(tick, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Runs a command of this program. Answers what it said when it failed. */
function runSelf(line: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [process.argv[1] ?? '', ...line], { maxBuffer: MAX_OUTPUT }, (error, _, stated) => {
      resolve(error === null ? undefined : stated.trim() === '' ? error.message : stated.trim())
    })
  })
}
