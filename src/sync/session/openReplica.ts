/** Assembles the replica of a local account for a session. */
import { createDamageReporter } from './fileDamage.js'
import { readItem } from '../digest/readItem.js'
import { createReconciler } from '../digest/reconcile.js'
import { openSharedSet, type SharedSet } from '../digest/sharedSet.js'
import { accountAside } from './accountAside.js'
import { accountFiles } from './accountFiles.js'
import { accountReplica } from './accountReplica.js'
import type { Replica } from './replica.js'
import type { Account } from '../../store/engine/account.js'
import type { Store } from '../../store/index.js'
import { maySend, type Peer } from '../peers/peer.js'
import { listPeers } from '../peers/records.js'
import { createShareView } from './shareView.js'
import type { SessionOptions } from './session.js'

/** A replica open for a session, and a function to close it. */
export interface OpenReplica {
  replica: Replica
  close(): void
}

/** Opens the replica for a session; computes the digest of the account first if it is unknown. */
export async function openReplica(options: SessionOptions): Promise<OpenReplica> {
  const { store, account, peer, states, merger, log, now } = options
  const state = await states.of(account)
  const isShare = peer.scope.is === 'share'
  const { scope } = peer
  const shared: SharedSet | undefined = isShare ? await openSharedSet(store, account, state, peer) : undefined
  const view =
    shared === undefined || scope.is !== 'share'
      ? undefined
      : createShareView({
          db: store.db,
          seal: store.seal,
          account,
          peer: { number: peer.number, scope },
          merger,
          includes: (item) => shared.includes(item),
          others: await peersLike(store, account, peer),
          isNoted: (item) => shared.isNoted(item),
          onChanged: (t, item) => shared.touch(t, item),
        })
  if (maySend(scope)) await view?.catchUp()
  const isFor = shared && ((item: Parameters<SharedSet['includes']>[0]): boolean => shared.includes(item))
  const reportDamage = createDamageReporter({ blobs: store.blobs, log, now })
  const files = accountFiles({ account, blobs: store.blobs, isFor, reportDamage })
  const replica = accountReplica({
    store,
    account,
    peer,
    merger,
    state,
    files,
    now,
    aside: accountAside({ account, peer: peer.number, now }),
    ...(shared === undefined || view === undefined ? {} : { shared, view }),
    readItem: (item, reaches, since) => readItem(store, account, item, reaches, since),
    createReconciler,
  })
  return { replica, close: () => shared?.close() }
}

/** Returns the peers that grant the same streams as a given one. */
async function peersLike({ db }: Store, { prefix }: Account, { number, scope }: Peer): Promise<number[]> {
  if (scope.is !== 'share' || scope.grantor === 'us') return []
  const streams = [...scope.streams].sort().join()
  const isLike = (other: Peer): boolean =>
    other.number !== number && other.scope.is === 'share' && other.scope.grantor === 'them' && [...other.scope.streams].sort().join() === streams
  return (await listPeers(db, prefix)).filter(isLike).map((other) => other.number)
}
