import type { LogEntry } from '../../../server/base/log.js'
import { EXPIRY_WARNING_DAYS } from '../../../server/tls/expiry.js'
import { productVersion } from '../../../server/base/version.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError, hintText, usageError } from '../../framework/exit.js'
import type { ExitCode } from '../../framework/exit.js'
import type { Record_ } from '../../client/answer.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { bytes, span } from '../../terminal/output/format.js'
import { flag } from '../../framework/option.js'
import { selectionOf } from '../../client/defaultAccount.js'
import { accountNames } from '../../client/user.js'
import { peersLine } from '../sync/shared/peer.js'

/** Time limit in milliseconds: a healthy node answers within milliseconds. */
const TIMEOUT_MS = 10_000
/** Number of log lines shown at first. */
const LOG_LINES = 200

/** `coffer status`. */
export const status = command({
  path: ['status'],
  summary: 'Show whether the node is running, and its health',
  description:
    'Exits with 0 if the node is running and 7 if it is not. Lines that start with ! need attention. With --watch, shows a screen that refreshes every second: HTTP calls of the last minute, accounts, peers, and what needs attention: pending app requests, failed webhooks, rejected peers. Press ? for the keys, q to quit.',
  options: { watch: flag('Watch the status on a screen, until you press q') },
  examples: [
    { type: 'coffer status', description: 'show the status once' },
    { type: 'coffer status --watch', description: 'watch the status' },
    { type: 'coffer status --jq .disk.freeBytes', description: 'for scripts' },
  ],
  json:
    '{"running","url","pid","home","version","accounts","peers","apiVersion","state","commits","memoryBytes",' +
    '"opened","uptimeSeconds","disk":{"storeBytes","freeBytes"},"lastMinute":{"calls","failed","refused","p50","p99"},"certificate":{"hostname","issuedAt","expiresAt","daysUntilExpiry"}|null,"defaultAccount"}, defaultAccount is the account of commands without --user, or null; {"running":false,"home","version"} if no node is running; "node" in place of "home" for a remote node',
  offline: false,
  async run(context, { watch }) {
    const { out, connect, terminal } = context
    if (watch && (!terminal.mayShowScreens || out.json || out.quiet)) {
      throw usageError('--watch needs a terminal to draw on', 'Show it once: coffer status')
    }
    let answer: ResultOf<'node.status'>
    let selection: Selection = { none: true }
    let hasClient = false
    try {
      const client = await connect(TIMEOUT_MS)
      hasClient = true
      answer = await client.call('node.status', {}, {})
      selection = selectionOf(await accountNames(client), client.choice)
      if (watch) {
        const { watchStatus } = await import('../../screens/status/watchStatus.js')
        return await watchStatus(context, client, (signal) => readLog(context, signal))
      }
    } catch (error) {
      // A node that exists and does not answer is reported as a failure.
      if (!(error instanceof CommandError) || error.exit !== 7 || hasClient) throw error
      return notRunning(context, error)
    }
    const { running, url, pid, version, ...more } = answer
    await out.result(
      { running, url, pid, ...whereOf(context), version, ...more, defaultAccount: 'account' in selection ? selection.account.username : null },
      { id: String(pid), print: () => print(context, answer, selection) },
    )
    return undefined
  },
})

/** Yields the last lines of the log, then new ones until the signal. */
async function* readLog(context: Context, signal: AbortSignal): AsyncGenerator<LogEntry> {
  const { remote, env } = context
  if (remote !== undefined) throw new CommandError(`The log of ${remote.name} is only available on its own machine: coffer logs`)
  const { paths } = context
  const [{ loadConfig }, { addedLines, lastLines }, { logPath }] = await Promise.all([
    import('../../../server/config/config.js'),
    import('./readLog.js'),
    import('../../client/nodeLog.js'),
  ])
  const config = loadConfig({ file: paths.config, env })
  const path = logPath(paths.log, config)
  // Follows from the position before the existing lines were read, so that no line is lost.
  const lines = addedLines(path, {}, signal)
  const next = lines.next()
  for (const { entry } of await lastLines(path, config.get('logs.keptFiles'), {}, LOG_LINES)) yield entry
  for (let added = await next; added.done !== true; added = await lines.next()) yield added.value.entry
}

/** Returns the folder of a local node, or the name of a remote one. */
const whereOf = (context: Context): Record_ => (context.remote === undefined ? { home: context.home } : { node: context.remote.name })

async function notRunning(context: Context, { message, hint }: CommandError): Promise<ExitCode> {
  const { out, remote, place, commandFor } = context
  const document = { running: false, ...whereOf(context), version: productVersion() }
  await out.result(document, { print: () => out.line(remote === undefined ? `○ No node is running for ${place}` : `○ ${message}`) })
  if (hint !== undefined) out.note(hintText(hint, commandFor))
  return 7
}

type Selection = ReturnType<typeof selectionOf>

async function print({ out, terminal, place, remote, now, commandFor }: Context, answer: ResultOf<'node.status'>, selection: Selection): Promise<void> {
  const { disk } = answer
  await terminal.write(`${terminal.paintOut.green('●')} coffer ${answer.version} is running\n`)
  await out.line(`  Address   ${answer.url}`)
  await out.line(
    `  Process   ${answer.pid}, up ${span(answer.uptimeSeconds)}, ${bytes(answer.memoryBytes)}`,
  )
  await out.line(`  ${remote === undefined ? 'Home     ' : 'Node     '} ${place}`)
  await out.line(`  Accounts  ${answer.accounts}${'account' in selection ? `; commands use ${selection.account.username} (${selection.by})` : ''}`)
  await out.line(`  Disk      store ${bytes(disk.storeBytes)}, ${bytes(disk.freeBytes)} free`)
  const { peers } = answer
  if (peers.length > 0) await out.line(`  Peers     ${peersLine(peers, now())}`)
  if ('problem' in selection) await out.line(`! ${selection.problem}${selection.hint === undefined ? '' : ` ${hintText(selection.hint, commandFor)}`}`)
  const trouble = troubles[answer.state]
  if (trouble !== undefined) await out.line(`! ${trouble}`)
  const { expiresAt = Infinity, hostname = '' } = answer.certificate ?? {}
  const secondsLeft = expiresAt / 1000 - now()
  if (secondsLeft < EXPIRY_WARNING_DAYS * DAY_S) {
    await out.line(`! The certificate for ${hostname} ${secondsLeft < 0 ? 'has expired' : `expires in ${span(secondsLeft)}`}: ${commandFor('doctor', 'certificate')}`)
  }
}

const DAY_S = 86_400

const troubles: Partial<Record<string, string>> = {
  full: 'The disk is full: writes fail until there is free space.',
  'read-only': 'The disk failed and the node is read-only. Restart it once the disk is repaired: coffer restart',
}
