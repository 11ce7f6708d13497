import { backupAt, lossLines, reportLines } from '../../store/repairing.js'
import { passphraseOptions } from '../../backup/passphrase.js'
import { command, type Context } from '../../command.js'
import { CommandError, usageError, type ExitCode } from '../../framework/exit.js'
import { confirmByName } from '../../terminal/input/confirm.js'
import { runningNode } from '../../client/connect.js'
import { keyPassphrase } from '../../client/keyPassphrase.js'
import { assertHomeOpen } from '../../client/homeChecks.js'
import { flag, list, text } from '../../framework/option.js'
import { startPhases } from '../../terminal/output/phaseProgress.js'
import { when } from '../../terminal/output/format.js'
import type { RepairReport } from '../../../server/maintenance/repair/report.js'

const RISK = 'lose-data'
const PEER_SECONDS = 600

/** `coffer store repair`. */
export const repair = command({
  path: ['store', 'repair'],
  summary: 'Mend a damaged store from a backup or a paired node',
  description:
    'Mends what coffer store check finds, and a store that does not open. The node must not run.\n\n' +
    'A new store is made beside the damaged one, of every entry that can still be read. What is missing comes from the backup of --from, the latest of the folder where a folder of backups is named; what was written since that backup stays. Indexes, sums and counters are made again from records, and records from their changes. Attached files are looked for in the backup, and in the other accounts of the node. Where nothing but attached files is damaged, the store stays where it is and only they are mended; a backup of any node may give them then.\n\n' +
    'With --from-peer, the node is opened afterwards, also where nothing had to be mended, and gets what is still missing from a paired node that has a copy of the whole account, with all points of series; that node must be reachable. Passwords, sessions, second factors and delegations are not on paired nodes: a backup has them.\n\n' +
    'What is nowhere is listed and left out, after a question or with --accept-risk=lose-data. The new store is checked, then takes the place of the damaged one, which stays in the home as store.damaged-… (attached files that were damaged alone: as files.damaged-…), and needs as much room again. Whoever interrupts this types it again; where the new store was made already, it only gets its place then, and what the first repair told is told again.\n\n' +
    'Exits 3 when something was left out or is still to come, and 13 when no whole store could be made: then nothing was changed.',
  options: {
    from: text('A backup, or the folder of the backups', { placeholder: 'folder', completes: 'folder' }),
    fromPeer: text('Get what is missing from this paired node', { placeholder: 'peer', names: 'peer' }),
    user: text('With --from-peer: for this account alone', { placeholder: 'username', names: 'user' }),
    dryRun: flag('Only say what would be mended, and what is lost', { short: 'n' }),
    acceptRisk: list('Say lose-data to leave out what is nowhere, without a question', { placeholder: 'risk' }),
    ...passphraseOptions,
  },
  examples: [
    { type: 'coffer store repair --from /mnt/disk/coffer --dry-run', says: 'what the latest backup can mend' },
    { type: 'coffer store repair --from /mnt/disk/coffer', says: 'mend it' },
    { type: 'coffer store repair --from-peer laptop', says: 'get what is missing from a paired node' },
    { type: 'coffer store repair --accept-risk=lose-data --json', says: 'with nothing but what can be read' },
  ],
  json: '{"repaired":[{"where","what","user","from","count"}],"from","lost":[{"where","what","user"}],"waiting":[…],"damage":[…],"mended","kept","finished"}; "mended" is "store", "files" where only attached files were damaged, or null when nothing was changed; "kept" is the folder of what was damaged, null when there is none; "finished" is when the repair was begun, in seconds, that this one only gave its place, else null',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, paths, home, flags, commandFor, terminal } = context
    if (options.user !== undefined && options.fromPeer === undefined) throw usageError('--user goes with --from-peer')
    const unknown = options.acceptRisk.find((risk) => risk !== RISK)
    if (unknown !== undefined) throw usageError(`--accept-risk=${unknown} says nothing here`, `The risk of this command is ${RISK}`)
    assertHomeOpen(paths.home)
    const client = await runningNode(paths, flags.timeoutMs)
    if (client !== undefined) {
      await client.close()
      throw new CommandError('The node runs: its store cannot be mended under it.', { exit: 11, hint: `Stop it first: ${commandFor('stop')}` })
    }
    const [{ repairHome }, { repairProblem }, { loadConfig }] = await Promise.all([
      import('../../../server/maintenance/repair/repairHome.js'),
      import('../../store/repairProblem.js'),
      import('../../../server/config/config.js'),
    ])
    const config = loadConfig({ file: paths.config, env: context.env })
    const peer = options.fromPeer === undefined ? undefined : { name: options.fromPeer, user: options.user }
    const passphrase = keyPassphrase(context)
    const phases = startPhases(out)
    try {
      const archive = options.from === undefined ? undefined : await backupAt(context, options.from, options)
      const report = await repairHome(paths, {
        archive,
        peer,
        passphrase,
        integrity: config.get('integrity.isActive.events') ? config.get('integrity.algorithm') : undefined,
        dryRun: options.dryRun,
        now: context.now,
        async accept(lost) {
          phases.end()
          const warning = `These are nowhere, and would be left out:\n${lossLines(lost).join('\n')}\n`
          await confirmByName(terminal, { warning, name: RISK, risk: RISK }, options.acceptRisk)
        },
        progress: (work, done) => phases.count(work, done),
      })
      phases.end()
      return await finish(context, report, options, async () => {
        if (peer === undefined || options.dryRun) return undefined
        const { fillFromPeer } = await import('../../../server/maintenance/repair/fromPeer.js')
        const { createLog } = await import('../../../server/base/log.js')
        const log = createLog('error', context.now, (line) => terminal.writeStderr(line))
        const seconds = flags.timeoutMs === undefined ? PEER_SECONDS : flags.timeoutMs / 1000
        return fillFromPeer({ store: paths.store, key: paths.key, passphrase, config, log }, peer, report, seconds)
      })
    } catch (error) {
      throw repairProblem(error, home)
    } finally {
      phases.end()
    }
  },
})

