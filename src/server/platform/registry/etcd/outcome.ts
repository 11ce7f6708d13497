/** Calls to etcd whose outcome may be unknown: they are repeated, and recognise what an earlier attempt did. */
import { randomInt } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { EtcdError } from './api.js'
import { platformUnavailable } from '../port.js'

/** Milliseconds for which a change is repeated before its caller is told that the registry does not answer. */
const PATIENCE_MS = 6000
const PAUSE_MS = 50

/** Result of an attempt that must be repeated, because another change came first. */
export const AGAIN = Symbol('again')

/**
 * Repeats an attempt until its outcome is known. Attempts recognise what earlier ones did, and may return AGAIN.
 * @throws Failure `platform-unavailable` when etcd does not answer in time; `onUnsure` was called if an attempt may have been applied
 */
export async function repeated<T>(attempt: () => Promise<T | typeof AGAIN>, onUnsure: () => void = () => {}, patienceMs = PATIENCE_MS): Promise<T> {
  const until = performance.now() + patienceMs
  let isUnsure = false
  for (;;) {
    try {
      const result = await attempt()
      if (result !== AGAIN) return result
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error
      isUnsure ||= error.applied === 'maybe'
      if (!isUnsure || performance.now() > until) {
        if (isUnsure) onUnsure()
        throw platformUnavailable()
      }
    }
    if (performance.now() > until) {
      if (isUnsure) onUnsure()
      throw platformUnavailable()
    }
    await sleep(randomInt(PAUSE_MS / 2, PAUSE_MS * 2))
  }
}

/** Converts errors of etcd to the failure that clients get. */
export async function orUnavailable<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw error instanceof EtcdError ? platformUnavailable() : error
  }
}
