/** Validation of peers: names, addresses, shared streams. */
import * as z from 'zod'
import type { Account } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import type { Direction, Scope } from '../../store/replication/peers.js'
import type { Context } from '../call/context.js'
import type { SyncDeps } from './sync.js'

/** Name of a peer, shown in tables and typed in commands. */
export const PeerName = z.string().trim().min(1).max(60).regex(/^[^\p{Cc}/]+$/u)

/**
 * Parses the base URL of a node; adds a trailing slash.
 * @throws Failure `invalid-parameters-format`
 */
export function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new Failure('invalid-parameters-format', `${JSON.stringify(text)} is not a URL such as https://home.example.org/`)
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

/**
 * Returns the streams of a share; each must exist and appear once.
 * @throws Failure `unknown-referenced-resource`
 */
export function sharedStreams(account: Account, ids: readonly string[]): string[] {
  const unknown = ids.find((id) => id.startsWith(':') || account.tree.get(id) === undefined)
  if (unknown === undefined) return [...new Set(ids)].sort()
  const hint = unknown.startsWith(':') ? ' Account streams stay on their node.' : ''
  throw new Failure('unknown-referenced-resource', `No stream "${unknown}" that can be shared.${hint}`)
}

/** Returns the URL of this node for other nodes: the given one, or else the public URL. */
export const ownAddress = (node: Context, input: string | undefined): string => readAddress(input ?? node.publicBase())

/** Returns the scope of an offer: the given streams, or the whole account. */
export const shareScope = (account: Account, share: { streams: readonly string[]; direction: Direction } | undefined): Scope =>
  share === undefined
    ? { is: 'mirror' }
    : { is: 'share', streams: sharedStreams(account, share.streams), direction: share.direction, grantor: 'us' }

/** @throws Failure `invalid-operation` for an account with the maximum number of peers */
export async function assertPairingCount({ sync, config }: Context & SyncDeps, account: Account): Promise<void> {
  const max = config.get('sync.maxPeers')
  if ((await sync.peers.statuses(account)).length < max) return
  throw new Failure('invalid-operation', `An account is paired with at most ${max} nodes (sync.maxPeers).`)
}

/** @throws Failure `invalid-operation` when sync is disabled */
export function assertSyncActive({ config }: Context): void {
  if (!config.get('sync.active')) throw new Failure('invalid-operation', 'Sync is disabled on this node: sync.active = false.')
}
