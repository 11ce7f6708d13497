/** Identities of nodes, without a store. */
import sodium from 'libsodium-wrappers'
import { nodeText, type Signer } from '../../../src/sync/channel/signer.js'
import type { Timers } from '../../../src/sync/channel/open.js'

/** Creates a node with a fresh key. */
export async function newSigner(): Promise<Signer> {
  await sodium.ready
  const { publicKey, privateKey } = sodium.crypto_sign_keypair()
  return { node: nodeText(publicKey), sign: (message) => sodium.crypto_sign_detached(message, privateKey) }
}

/** Real time. */
export const realTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

export interface ManualTimers extends Timers {
  /** Advances time, and runs the timers that are due. */
  pass(ms: number): void
  /** Number of pending timers. */
  readonly waiting: number
}

/** Creates timers that a test advances. */
export function manualTimers(): ManualTimers {
  let now = 0
  const waiting = new Set<{ at: number; run: () => void }>()
  return {
    after(ms, run) {
      const entry = { at: now + ms, run }
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    pass(ms) {
      now += ms
      for (const entry of [...waiting].sort((a, b) => a.at - b.at)) {
        if (entry.at <= now && waiting.delete(entry)) entry.run()
      }
    },
    get waiting() {
      return waiting.size
    },
  }
}
