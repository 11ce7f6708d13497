/** Sessions of two accounts over wires in memory. */
import type { Session } from '../../../src/sync/session/types.js'
import { runProtocol } from '../../../src/sync/session/protocol.js'
import type { Scope } from '../../../src/store/replication/peers.js'
import { plainChannels, type WireOptions } from '../../support/sync/wires.js'
import type { FakeAccount } from './fakeAccount.js'

export interface SessionPair {
  a: Session
  b: Session
  cut(): void
  end(): Promise<void>
}

export const quiet = { info: () => {}, warn: (message: string, about?: object) => console.error(message, about), error: (message: string, about?: object) => console.error(message, about) }

export interface SessionPairOptions extends WireOptions {
  /** Numbers of the peers in each account. */
  peers?: [number, number]
  scopes?: [Scope, Scope]
  /** Seconds by which the second clock is ahead. */
  ahead?: number
}

export async function openSessions(a: FakeAccount, b: FakeAccount, options: SessionPairOptions = {}): Promise<SessionPair> {
  const { peers: [pa, pb] = [1, 1], scopes: [sa, sb] = [{ is: 'mirror' }, { is: 'mirror' }], ahead = 0 } = options
  const { ends, cut } = plainChannels([a.name, b.name], options)
  const common = { log: quiet, maxSkew: 300 }
  const [one, two] = await Promise.all([
    runProtocol({ ...common, channel: ends[0], replica: a.replica(pa, sa), now: () => 1000 }),
    runProtocol({ ...common, channel: ends[1], replica: b.replica(pb, sb), now: () => 1000 + ahead }),
  ])
  return {
    a: one,
    b: two,
    cut,
    async end() {
      await one.close('closed', 'Enough.')
      await two.ended
    },
  }
}

/** Resolves once a session has a state. */
export async function waitForState(session: Session, state: 'in-sync' | 'behind' | 'refused', milliseconds = 5000): Promise<void> {
  if (session.status().state === state) return
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`It waitForState ${JSON.stringify(session.status())}`)), milliseconds)
    const stop = session.onStatus((status) => {
      if (status.state !== state) return
      clearTimeout(timer)
      stop()
      resolve()
    })
  })
}

export const inSync = (sessions: SessionPair): Promise<unknown> =>
  Promise.all([sessions.a.compare(), sessions.b.compare()]).then(([x, y]) => {
    if (x !== 'in-sync' || y !== 'in-sync') {
      throw new Error(`${x} ${y} ${JSON.stringify([sessions.a.status(), sessions.b.status()])}`)
    }
  })