type Filling = () => Promise<(Pick<RepairReport, 'repaired' | 'waiting' | 'lost'> & { reason?: string }) | undefined>

async function finish(context: Context, made: RepairReport, options: { dryRun: boolean; fromPeer: string | undefined }, fill: Filling): Promise<ExitCode> {
  const { out, commandFor } = context
  const filled = await fill()
  const report: RepairReport = {
    ...made,
    repaired: [...made.repaired, ...(filled?.repaired ?? [])],
    lost: [...made.lost, ...(filled?.lost ?? [])],
    waiting: filled?.waiting ?? made.waiting,
    from: made.from ?? options.fromPeer ?? null,
  }
  const { repaired, lost, waiting, mended: result, kept: stored, finished } = report
  const isWhole = repaired.length === 0 && lost.length === 0 && waiting.length === 0 && report.damage.length === 0
  const reason = filled?.reason
  await out.result({ ...report, ...(options.dryRun ? { dryRun: true } : {}), ...(reason === undefined ? {} : { reason }) }, {
    print: async () => {
      if (finished !== null) await out.line(`A repair that was begun at ${when(finished)} was interrupted before its store got the place. It told:`)
      for (const line of reportLines(report, options.dryRun, reason)) await out.line(line)
      if (isWhole && reason !== undefined) out.warn('The store is whole, and was not compared with the paired node')
      else if (isWhole) out.done('The store is whole: there is nothing to mend')
      else if (result === null) out.done('Nothing was changed')
      else {
        if (finished !== null) out.done(`The repair of ${when(finished)} is finished: the store that it made has the place. Nothing else was looked at`)
        else out.done(result === 'files' ? 'The attached files are mended; the store was whole, and stays' : 'The store is mended')
        if (stored !== null) out.note(`What was damaged is kept in ${stored}; remove it when nothing is missed.`)
        out.note(`Next: ${commandFor('start')}`)
      }
      if (reason !== undefined && options.fromPeer !== undefined) {
        out.note(`Again, once it can be reached: ${commandFor('store', 'repair', '--from-peer', options.fromPeer)}`)
      }
    },
  })
  return lost.length + waiting.length + (reason === undefined ? 0 : 1) === 0 ? 0 : 3
}
