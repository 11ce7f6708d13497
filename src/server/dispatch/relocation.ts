/**
 * Accounts that moved to another node (docs/interface/conventions.md#addresses). For a limited time, all calls are answered with
 * the new address; then the account appears unknown. Username and data are kept until the account is deleted, so that no other
 * account can take the name, and remain accessible to the operator. Only checked in call.ts, where the account of a
 * request or connection is determined.
 */
import { isAlias } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import type { Relocation } from '../../store/accounts/users.js'
import type { Clock } from '../base/clock.js'

/** Failure of a call to an account that moved. Its data: `url`, the account's new address. */
export class Relocated extends Failure {
  constructor(
    url: string,
    /** The new address of the requested resource. */
    readonly location: string,
  ) {
    super('user-account-relocated', undefined, { url })
  }
}

/** The request to an account: the name in the request, the path below its root, and the query. */
export interface AccountRequest {
  username: string
  path: string
  query: string
}

/** Returns the failure of a call to an account that moved. */
export function relocationFailure({ clock }: { clock: Clock }, username: string, { url: to, until }: Relocation, input: AccountRequest): Failure {
  const url = until > clock.now() ? addressFor(to, username, input.username) : undefined
  if (url === undefined) return new Failure('unknown-resource', `Unknown user "${input.username}".`)
  const query = withoutTokens(input.query)
  return new Relocated(url, url + input.path.slice(1) + (query === '' ? '' : `?${query}`))
}

/**
 * Returns the new address for the name in a request. An alias hides the username: the new address contains the alias instead, or
 * is withheld when the username cannot be located in it.
 */
function addressFor(url: string, username: string, calledBy: string): string | undefined {
  if (!isAlias(calledBy)) return url
  const address = new URL(url)
  if (address.pathname.endsWith(`/${username}/`)) {
    address.pathname = `${address.pathname.slice(0, -username.length - 1)}${calledBy}/`
  } else if (address.hostname.startsWith(`${username}.`)) {
    address.hostname = calledBy + address.hostname.slice(username.length)
  } else return undefined
  return address.href.includes(username) ? undefined : address.href
}

/** Parameters that contain tokens. */
const TOKENS = new Set(['auth', 'readToken'])

/** Removes parameters with tokens from a query string, since they are not for another node. */
function withoutTokens(query: string): string {
  return query
    .split('&')
    .filter((part) => {
      const [name = ''] = part.split('=', 1)
      return part !== '' && !TOKENS.has(nameOf(name))
    })
    .join('&')
}

function nameOf(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/**
 * Parses the new address of an account, and adds a trailing slash.
 * @throws Failure `invalid-parameters` for invalid addresses, and those with a token
 */
export function newAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Failure('invalid-parameters', 'The new address must be an http:// or https:// address, without token, query or fragment.')
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
