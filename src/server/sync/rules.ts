/** Validation of peers: names, addresses, shared streams. */
import * as z from 'zod'
import type { Account } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import type { Context } from '../call/context.js'

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
