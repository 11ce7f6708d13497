/** What may be said of peers: names, addresses, streams that are shared. */
import * as z from 'zod'
import type { Account } from '../../store/engine/account.js'
import { Failure } from '../../store/model/failure.js'
import type { Node } from '../node.js'

/** What a peer is called: shown in tables and typed in commands. */
export const PeerName = z.string().trim().min(1).max(60).regex(/^[^\p{Cc}/]+$/u)

/** The base address of a node, ending in a slash. @throws Failure `invalid-parameters-format` */
export function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new Failure('invalid-parameters-format', `${JSON.stringify(text)} is not an address such as https://home.example.org/`)
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}

/** Whether an address leads to the very machine that uses it. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/**
 * The streams of a share: there, and none twice. @throws Failure `unknown-referenced-resource`
 */
export function sharedStreams(account: Account, ids: readonly string[]): string[] {
  const unknown = ids.find((id) => id.startsWith(':') || account.tree.get(id) === undefined)
  if (unknown === undefined) return [...new Set(ids)].sort()
  const hint = unknown.startsWith(':') ? ' Streams of the account itself stay with their node.' : ''
  throw new Failure('unknown-referenced-resource', `There is no stream "${unknown}" that can be shared.${hint}`)
}

/** Where other nodes reach this one: as asked, else where apps do. */
export const ownAddress = (node: Node, input: string | undefined): string => readAddress(input ?? node.publicBase())
