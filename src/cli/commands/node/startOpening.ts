/** Opening the node that `coffer start` runs, which is made first in an empty home. */
import type { Config } from '../../../server/config/config.js'
import type { Log } from '../../../server/base/log.js'
import type { RunningNode } from '../../../server/launch/run.js'
import { redirectPortOf } from '../../../server/tls/tlsConfig.js'
import type { CertificateProblem } from '../../../server/tls/pair.js'
import type { Opening } from '../../../store/keyring/nodeKey.js'
import type { Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { nextFor } from '../../tls/faults.js'

/** Makes the node in an empty home; answers whether it did. */
export async function makeIfAbsent({ paths }: Context): Promise<boolean> {
  const { AlreadyInitialised, hasStore, initialise } = await import('../../../server/launch/init.js')
  if (hasStore(paths)) return false
  try {
    await initialise(paths)
    return true
  } catch (error) {
    // Another start was faster: then its node is the one to open, or to be told of.
    if (error instanceof AlreadyInitialised) return false
    const { storeProblem } = await import('../../client/storeProblem.js')
    throw storeProblem(error, paths.home)
  }
}

/**
 * Opens the store and both doors.
 * @throws CommandError saying what is in the way: the address, or the store
 */
export async function openedNode(context: Context, config: Config, log: Log, passphrase: Opening['passphrase']): Promise<RunningNode> {
  const { paths } = context
  const [{ runNode, RESTART }, { storeProblem }] = await Promise.all([
    import('../../../server/launch/run.js'),
    import('../../client/storeProblem.js'),
  ])
  try {
    const reopen = (): void => void process.kill(process.pid, RESTART)
    return await runNode({ store: paths.store, key: paths.key, passphrase, socket: paths.socket, config, log, reopen })
  } catch (error) {
    const { CertificateProblem } = await import('../../../server/tls/pair.js')
    if (error instanceof CertificateProblem) throw certificateProblem(error, context, config)
    throw nameServerProblem(error, context) ?? listenProblem(error, context, config) ?? storeProblem(error, paths.home)
  }
}

/** What is wrong with the certificate, and how the node starts all the same. */
function certificateProblem(problem: CertificateProblem, context: Context, config: Config): CommandError {
  const { commandFor } = context
  const [certFile, keyFile] = [config.get('http.ssl.certFile') ?? '', config.get('http.ssl.keyFile') ?? '']
  const without = `${commandFor('config', 'unset', 'http.ssl.certFile')}; ${commandFor('config', 'unset', 'http.ssl.keyFile')}`
  const next = nextFor(problem, { certFile, keyFile }, context)
  return new CommandError(problem.message, { cause: problem, hint: `To mend it: ${next}\nOr serve plain HTTP again: ${without}` })
}

/** Why the system does not let the name server listen; undefined for other errors. */
function nameServerProblem(error: unknown, { commandFor }: Context): CommandError | undefined {
  // Only a node that has a name server loads what throws this.
  if (!(error instanceof Error && error.name === 'NameServerProblem' && 'code' in error && 'taken' in error)) return undefined
  const another = `Or have another port lead there, and take that one: ${commandFor('config', 'set', 'dns.port', '5353')}`
  const free = 'Another name server may be there, such as that of the system (systemd-resolved, at 127.0.0.53): name the address of this machine with dns.ip.'
  const hint =
    error.code === 'EADDRINUSE'
      ? `${free}\n${another}`
      : error.code === 'EACCES'
        ? `As a service it may: ${commandFor('service', 'install')}\n${another}`
        : `Name an address of this machine: ${commandFor('config', 'set', 'dns.ip', '0.0.0.0')}`
  return new CommandError(error.message, { cause: error, hint })
}

/** Why the system does not let the node listen at its address; undefined for other errors. */
function listenProblem(error: unknown, { commandFor }: Context, config: Config): CommandError | undefined {
  // The control socket has no port.
  if (!(error instanceof Error && 'code' in error && 'port' in error)) return undefined
  const host = config.get('http.ip')
  const port = Number(error.port)
  const setting = port === redirectPortOf(config) ? 'http.ssl.redirectPort' : 'http.port'
  if (error.code === 'EADDRNOTAVAIL') {
    const hint = `Take one that is: ${commandFor('start', '--host', '127.0.0.1')}`
    return new CommandError(`${host} is no address of this machine.`, { cause: error, hint })
  }
  const isTaken = error.code === 'EADDRINUSE'
  if (!isTaken && error.code !== 'EACCES') return undefined
  const why = isTaken ? 'is in use by another program' : 'may not be used by this user'
  const another = String(isTaken ? (port % 65_535) + 1 : 3000)
  const hint =
    `Take another port this time: ${setting === 'http.port' ? commandFor('start', '--port', '0') : commandFor('start', '--set', `${setting}=0`)}\n` +
    `Or for good: ${commandFor('config', 'set', setting, another)}`
  return new CommandError(`${host}:${port} ${why}.`, { cause: error, hint })
}
