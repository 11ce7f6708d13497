/** Groups of methods: each has a manual page, a page of the reference and a tag in the OpenAPI document. */

export interface Group {
  /** Name; the manual page is coffer-api-<name>(7). */
  name: string
  /** Subject of its methods; lower case, no full stop. */
  about: string
  /** Prefixes of method ids, before the first dot. */
  of: readonly string[]
}

export const groups: readonly Group[] = [
  { name: 'access', about: 'the access of a token, and access requests of apps', of: ['getAccessInfo', 'accessRequest'] },
  { name: 'accesses', about: 'who can read or change which data of an account', of: ['accesses'] },
  { name: 'account', about: 'user name, e-mail addresses, password', of: ['account'] },
  { name: 'auth', about: 'registration, login and logout', of: ['auth'] },
  { name: 'batch', about: 'several calls in one', of: ['callBatch'] },
  { name: 'delegations', about: 'acting for other accounts', of: ['delegations'] },
  { name: 'devices', about: 'other nodes that sync the account', of: ['devices'] },
  { name: 'events', about: 'events and their attached files', of: ['events'] },
  { name: 'invitations', about: 'invitations to register', of: ['invitations'] },
  { name: 'mfa', about: 'the second factor', of: ['mfa'] },
  { name: 'oauth', about: 'OAuth 2.0', of: ['oauth'] },
  { name: 'profile', about: 'profile sets and followed slices', of: ['profile', 'followedSlices'] },
  { name: 'register', about: 'look-ups of accounts, cores and applications; DNS records', of: ['reg'] },
  { name: 'secrets', about: 'one-time secrets', of: ['sharedSecrets'] },
  { name: 'series', about: 'points of series', of: ['series'] },
  { name: 'service', about: 'service information, assets, metrics, this interface', of: ['service', 'assets', 'metrics', 'openapi'] },
  { name: 'streams', about: 'the tree of streams', of: ['streams'] },
  { name: 'system', about: 'methods of the operator', of: ['system'] },
  { name: 'webhooks', about: 'addresses that are called after changes', of: ['webhooks'] },
]

/** Finds the group of a method by its id. */
export const groupOf = (id: string): Group | undefined => groups.find(({ of }) => of.includes(id.split('.')[0] ?? ''))

/** Returns the manual page of a group, such as `coffer-api-events(7)`. */
export const pageOf = ({ name }: Group): string => `coffer-api-${name}(7)`
