import { backupAt, lossLines, reportLines } from './shared/repairing.js'
import { passphraseOptions } from '../backup/shared/passphrase.js'
import { command, type Context } from '../../command.js'
import { CommandError, usageError, type ExitCode } from '../../framework/exit.js'
import { confirmByName, riskOption } from '../../terminal/input/confirm.js'
import { runningNode } from '../../client/runningNode.js'
import { keyPassphrase } from '../../client/keyPassphrase.js'
import { assertHomeAccessible } from '../../client/homeChecks.js'
import { flag, text } from '../../framework/option.js'
import { startPhases } from '../../terminal/output/phaseProgress.js'
import { when } from '../../terminal/output/format.js'
import type { RepairReport } from '../../../server/maintenance/repair/report.js'

const RISK = 'lose-data'
const PEER_SECONDS = 600

/** `coffer store repair`. */
export const repair = command({
  path: ['store', 'repair'],
  summary: 'Repair a damaged store from a backup or a paired node',
  description:
    'Repairs what coffer store check finds, and a store that does not open. The node must be stopped.\n\n' +
    'Creates a new store next to the damaged one from every entry that is still readable. Missing entries come from the backup given by --from, or from the latest one if it is a folder of backups; changes made since that backup stay. Indexes, sums and counters are rebuilt from records, and records from their changes. Attached files are searched in the backup and in the other accounts of the node. If only attached files are damaged, the store stays in place and only the files are repaired; in that case a backup of any node can be used.\n\n' +
    'With --from-peer the node is started afterwards, even if nothing had to be repaired, and fetches what is still missing from a paired node that has a copy of the whole account, including all points of series; that node must be reachable. Passwords, sessions, second factors and delegations are not replicated: they only come from a backup.\n\n' +
    'Entries that are found nowhere are listed and left out, after a confirmation or with --accept-risk=lose-data. The new store is checked, then replaces the damaged one, which stays in the home as store.damaged-… (damaged attached files alone: as files.damaged-…) and needs the same space again. After an interruption, run the command again; if the new store was already complete, it is only moved into place, and the report of the first repair is shown again.\n\n' +
    'Exits with 3 if something was left out or is still missing, and with 13 if the store could not be repaired: nothing is changed then.',
  options: {
    from: text('A backup, or the folder with the backups', { placeholder: 'folder', completes: 'folder' }),
    fromPeer: text('Fetch missing entries from this paired node', { placeholder: 'peer', names: 'peer' }),
    user: text('With --from-peer: only this account', { placeholder: 'username', names: 'user' }),
    dryRun: flag('Only show what would be repaired and what is lost', { short: 'n' }),
    acceptRisk: riskOption(RISK, 'leave out missing entries without prompting'),
    ...passphraseOptions,
  },
  examples: [
    { type: 'coffer store repair --from /mnt/disk/coffer --dry-run', description: 'show what the latest backup can repair' },
    { type: 'coffer store repair --from /mnt/disk/coffer', description: 'repair the store' },
    { type: 'coffer store repair --from-peer laptop', description: 'fetch missing entries from a paired node' },
    { type: 'coffer store repair --accept-risk=lose-data --json', description: 'keep only what is readable' },
  ],
  json: '{"repaired":[{"where","what","user","from","count"}],"from","lost":[{"where","what","user"}],"waiting":[…],"damage":[…],"mended","kept","finished"}; "mended" is "store", "files" if only attached files were damaged, or null if nothing was changed; "kept" is the folder with the damaged data, or null; "finished" is the start time in seconds of an earlier repair that this run completed, else null',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { out, paths, home, flags, commandFor, terminal } = context
    if (options.user !== undefined && options.fromPeer === undefined) throw usageError('--user requires --from-peer')
    assertHomeAccessible(paths.home)
    const client = await runningNode(paths, flags.timeoutMs)
    if (client !== undefined) {
      await client.close()
      throw new CommandError('The node is running; its store cannot be repaired.', { exit: 11, hint: `Stop it first: ${commandFor('stop')}` })
    }
    const [{ repairHome }, { repairProblem }, { loadConfig }] = await Promise.all([
      import('../../../server/maintenance/repair/repairHome.js'),
      import('./shared/repairProblem.js'),
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
        async accept(losses) {
          phases.end()
          const warning = `These entries were not found anywhere and will be left out:\n${lossLines(losses).join('\n')}\n`
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

type FillFromPeer = () => Promise<(Pick<RepairReport, 'repaired' | 'waiting' | 'lost'> & { reason?: string }) | undefined>

async function finish(context: Context, repairReport: RepairReport, options: { dryRun: boolean; fromPeer: string | undefined }, fill: FillFromPeer): Promise<ExitCode> {
  const { out, commandFor } = context
  const filled = await fill()
  const report: RepairReport = {
    ...repairReport,
    repaired: [...repairReport.repaired, ...(filled?.repaired ?? [])],
    lost: [...repairReport.lost, ...(filled?.lost ?? [])],
    waiting: filled?.waiting ?? repairReport.waiting,
    from: repairReport.from ?? options.fromPeer ?? null,
  }
  const { repaired, lost: losses, waiting, mended: result, kept: keptFolder, finished } = report
  const isWhole = repaired.length === 0 && losses.length === 0 && waiting.length === 0 && report.damage.length === 0
  const reason = filled?.reason
  await out.result({ ...report, ...(options.dryRun ? { dryRun: true } : {}), ...(reason === undefined ? {} : { reason }) }, {
    print: async () => {
      if (finished !== null) await out.line(`Completing the repair started at ${when(finished)}, which was interrupted. Its report:`)
      for (const line of reportLines(report, options.dryRun, reason)) await out.line(line)
      if (isWhole && reason !== undefined) out.warn('No problems found; the store was not compared with the paired node')
      else if (isWhole) out.done('No problems found: nothing to repair')
      else if (result === null) out.done('Nothing was changed')
      else {
        if (finished !== null) out.done(`The repair started at ${when(finished)} is complete: its store is in place. Nothing else was checked`)
        else out.done(result === 'files' ? 'The attached files are repaired; the store is unchanged' : 'The store is repaired')
        if (keptFolder !== null) out.note(`The damaged data is in ${keptFolder}; remove it once you no longer need it.`)
        out.note(`Next: ${commandFor('start')}`)
      }
      if (reason !== undefined && options.fromPeer !== undefined) {
        out.note(`Try again when the peer is reachable: ${commandFor('store', 'repair', '--from-peer', options.fromPeer)}`)
      }
    },
  })
  return losses.length + waiting.length + (reason === undefined ? 0 : 1) === 0 ? 0 : 3
}
