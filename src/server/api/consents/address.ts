/** Parses account addresses and compares them with identities (docs/interface/consents.md#identities). */
import type { CmcIdentity } from '../../../store/model/cmc.js'
import { isSameHost, usernameAt } from '../../../store/model/accountAddress.js'
import { platformHost } from '../../../store/model/hostSlug.js'
import { hostDomain } from '../../config/apiEndpoint.js'
import { endpointParts } from '../../base/endpointParts.js'
import type { Context } from '../../call/context.js'
import { accountTemplates } from '../../platform/cores/cores.js'

type AddressDeps = Pick<Context, 'config' | 'publicBase' | 'registry'>

/** Returns the username in the address of an account of this platform, at any core; undefined for other addresses. */
export function usernameIn(node: AddressDeps, base: string): string | undefined {
  for (const template of accountTemplates(node)) {
    const username = usernameInTemplate(template, base)
    if (username !== undefined) return username
  }
  return undefined
}

/** Returns the username in an address that follows a template with `{username}`; undefined for other addresses. */
function usernameInTemplate(template: string, base: string): string | undefined {
  const marker = 'coffer-username'
  const [before = '', after = ''] = new URL(template.replace('{username}', marker)).href.split(marker)
  if (!base.startsWith(before) || !base.endsWith(after)) return undefined
  const name = base.slice(before.length, base.length - after.length)
  return /^[a-z0-9-]+$/i.test(name) ? name.toLowerCase() : undefined
}

/** Returns the username in an endpoint on the platform `host`; undefined for endpoints elsewhere. */
function usernameOn(node: AddressDeps, host: string, endpoint: string): string | undefined {
  const base = endpointParts(endpoint)?.base
  if (base === undefined) return undefined
  // An account that moved keeps the host of its former core in the identities that others know.
  const isOwn = accountTemplates(node).some((template) => isSameHost(new URL(base).protocol, host, platformHost(hostDomain(node), template)))
  const own = usernameIn(node, base)
  // On this platform, only its own addresses count.
  if (isOwn || own !== undefined) return isOwn ? own : undefined
  return usernameAt(host, base)
}

/** Checks whether an endpoint matches the identity of an account: its host and its username. */
export const isAddressOf = (node: AddressDeps, { username, host }: CmcIdentity, endpoint: string): boolean =>
  usernameOn(node, host, endpoint) === username.toLowerCase()

/** Checks whether an endpoint is on the platform of an account, under any username. */
export const isOnPlatformOf = (node: AddressDeps, { host }: CmcIdentity, endpoint: string): boolean =>
  usernameOn(node, host, endpoint) !== undefined
