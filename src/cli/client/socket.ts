/** A running node of this machine, over its unix socket. */
import { connect } from 'node:net'
import { CommandError } from '../framework/exit.js'
import { httpRequest } from './httpRequest.js'
import { createControlClient } from './controlClient.js'
import type { NodeClient } from './nodeClient.js'

const LOOK_FOR_IT = 'Look for it with: coffer status'

/**
 * Opens the door of the node that listens at `socket`, or answers undefined when none does.
 * @param timeoutMs how long to wait for the node to begin its answer; without limit when undefined.
 */
export async function openSocket(socket: string, timeoutMs?: number): Promise<NodeClient | undefined> {
  if (!(await isListening(socket))) return undefined
  return createControlClient({
    kind: 'socket',
    lookForIt: LOOK_FOR_IT,
    ask: ({ method, target, body }) =>
      httpRequest({ options: { socketPath: socket, method, path: `/control/${target}` }, body, timeoutMs }, (cause) => unreachable(cause, socket)),
  })
}

function isListening(socket: string): Promise<boolean> {
  return new Promise((give, fail) => {
    const probe = connect({ path: socket })
    probe.on('connect', () => {
      probe.destroy()
      give(true)
    })
    probe.on('error', (cause) => (isAbsent(cause) ? give(false) : fail(unreachable(cause, socket))))
  })
}

/** No socket, or one that a dead node left behind. */
function isAbsent(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ECONNREFUSED')
}

function unreachable(cause: unknown, socket: string): CommandError {
  if (cause instanceof Error && 'code' in cause && (cause.code === 'EACCES' || cause.code === 'EPERM')) {
    const hint = 'Only the owner of the node may.'
    return new CommandError(`You may not talk to the node at ${socket}.`, { exit: 4, cause, hint })
  }
  return new CommandError(`The node at ${socket} cannot be reached.`, { exit: 7, cause, hint: LOOK_FOR_IT })
}
