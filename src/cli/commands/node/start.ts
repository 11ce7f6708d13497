import type { Config } from '../../../server/config.js'
import type { Log } from '../../../server/log.js'
import type { RunningNode } from '../../../server/run.js'
import type { Opening } from '../../../store/nodeKey.js'
import { scheduleOf } from '../../backup/schedule.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError, usageError } from '../../exit.js'
import { textOf } from '../../node/answer.js'
import { endOnFault, restartsBy, stopSignal } from '../../node/endings.js'
import { keyPassphrase } from '../../node/keyPassphrase.js'
import { refuseClosedHome } from '../../node/place.js'
import { serviceManager, type ServiceManager } from '../../node/serviceManager.js'
import { ensureSocketFolder } from '../../node/socketFolder.js'
import { flag, list, text, whole } from '../../option.js'

/** How long open requests may take to finish when the node stops. */
const GRACE_MS = 30_000

/** `coffer start`. */
export const start = command({
  path: ['start'],
  summary: 'Run the node',
  description:
    'Opens the store, listens, and runs until Ctrl-C or coffer stop. In an empty home the node is made first. With --detach it runs on ' +
    'without the terminal: the command returns when the node answers, and coffer logs shows what it says.\n\n' +
    'Open requests are finished before it ends, for at most 30 seconds; a second Ctrl-C ends it at once. Nothing that ' +
    'was acknowledged is lost either way. coffer restart has the same process close and open it again, with the settings ' +
    'as they are then.\n\n' +
    'The log goes to stderr and to a file (see coffer logs): readable on a terminal, else one JSON object a line. Under a ' +
    'service manager, stdout has the lines of --json.\n\n' +
    'Where the node key is behind a passphrase (see coffer store rekey), it is asked for, or read from a file.',
  options: {
    detach: flag('Run on in the background'),
    passphraseFile: text('Read the passphrase of the node key from a file; COFFER_PASSPHRASE_FILE names one too', { placeholder: 'file', completes: 'file' }),
    host: text('Address to listen on, over the setting http.ip', { placeholder: 'address' }),
    port: whole('Port to listen on, over the setting http.port; 0 takes a free one', { to: 65535 }),
    set: list('A setting for this run, as key=value', { placeholder: 'key=value' }),
  },
  examples: [
    { type: 'coffer start', says: 'run the node' },
    { type: 'coffer start --detach', says: 'run it in the background' },
    { type: 'coffer start --port 8080 --set uploads.maxSizeMb=10', says: 'with other settings, this time' },
  ],
  json:
    'First line, when the node listens, and one after each restart: {"event":"started","url","pid","home"}; last line: ' +
    '{"event":"stopped"}. ' +
    'The log is on stderr, one object a line.',
  reach: 'machine',
  offline: true,
  async run(context, asked) {
    const { out, paths, env, terminal } = context
    if (asked.detach) return detached(context, asked)
    const begun = performance.now()
    const [{ loadConfig }, { openNodeLog }] = await Promise.all([
      import('../../../server/config.js'),
      import('../../node/nodeLog.js'),
    ])
    const flags = { ...settingsOf(asked.set), ...given('http.ip', asked.host), ...given('http.port', asked.port) }
    refuseClosedHome(paths.home)
    // A mistake in the settings is told before anything is made.
    loadConfig({ file: paths.config, env, flags })
    const isNew = await makeIfAbsent(context)
    const stopped = stopSignal()
    const { RESTART } = await import('../../../server/run.js')
    const restarts = restartsBy(RESTART)
    ensureSocketFolder(paths)
    terminal.outlive()
    const passphrase = remembered(keyPassphrase(context, asked.passphraseFile))
    let manager: ServiceManager | undefined
    for (let isFirst = true; ; isFirst = false) {
      const config = loadConfig({ file: paths.config, env, flags })
      const { log, file } = openNodeLog(paths.log, config, terminal, out.json)
      if (isFirst) endOnFault(log)
      const again = restarts.next()
      const running = await run(context, config, log, passphrase)
      const { url, node } = running
      file.info('the node is open', { url, pid: process.pid, home: paths.home, mail: node.mailing.isSetUp ? 'on' : 'off' })
      if (out.json || (!out.quiet && !terminal.outIsTerminal)) {
        await out.item({ event: 'started', url: running.url, pid: process.pid, home: paths.home })
      } else if (out.quiet) await out.line(running.url)
      else if (!isFirst) out.done(`Open again at ${url}`)
      else {
        if (isNew) out.done(`New node made in ${paths.home}`)
        const { writeBanner } = await import('./banner.js')
        await writeBanner(context, running, (performance.now() - begun) / 1000)
      }
      manager ??= serviceManager(env, log)
      if (isFirst) await manager.ready(`Open at ${url}`)
      const schedule = scheduleOf(config)
      const endSchedule =
        schedule === undefined
          ? undefined
          : (await import('../../backup/scheduled.js')).startSchedule(schedule, { home: paths.home, log, now: context.now })
      const asks = await Promise.race([stopped, again])
      endSchedule?.()
      // To a service manager a restart is no end: it would count the time.
      const told = asks === 'restart' ? undefined : manager.stopping()
      if (terminal.outIsTerminal) out.note(`\n${saysOf(asks)}: finishing open requests …`)
      await running.stop(GRACE_MS)
      await told
      file.info('the node has stopped', { signal: asks })
      if (asks !== 'restart') break
    }
    if (out.json || (!out.quiet && !terminal.outIsTerminal)) await out.item({ event: 'stopped' })
    else out.done('Stopped')
  },
})

