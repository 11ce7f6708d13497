import { usageError } from '../../framework/exit.js'
import { STDIN } from '../../terminal/input/text.js'
import type { Opening } from '../../../store/keyring/nodeKey.js'
import { scheduleOf } from '../backup/shared/schedule.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { textOf } from '../../client/answer.js'
import { endOnFault, restartsBy, stopSignal } from '../../client/shutdown.js'
import { limitHeap } from '../../client/nodeHeap.js'
import { keyPassphrase } from '../../client/keyPassphrase.js'
import { assertHomeAccessible } from '../../client/homeChecks.js'
import { serviceManager, type ServiceManager } from '../../client/serviceManager.js'
import { ensureSocketFolder } from '../../client/socketFolder.js'
import { flag } from '../../framework/option.js'
import { initialiseIfAbsent, startNode } from './startOpening.js'
import { startArguments, settingOverrides, startOptions, type StartInput } from './startOptions.js'

/** Time limit for open requests when the node stops, in milliseconds. */
const GRACE_MS = 30_000

/** `coffer start`. */
export const start = command({
  path: ['start'],
  summary: 'Run the node',
  description:
    'Opens the store, listens, and runs until Ctrl-C or coffer stop. An empty home is initialised first. With --detach the node runs ' +
    'in the background: the command returns when the node answers; use coffer logs to read its log.\n\n' +
    'On stop, open requests get up to 30 seconds to finish; a second Ctrl-C stops immediately. ' +
    'Acknowledged changes are never lost. coffer restart closes and reopens the node in the same process, with the settings ' +
    'at that time.\n\n' +
    'The log goes to stderr and to a file (see coffer logs): formatted on a terminal, else one JSON object per line. Under a ' +
    'service manager, stdout contains the lines of --json.\n\n' +
    'If a passphrase protects the node key (see coffer store rekey), the command prompts for it, or reads it from a file.',
  options: {
    detach: flag('Run in the background'),
    open: flag('Open the page of the only account in the browser, logged in'),
    ...startOptions,
  },
  examples: [
    { type: 'coffer start', description: 'run the node' },
    { type: 'coffer start --detach', description: 'run it in the background' },
    { type: 'coffer start --detach --open', description: 'run it and open the account page in the browser' },
    { type: 'coffer start --port 8080 --set uploads.maxSizeMb=10', description: 'override settings for this run' },
  ],
  json:
    'First line, when the node listens, and one after each restart: {"event":"started","url","pid","home"}; last line: ' +
    '{"event":"stopped"}. ' +
    'The log is on stderr, one object per line.',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    if (options.detach && options.passphraseFile === STDIN) throw usageError('--passphrase-file - cannot be combined with --detach', 'Pass the path of a file.')
    if (options.detach) return startInBackground(context, options)
    const over = new AbortController()
    try {
      await untilStopped(context, options, over.signal)
    } finally {
      over.abort()
    }
  },
})

