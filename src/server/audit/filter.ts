/**
 * Selects the methods to record (settings `audit.storage.filter.methods`; docs/interface/audit.md#calls,
 * docs/interface/audit.md#settings).
 */

/** All methods that can be recorded, by the first part of the id. */
const AUDITED: Record<string, readonly string[]> = {
  accessRequest: ['ask', 'decide'],
  accesses: ['checkApp', 'create', 'delete', 'get', 'getOne', 'update'],
  account: [
    'changePassword',
    'changeUsername',
    'get',
    'requestPasswordReset',
    'resetPassword',
    'update',
    'usernameChanges',
    'verifyEmail',
  ],
  auth: ['delete', 'endSessions', 'login', 'logout', 'register', 'sessions', 'ssoLink', 'ssoUnlink', 'whoAmI'],
  delegations: [
    'acceptAttach',
    'acceptComplete',
    'acceptResponse',
    'cancelInvite',
    'createAccount',
    'detachDelegate',
    'dismissControlled',
    'getToken',
    'issueToken',
    'listControlled',
    'listDelegates',
    'notifyDetach',
    'refuseAttach',
    'refuseResponse',
    'release',
    'requestAttach',
  ],
  devices: ['acceptPairing', 'cancelPairing', 'confirmPairing', 'conflicts', 'delete', 'get', 'history', 'pairings', 'startPairing', 'update'],
  events: [
    'addAttachment',
    'create',
    'delete',
    'deleteAttachment',
    'get',
    'getAttachment',
    'getAttachmentByName',
    'getOne',
    'start',
    'stop',
    'summary',
    'update',
  ],
  followedSlices: ['create', 'delete', 'get', 'update'],
  mfa: ['activate', 'challenge', 'confirm', 'deactivate', 'recover', 'verify'],
  oauth: [
    'code.exchanged',
    'code.reused',
    'consent.granted',
    'consent.refused',
    'consent.shown',
    'token.dpop_mismatch',
    'token.issued.authorization_code',
    'token.issued.client_credentials',
    'token.refreshed',
    'token.reuse_detected',
    'token.revoked',
  ],
  profile: ['get', 'getApp', 'getPrivate', 'getPublic', 'update', 'updateApp', 'updatePrivate', 'updatePublic'],
  series: ['add', 'batch', 'get', 'summary'],
  sharedSecrets: ['create', 'getOne', 'retrieve'],
  streams: ['create', 'delete', 'get', 'summary', 'update'],
  system: ['unregisterUser', 'updateUser'],
  webhooks: ['create', 'delete', 'get', 'getOne', 'test', 'update'],
}

/** Ids of all methods that can be recorded. */
export const auditableMethods: readonly string[] = [
  'callBatch',
  'getAccessInfo',
  ...Object.entries(AUDITED).flatMap(([group, names]) => names.map((name) => `${group}.${name}`)),
]

const known = new Set(auditableMethods)

/** Returns the methods that a word of the settings selects; undefined when it is invalid. */
function methodsOf(word: string): readonly string[] | undefined {
  if (word === 'all') return auditableMethods
  if (known.has(word)) return [word]
  if (!word.endsWith('.all')) return undefined
  const group = word.slice(0, -'all'.length)
  const members = auditableMethods.filter((id) => id.startsWith(group))
  return members.length === 0 ? undefined : members
}

/** Checks whether a word is valid in a filter: a method id, `all`, or a group such as `events.all`. */
export const isMethodWord = (word: string): boolean => methodsOf(word) !== undefined

/** Returns the methods that a filter selects; exclusions take precedence. */
export function filteredMethods(filter: { include: readonly string[]; exclude: readonly string[] }): ReadonlySet<string> {
  const excluded = new Set(filter.exclude.flatMap((word) => methodsOf(word) ?? []))
  const included = filter.include.flatMap((word) => methodsOf(word) ?? [])
  return new Set(included.filter((id) => !excluded.has(id)))
}
