/** Scopes of OAuth (docs/interface/oauth.md#metadata): a name in a namespace, such as `cmc:study`. */
import { CMC, OFFER_NAME } from './clientRules.js'
import { OAuthError } from './errors.js'

/** Supported namespaces: `cmc` is a consent offer of the client's account. */
export const scopeNamespaces: readonly string[] = ['cmc']

/** Splits a scope parameter at white space and removes duplicates; values that are not strings yield none. */
export const scopesIn = (text: unknown): string[] =>
  typeof text === 'string' ? [...new Set(text.split(/\s+/).filter((scope) => scope !== ''))] : []

/**
 * Parses a scope into namespace and name.
 * @throws OAuthError `invalid_scope`
 */
export function parseScope(scope: string): { namespace: string; name: string } {
  const colon = scope.indexOf(':')
  if (colon <= 0) throw new OAuthError('invalid_scope', `The scope "${scope}" has no namespace.`)
  const namespace = scope.slice(0, colon)
  if (!scopeNamespaces.includes(namespace)) {
    throw new OAuthError('invalid_scope', `The scope "${scope}" is in an unknown namespace.`)
  }
  const name = scope.slice(colon + 1)
  if (!OFFER_NAME.test(name)) throw new OAuthError('invalid_scope', `The scope "${scope}" does not name an offer.`)
  return { namespace, name }
}

/** Checks whether a scope stands for a consent offer. */
export const isOfferScope = (scope: string): boolean => scope.startsWith(CMC)