/** The same node, apart from this process. */
async function detached({ out, paths, flags, commandFor }: Context, asked: StartAsked): Promise<void> {
  const { startDetached } = await import('../../node/detached.js')
  const file = asked.passphraseFile
  const words = [
    ...['start', '--home', paths.home],
    ...(flags.config === undefined ? [] : ['--config', paths.config]),
    ...(asked.host === undefined ? [] : ['--host', asked.host]),
    ...(asked.port === undefined ? [] : ['--port', String(asked.port)]),
    ...(file === undefined ? [] : ['--passphrase-file', file]),
    ...asked.set.flatMap((pair) => ['--set', pair]),
  ]
  const started = await startDetached(words)
  const url = textOf(started['url'])
  await out.result(started, {
    id: url,
    tell: () => {
      out.done(`Open at ${url}, process ${textOf(started['pid'])}`)
      out.note(`  What it says: ${commandFor('logs', '--follow')}\n  Stop it: ${commandFor('stop')}`)
    },
  })
}

interface StartAsked {
  passphraseFile: string | undefined
  host: string | undefined
  port: number | undefined
  set: readonly string[]
}

const saysOf = (asks: NodeJS.Signals | 'restart'): string =>
  asks === 'restart' ? 'Asked to restart' : asks === 'SIGINT' ? 'Stopping' : 'Asked to stop'

/** Asks once: a node that is opened again is not in want of a person. */
function remembered(ask: Opening['passphrase']): Opening['passphrase'] {
  let known: ReturnType<NonNullable<Opening['passphrase']>> | undefined
  return ask === undefined ? undefined : () => (known ??= ask())
}

const given = (key: string, value: unknown): Record<string, unknown> => (value === undefined ? {} : { [key]: value })

function settingsOf(pairs: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageError(`--set takes key=value, not ${JSON.stringify(pair)}`, 'See: coffer help settings')
    settings[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return settings
}

/** Makes the node in an empty home; answers whether it did. */
async function makeIfAbsent({ paths }: Context): Promise<boolean> {
  const { AlreadyInitialised, hasStore, initialise } = await import('../../../server/init.js')
  if (hasStore(paths)) return false
  try {
    await initialise(paths)
    return true
  } catch (error) {
    // Another start was faster: then its node is the one to open, or to be told of.
    if (error instanceof AlreadyInitialised) return false
    const { storeProblem } = await import('../../node/storeProblem.js')
    throw storeProblem(error, paths.home)
  }
}

async function run(context: Context, config: Config, log: Log, passphrase: Opening['passphrase']): Promise<RunningNode> {
  const { paths } = context
  const [{ runNode, RESTART }, { storeProblem }] = await Promise.all([
    import('../../../server/run.js'),
    import('../../node/storeProblem.js'),
  ])
  try {
    const reopen = (): void => void process.kill(process.pid, RESTART)
    return await runNode({ store: paths.store, key: paths.key, passphrase, socket: paths.socket, config, log, reopen })
  } catch (error) {
    throw listenProblem(error, context, config) ?? storeProblem(error, paths.home)
  }
}

/** Why the system does not let the node listen at its address; undefined for other errors. */
function listenProblem(error: unknown, { commandFor }: Context, config: Config): CommandError | undefined {
  // The control socket has no port.
  if (!(error instanceof Error && 'code' in error && 'port' in error)) return undefined
  const host = config.get('http.ip')
  const port = config.get('http.port')
  if (error.code === 'EADDRNOTAVAIL') {
    const hint = `Take one that is: ${commandFor('start', '--host', '127.0.0.1')}`
    return new CommandError(`${host} is no address of this machine.`, { cause: error, hint })
  }
  const isTaken = error.code === 'EADDRINUSE'
  if (!isTaken && error.code !== 'EACCES') return undefined
  const why = isTaken ? 'is in use by another program' : 'may not be used by this user'
  const another = String(isTaken ? (port % 65_535) + 1 : 3000)
  const hint =
    `Take another port this time: ${commandFor('start', '--port', '0')}\n` +
    `Or for good: ${commandFor('config', 'set', 'http.port', another)}`
  return new CommandError(`${host}:${port} ${why}.`, { cause: error, hint })
}
