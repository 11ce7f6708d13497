/**
 * Reports the state of the node to systemd, when it requests that (sd_notify(3)). Node.js has no datagrams over unix
 * sockets, so systemd-notify sends them: at start, at stop, and twice per watchdog period. A node that hangs cannot call
 * it, so it is detected.
 */
import { execFile } from 'node:child_process'
import type { Log } from '../../server/base/log.js'
import type { Environment } from '../framework/paths.js'

export interface ServiceManager {
  /** Reports that the node is open; systemctl status shows `status`. */
  ready(status: string): Promise<void>
  /** Reports that the node is stopping. */
  stopping(): Promise<void>
}

/** Sends one message; returns the error if it failed. */
type Send = (...assignments: string[]) => Promise<string | undefined>

/** Timeout for sending a message, in milliseconds. */
const SEND_TIMEOUT_MS = 5000

/** Returns the service manager of this process, from its environment; without one, does nothing. */
export function serviceManager(env: Environment, log: Log, send: Send = notifyWith(env)): ServiceManager {
  if (!env['NOTIFY_SOCKET']) return { ready: async () => undefined, stopping: async () => undefined }
  let watchdog: NodeJS.Timeout | undefined
  const notify = async (...assignments: string[]): Promise<void> => {
    const wrong = await send(...assignments)
    if (wrong !== undefined) log.warn('the service manager could not be notified', { what: assignments[0], error: wrong })
  }
  return {
    ready: async (status) => {
      await notify('READY=1', `STATUS=${status}`)
      const periodMs = watchdogMs(env)
      if (periodMs === undefined) return
      watchdog = setInterval(() => void notify('WATCHDOG=1'), periodMs / 2)
      watchdog.unref()
    },
    // The watchdog continues: finishing requests may take longer than its period.
    stopping: () => notify('STOPPING=1', 'STATUS=Finishing open requests'),
  }
}

/** Returns the watchdog period for this process in milliseconds; undefined without a watchdog. */
function watchdogMs(env: Environment): number | undefined {
  const micros = Number(env['WATCHDOG_USEC'] ?? 0)
  const pid = env['WATCHDOG_PID']
  if (!Number.isFinite(micros) || micros <= 0) return undefined
  return pid === undefined || pid === '' || Number(pid) === process.pid ? micros / 1000 : undefined
}

function notifyWith(env: Environment): Send {
  return (...assignments) =>
    new Promise((resolve) => {
      execFile('systemd-notify', assignments, { env: { ...env }, timeout: SEND_TIMEOUT_MS }, (error, _, stderr) => {
        resolve(error === null ? undefined : stderr.trim() || error.message)
      })
    })
}