/** Runs the node in this process until a stop signal. Handles signals and uncaught errors until `over` is aborted. */
async function untilStopped(context: Context, options: StartInput & { open: boolean }, over: AbortSignal): Promise<void> {
  const { out, paths, env, terminal } = context
  const begun = performance.now()
  const liftHeapLimit = limitHeap()
  // Goes on in a thread while the rest of the program is loaded.
  const { beginInspection } = await import('../../../store/engine/inspection.js')
  const inspection = beginInspection(paths.store)
  const [{ loadConfig }, { openNodeLog }] = await Promise.all([
    import('../../../server/config/config.js'),
    import('../../client/nodeLog.js'),
  ])
  const flags = settingOverrides(options)
  assertHomeAccessible(paths.home)
  // Invalid settings are reported before anything is created.
  loadConfig({ file: paths.config, env, flags })
  const isNew = await initialiseIfAbsent(context)
  const stopped = stopSignal(over)
  const { RESTART } = await import('../../../server/launch/run.js')
  const restarts = restartsBy(RESTART, over)
  ensureSocketFolder(paths)
  terminal.ignoreClosedStdout()
  const passphrase = askOnce(keyPassphrase(context, options.passphraseFile))
  let manager: ServiceManager | undefined
  let boundPort: number | undefined
  for (let isFirst = true; ; isFirst = false) {
    const loaded = loadConfig({ file: paths.config, env, flags })
    // A random free port is kept across restarts.
    const isFree = loaded.get('http.port') === 0
    const config = isFree && boundPort !== undefined ? loadConfig({ file: paths.config, env, flags: { ...flags, 'http.port': boundPort } }) : loaded
    const { log, file } = openNodeLog(paths.log, config, terminal, out.json)
    if (isFirst) endOnFault(log, over)
    const again = restarts.next()
    const running = await startNode(context, config, log, { passphrase, inspection: isFirst ? inspection : undefined })
    const { url, node } = running
    if (isFree) boundPort = running.port
    file.info('node started', { url, pid: process.pid, home: paths.home, mail: node.mailing.isSetUp ? 'on' : 'off' })
    if (out.json || (!out.quiet && !terminal.outIsTerminal)) {
      await out.item({ event: 'started', url: running.url, pid: process.pid, home: paths.home })
    } else if (out.quiet) await out.line(running.url)
    else if (!isFirst) out.done(`Running again at ${url}`)
    else {
      if (isNew) out.done(`Created a new node in ${paths.home}`)
      const { writeBanner } = await import('./banner.js')
      await writeBanner(context, running, (performance.now() - begun) / 1000)
    }
    manager ??= serviceManager(env, log)
    if (isFirst) await manager.ready(`Running at ${url}`)
    if (isFirst) liftHeapLimit()
    if (isFirst && options.open) await showPage(context)
    const schedule = scheduleOf(config)
    const endSchedule =
      schedule === undefined
        ? undefined
        : (await import('../backup/shared/scheduled.js')).startSchedule(schedule, { home: paths.home, log, now: context.now })
    const reason = await Promise.race([stopped, again])
    endSchedule?.()
    // A restart is not reported to the service manager as a stop, since it would start its stop timeout.
    const notified = reason === 'restart' ? undefined : manager.stopping()
    if (terminal.outIsTerminal) out.note(`\n${actionText(reason)}: finishing open requests …`)
    await running.stop(GRACE_MS)
    await notified
    file.info('node stopped', { signal: reason })
    if (reason !== 'restart') break
  }
  if (out.json || (!out.quiet && !terminal.outIsTerminal)) await out.item({ event: 'stopped' })
  else out.done('Stopped')
}

const actionText = (reason: NodeJS.Signals | 'restart'): string => reason === 'restart' ? 'Restarting' : 'Stopping'

/** Prompts once: a restart reuses the passphrase. */
function askOnce(ask: Opening['passphrase']): Opening['passphrase'] {
  let known: ReturnType<NonNullable<Opening['passphrase']>> | undefined
  return ask === undefined ? undefined : () => (known ??= ask())
}

/** Starts the same node in a separate process. */
async function startInBackground(context: Context, options: StartInput & { open: boolean }): Promise<void> {
  const { out, paths, flags, commandFor } = context
  const { startDetached } = await import('../../client/detached.js')
  const started = await startDetached(startArguments(paths, flags.config === undefined ? undefined : paths.config, options))
  const url = textOf(started['url'])
  await out.result(started, {
    id: url,
    print: () => {
      out.done(`Running at ${url}, process ${textOf(started['pid'])}`)
      out.note(`  Log: ${commandFor('logs', '--follow')}\n  Stop it: ${commandFor('stop')}`)
    },
  })
  if (options.open) await showPage(context)
}

/** Opens the page of the only account in the browser. Errors do not stop the node. */
async function showPage(context: Context): Promise<void> {
  const { out, connect } = context
  const [{ createPageLink, openOrPrint }, { describedFailure }] = await Promise.all([import('../../client/openPage.js'), import('../../terminal/output/failure.js')])
  try {
    const page = await createPageLink(await connect(), undefined)
    await openOrPrint(context, page, (link) => out.note(link))
  } catch (error) {
    const { message, hint } = describedFailure(error, context.commandFor)
    out.warn(`Cannot open the page: ${message}`)
    if (hint !== undefined) out.note(`  ${hint}`)
  }
}
