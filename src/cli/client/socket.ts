/** Client of a running node of this machine, over its unix socket. */
import { connect } from 'node:net'
import { CommandError } from '../framework/exit.js'
import { httpRequest } from './httpRequest.js'
import { createControlClient } from './controlClient.js'
import type { NodeClient } from './nodeClient.js'

const STATUS_HINT = 'Check the node: coffer status'

/**
 * Connects to the node that listens at `socket`; undefined when none does.
 * @param timeoutMs how long to wait for the start of a response; undefined means no limit
 */
export async function openSocket(socket: string, timeoutMs?: number): Promise<NodeClient | undefined> {
  if (!(await isListening(socket))) return undefined
  return createControlClient({
    kind: 'socket',
    nextCommand: STATUS_HINT,
    request: ({ method, target, body }) =>
      httpRequest({ options: { socketPath: socket, method, path: `/control/${target}` }, body, timeoutMs }, (cause) => unreachable(cause, socket)),
  })
}

function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect({ path: socket })
    probe.on('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.on('error', (cause) => (isAbsent(cause) ? resolve(false) : reject(unreachable(cause, socket))))
  })
}

/** Checks for a missing socket, or a stale one. */
function isAbsent(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ECONNREFUSED')
}

function unreachable(cause: unknown, socket: string): CommandError {
  if (cause instanceof Error && 'code' in cause && (cause.code === 'EACCES' || cause.code === 'EPERM')) {
    const hint = 'Run the command as the owner of the node.'
    return new CommandError(`Permission denied: the node at ${socket}`, { exit: 4, cause, hint })
  }
  return new CommandError(`The node at ${socket} cannot be reached.`, { exit: 7, cause, hint: STATUS_HINT })
}
