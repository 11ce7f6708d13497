/**
 * Accounts that have moved to another node (specification, "Errors": `user-account-relocated`). For a while every call
 * is answered with the new address; afterwards as for an account that is unknown. The user name stays taken until the
 * account is deleted, so that nobody else can be called in its place; what it holds stays too, and the operator reaches
 * it all the time. Asked where the account of a request or a connection is decided (admit.ts), and nowhere else.
 */
import { isAlias } from '../store/model/access.js'
import { Failure } from '../store/model/failure.js'
import type { Relocation } from '../store/accounts/users.js'
import type { Clock } from './base/clock.js'

/** The refusal of a call to an account that has moved. Its data: `url`, the account's new address. */
export class Relocated extends Failure {
  constructor(
    url: string,
    /** The new address of what was asked for. */
    readonly location: string,
  ) {
    super('user-account-relocated', undefined, { url })
  }
}

/** What was asked of an account: the name that it was called by, the path below its root, and the query. */
export interface Asked {
  username: string
  path: string
  query: string
}

/** The refusal of a call to an account that has moved. */
export function relocationFailure({ clock }: { clock: Clock }, username: string, { url: to, until }: Relocation, input: Asked): Failure {
  const url = until > clock.now() ? addressFor(to, username, input.username) : undefined
  if (url === undefined) return new Failure('unknown-resource', `Unknown user "${input.username}".`)
  const query = withoutTokens(input.query)
  return new Relocated(url, url + input.path.slice(1) + (query === '' ? '' : `?${query}`))
}

/**
 * The new address for those who call by a name. An alias hides the user name: the new address has it in the name's
 * place, or is not told when the name cannot be found in it.
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

/** Names of parameters that carry tokens. */
const TOKENS = new Set(['auth', 'readToken'])

/** A query string as it is, without parameters that carry tokens: they are not for another node's address. */
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
 * Reads the new address of an account, and ends it with a slash.
 * @throws Failure `invalid-parameters` for what is no address of an account, or carries a token
 */
export function newAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Failure('invalid-parameters', 'The new address must be an http:// or https:// address, without token, query or fragment.')
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`
}
