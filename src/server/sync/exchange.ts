/** Dependencies of sync sessions: replica states of accounts, the merger, item readers. Loaded with the first session. */
import { randomUUID } from 'node:crypto'
import type { Account } from '../../store/engine/account.js'
import type { Store } from '../../store/index.js'
import type { Channel } from '../../sync/channel/channel.js'
import { encode } from '../../sync/wire/codec.js'
import type { Merger } from '../../sync/merge/context.js'
import { readConflicts, type Conflicts } from '../../sync/peers/conflicts.js'
import type { Peer } from '../../store/replication/peers.js'
import { readItem } from '../../sync/digest/readItem.js'
import { startSession } from '../../sync/session/session.js'
import type { Session, SessionEnd } from '../../sync/session/types.js'
import { createStateKeeper } from '../../sync/digest/stateKeeper.js'
import type { Config } from '../config/config.js'
import type { Log } from '../base/log.js'
import { productVersion } from '../base/version.js'

export interface Exchange {
  start(channel: Channel, account: Account, peer: Peer): Promise<Session>
  /** Sends the reason for rejecting a session, and closes the channel. */
  refuse(channel: Channel, reason: SessionEnd['reason'], message: string): Promise<void>
  verify(account: Account): Promise<{ sound: boolean; items: number }>
  conflicts(account: Account, limit: number): Promise<Conflicts>
  /** Saves the replica states. */
  stop(): Promise<void>
}

interface ExchangeOptions {
  store: Store
  merger: Merger
  config: Config
  log: Log
  /** Seconds. */
  now(): number
}

export function createExchange({ store, merger, config, log, now }: ExchangeOptions): Exchange {
  const described = {
    info: (message: string, about: object = {}) => log.debug(message, { ...about }),
    warn: (message: string, about: object = {}) => log.warn(message, { ...about }),
    error: (message: string, about: object = {}) => log.error(message, { ...about }),
  }
  const product = `coffer/${productVersion()}`
  const instance = randomUUID()
  const states = createStateKeeper({ store, log: described })
  const maxClockSkewSeconds = config.get('sync.maxClockSkewSeconds')
  return {
    start: (channel, account, peer) =>
      startSession({ channel, store, account, peer, states, merger, now, log: described, product, instance, maxClockSkewSeconds }),
    async refuse(channel, reason, message) {
      try {
        await channel.send(await encode({ type: 'end', reason, message }))
      } finally {
        channel.close(reason)
      }
    },
    verify: async (account) => (await states.of(account)).verify(),
    conflicts: (account, limit) => readConflicts(store, account, readItem, limit),
    stop: () => states.stop(),
  }
}
