/** Opens the node for `coffer start`, and creates it first in an empty home. */
import type { Config } from '../../../server/config/config.js'
import type { Log } from '../../../server/base/log.js'
import type { RunningNode } from '../../../server/launch/run.js'
import { urlHost } from '../../../server/base/urlHost.js'
import { redirectPortOf } from '../../../server/config/tlsConfig.js'
import type { CertificateProblem } from '../../../server/tls/pair.js'
import type { StorePlace } from '../../../store/engine/open.js'
import type { Opening } from '../../../store/keyring/nodeKey.js'
import type { Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { shellLine } from '../../framework/shell.js'
import { nextFor } from '../certs/faults.js'

/** Creates the node in an empty home; returns true when it did. */
export async function initialiseIfAbsent({ paths }: Context): Promise<boolean> {
  const { AlreadyInitialised, hasStore, initialise } = await import('../../../server/launch/init.js')
  if (hasStore(paths)) return false
  try {
    await initialise(paths)
    return true
  } catch (error) {
    // Another process created the node in the meantime: open it, or report that it is running.
    if (error instanceof AlreadyInitialised) return false
    const { storeProblem } = await import('../../client/storeProblem.js')
    throw storeProblem(error, paths.home)
  }
}

/**
 * Opens the store, the HTTP server and the admin socket.
 * @throws CommandError naming the cause: the address, or the store
 */
export async function startNode(
  context: Context,
  config: Config,
  log: Log,
  { passphrase, inspection }: Pick<StorePlace, 'inspection'> & Pick<Opening, 'passphrase'>,
): Promise<RunningNode> {
  const { paths } = context
  const [{ runNode, RESTART }, { storeProblem }] = await Promise.all([
    import('../../../server/launch/run.js'),
    import('../../client/storeProblem.js'),
  ])
  try {
    const reopen = (): void => void process.kill(process.pid, RESTART)
    return await runNode({ store: paths.store, key: paths.key, passphrase, inspection, socket: paths.socket, config, log, reopen })
  } catch (error) {
    const { CertificateProblem } = await import('../../../server/tls/pair.js')
    if (error instanceof CertificateProblem) throw certificateProblem(error, context, config)
    throw nameServerProblem(error, context) ?? (await listenProblem(error, context, config)) ?? storeProblem(error, paths.home)
  }
}

/** Returns an error for a certificate that cannot be used, with hints to start the node. */
function certificateProblem(problem: CertificateProblem, context: Context, config: Config): CommandError {
  const { commandFor } = context
  const [certFile, keyFile] = [config.get('http.ssl.certFile') ?? '', config.get('http.ssl.keyFile') ?? '']
  const without = `${commandFor('config', 'unset', 'http.ssl.certFile')}; ${commandFor('config', 'unset', 'http.ssl.keyFile')}`
  const next = nextFor(problem, { certFile, keyFile }, context)
  return new CommandError(problem.message, { cause: problem, hint: `Fix it: ${next}\nOr serve plain HTTP again: ${without}` })
}

/** Returns an error if the system does not let the DNS server listen; undefined for other errors. */
function nameServerProblem(error: unknown, { commandFor }: Context): CommandError | undefined {
  // Only a node with a DNS server loads the module that throws this.
  if (!(error instanceof Error && error.name === 'NameServerProblem' && 'code' in error && 'busyPort' in error)) return undefined
  const another = `Or forward the port to another one, and set that: ${commandFor('config', 'set', 'dns.port', '5353')}`
  const free = 'Another DNS server may be running, such as systemd-resolved at 127.0.0.53: set dns.ip to the address of this machine.'
  const hint =
    error.code === 'EADDRINUSE'
      ? `${free}\n${another}`
      : error.code === 'EACCES'
        ? `Install it as a service, which may use this port: ${commandFor('service', 'install')}\n${another}`
        : `Use an address of this machine: ${commandFor('config', 'set', 'dns.ip', '0.0.0.0')}`
  return new CommandError(error.message, { cause: error, hint })
}

/** Returns an error if the system does not let the node listen at its address; undefined for other errors. */
async function listenProblem(error: unknown, { commandFor }: Context, config: Config): Promise<CommandError | undefined> {
  // The admin socket has no port.
  if (!(error instanceof Error && 'code' in error && 'port' in error)) return undefined
  const host = config.get('http.ip')
  const port = Number(error.port)
  const setting = port === redirectPortOf(config) ? 'http.ssl.redirectPort' : 'http.port'
  if (error.code === 'EADDRNOTAVAIL') {
    const hint = `Use one that is: ${commandFor('start', '--host', '127.0.0.1')}`
    return new CommandError(`${host} is not an address of this machine.`, { cause: error, hint })
  }
  const isInUse = error.code === 'EADDRINUSE'
  if (!isInUse && error.code !== 'EACCES') return undefined
  const holder = isInUse ? await holderOf(host, port) : undefined
  const why = holder?.words ?? 'is not permitted for this user'
  const another = String(isInUse ? (port % 65_535) + 1 : 3000)
  const hint =
    (holder?.home === undefined ? '' : `Show that node: ${shellLine(['coffer', 'status', '--home', holder.home])}\n`) +
    `Use a different port: ${setting === 'http.port' ? commandFor('start', '--port', '0') : commandFor('start', '--set', `${setting}=0`)}\n` +
    `Or change it permanently: ${commandFor('config', 'set', setting, another)}`
  return new CommandError(`${host}:${port} ${why}.`, { cause: error, hint })
}

/** Describes the program that listens on a port, with its home if it is a node of this account. */
async function holderOf(host: string, port: number): Promise<{ words: string; home?: string }> {
  const [{ portHolder }, { isNodeAt }] = await Promise.all([import('../../client/portHolder.js'), import('../../client/remote.js')])
  const holder = portHolder(port)
  if (holder?.home !== undefined) return { words: `is in use by the coffer node of ${holder.home} (process ${holder.pid})`, home: holder.home }
  if (holder !== undefined && holder.program !== '') return { words: `is in use by ${holder.program} (process ${holder.pid})` }
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const isNode = await isNodeAt(`http://${urlHost(local)}:${port}/`, PROBE_TIMEOUT_MS)
  return { words: isNode ? 'is in use by a coffer node of another account of this machine' : 'is in use by another program' }
}

/** Time limit for the response of the program that holds the port, in milliseconds. */
const PROBE_TIMEOUT_MS = 1000
