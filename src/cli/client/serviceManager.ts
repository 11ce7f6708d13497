/**
 * Telling the service manager that started the node how it is, when it asks for that (sd_notify(3)). Node.js has no
 * datagrams over unix sockets, so systemd's own systemd-notify sends them: once at start, once at stop, and twice in
 * each period of the watchdog. The node must be alive to call it, so a node that hangs is found.
 */
import { execFile } from 'node:child_process'
import type { Log } from '../../server/base/log.js'
import type { Environment } from '../framework/paths.js'

export interface ServiceManager {
  /** The node is open; `status` is shown by systemctl status. */
  ready(status: string): Promise<void>
  /** The node begins to stop. */
  stopping(): Promise<void>
}

/** Sends one message and says why it could not be sent. */
type Send = (...assignments: string[]) => Promise<string | undefined>

/** How long the service manager may take to take a message. */
const PATIENCE_MS = 5000

/** The service manager of this process, by its environment; does nothing where there is none. */
export function serviceManager(env: Environment, log: Log, send: Send = notifyWith(env)): ServiceManager {
  if (!env['NOTIFY_SOCKET']) return { ready: async () => undefined, stopping: async () => undefined }
  let watchdog: NodeJS.Timeout | undefined
  const print = async (...assignments: string[]): Promise<void> => {
    const wrong = await send(...assignments)
    if (wrong !== undefined) log.warn('the service manager could not be told', { what: assignments[0], error: wrong })
  }
  return {
    ready: async (status) => {
      await print('READY=1', `STATUS=${status}`)
      const periodMs = watchdogMs(env)
      if (periodMs === undefined) return
      watchdog = setInterval(() => void print('WATCHDOG=1'), periodMs / 2)
      watchdog.unref()
    },
    // The watchdog goes on: finishing requests may take longer than its period.
    stopping: () => print('STOPPING=1', 'STATUS=Finishing open requests'),
  }
}

/** The period in which the watchdog wants to hear from this process; undefined without a watchdog. */
function watchdogMs(env: Environment): number | undefined {
  const micros = Number(env['WATCHDOG_USEC'] ?? 0)
  const pid = env['WATCHDOG_PID']
  if (!Number.isFinite(micros) || micros <= 0) return undefined
  return pid === undefined || pid === '' || Number(pid) === process.pid ? micros / 1000 : undefined
}

function notifyWith(env: Environment): Send {
  return (...assignments) =>
    new Promise((give) => {
      execFile('systemd-notify', assignments, { env: { ...env }, timeout: PATIENCE_MS }, (error, _, stated) => {
        give(error === null ? undefined : stated.trim() || error.message)
      })
    })
}
