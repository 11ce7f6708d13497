/** Puts together what a session needs of an account of this node. */
import { each } from '../../store/database.js'
import { accountKeys, under } from '../../store/keys.js'
import { readItem } from '../exchange/readItem.js'
import { createReconciler } from '../state/reconcile.js'
import { openSharedSet, type SharedSet } from '../state/sharedSet.js'
import { accountFiles, type PartialFiles } from './accountFiles.js'
import { accountHoldings } from './accountHoldings.js'
import type { Holdings } from './holdings.js'
import type { SessionOptions } from './session.js'

/** What is open for a session, and how to close it. */
export interface OpenHoldings {
  holdings: Holdings
  close(): void
}

/** Opens what a session needs; the state of the account is made first, if it is not known yet. */
export async function openHoldings(options: SessionOptions): Promise<OpenHoldings> {
  const { store, account, peer, states, merger } = options
  const state = await states.of(account)
  const isShare = peer.scope.is === 'share'
  const shared: SharedSet | undefined = isShare ? await openSharedSet(store, account, state, peer) : undefined
  const isFor = shared && ((item: Parameters<SharedSet['includes']>[0]): boolean => shared.includes(item))
  const files = accountFiles(account, store.blobs as typeof store.blobs & PartialFiles, wantedList(options), isFor)
  const holdings = accountHoldings({
    store,
    account,
    peer,
    merger,
    state,
    files,
    ...(shared === undefined ? {} : { shared }),
    readItem: (item, reaches) => readItem(store, account, item, reaches),
    createReconciler,
  })
  return { holdings, close: () => shared?.close() }
}

/** Files that are noted as missing, whose bytes are still to come. */
function wantedList({ account }: Pick<SessionOptions, 'account'>): Parameters<typeof accountFiles>[2] {
  const { db, prefix } = account
  const range = accountKeys.wantedFiles(prefix)
  return {
    async wanted(limit) {
      const wanted = []
      for await (const [key, size] of each(db.entries(under(range)))) {
        if (wanted.push({ digest: key.slice(range.length), size: Number(size) }) >= limit) break
      }
      return wanted
    },
    came: (digest) => account.write((t) => t.delete(accountKeys.wantedFile(prefix, digest))),
  }
}
