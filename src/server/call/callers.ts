/**
 * Declared callers of methods: the member `caller` of each method names who may call it. Rules that depend only on the access
 * of a call are here and are checked before the method runs (dispatch/call.ts); rules that depend on parameters or data are in the
 * methods. The OpenAPI document, the manual and help show the texts.
 */
import { isGenuine, markerOf, type Marker } from '../../store/model/delegation.js'
import { Failure } from '../../store/model/failure.js'
import { isCreateOnly } from '../../store/model/grant.js'
import { feature } from '../../store/model/permission.js'
import type { Caller } from './caller.js'

interface DeclaredCaller {
  /** Name for programs: `x-caller` in the OpenAPI document. */
  readonly id: string
  /** Description for people, after "Caller:". */
  readonly text: string
}

/** Callers of a method that requires an access. */
export interface AccessCaller extends DeclaredCaller {
  readonly credential: 'access'
  /** Throws unless the access of a call may call the method. */
  assertAllows(call: { readonly caller: Caller }): void
}

/** Callers of a method without an access. */
export interface OpenCaller extends DeclaredCaller {
  /** `adminKey`: HTTP requires the admin key. `input`: the method checks credentials among its parameters or headers. */
  readonly credential: 'adminKey' | 'input' | 'none'
  /** The failure over HTTP without the admin key. */
  readonly refusal?: 'unknown-resource' | 'forbidden'
}

const forbidden = (message?: string): Failure => new Failure('forbidden', message)

/** Defines callers by a function that returns the failure for other accesses. */
const accesses = (id: string, text: string, refusal: (caller: Caller) => Failure | undefined): AccessCaller => ({
  id,
  text,
  credential: 'access',
  assertAllows({ caller }) {
    const failure = refusal(caller)
    if (failure !== undefined) throw failure
  },
})

/** Every valid access; the method limits what it may read or change. */
export const anyAccess = accesses('anyAccess', 'Any access', () => undefined)

/** Accesses that depend on the parameters or their target, which the method checks. */
export const dependingOnTarget = (text: string): AccessCaller => accesses('dependsOnTarget', text, () => undefined)

/** Personal accesses, delegates' included; `message` replaces the usual one of the failure `forbidden`. */
export const personalWith = (message: string): AccessCaller =>
  accesses('personalOnly', 'Personal access', ({ access }) => (access.type === 'personal' ? undefined : forbidden(message)))

/** Personal accesses, delegates' included. */
export const personalOnly = personalWith('This call needs a personal access token.')

const notGenuine = ({ access }: Caller): Failure | undefined =>
  isGenuine(access) ? undefined : new Failure('delegation-genuine-login-required')

/** Personal accesses of a login by the owner; not those of delegates (docs/interface/delegations.md#callers). */
export const genuineOnly = accesses('genuineOnly', "Personal access of the owner's own login", notGenuine)

/** Accesses of `genuineOnly`; the failure of those that are not personal is `forbidden`. */
export const genuinePersonalOnly = accesses('genuineOnly', genuineOnly.text, (caller) =>
  caller.access.type === 'personal' ? notGenuine(caller) : forbidden('This call needs a personal access token.'),
)

/** Accesses of apps, which have a profile set of their own. */
export const appOnly = accesses('appOnly', 'App access', ({ access }) =>
  access.type === 'app' ? undefined : new Failure('invalid-operation', 'Only app accesses have a profile set of their own.'),
)

/** Checks whether a caller holds only `create-only` permissions, and so manages no accesses. */
export const isCreateOnlyCaller = ({ scope, access }: Caller): boolean => isCreateOnly(scope, access.permissions)

/** Accesses that may create others. */
export const accessCreator = accesses('personalOrApp', 'Personal access, or app access that is not create-only', (caller) => {
  const { type } = caller.access
  if (type === 'personal') return undefined
  if (type === 'shared') return forbidden('Shared accesses cannot create accesses.')
  return isCreateOnlyCaller(caller) ? forbidden('A create-only access cannot create accesses.') : undefined
})

const readsNone = (): Failure => forbidden('Shared accesses cannot read accesses.')

/** Accesses that may list others. Create-only ones, which manage none, get an empty list. */
export const accessLister = accesses('notSharedUnlessCreateOnly', 'Personal or app access; a create-only access gets an empty list', (caller) =>
  caller.access.type === 'shared' && !isCreateOnlyCaller(caller) ? readsNone() : undefined,
)

/** Accesses that may read another one. */
export const accessReader = accesses('notShared', 'Personal or app access', ({ access }) => (access.type === 'shared' ? readsNone() : undefined))

/** The owner, who updates accesses; updates by apps were removed from the API. */
export const accessUpdater = accesses('personalOnly', personalOnly.text, (caller) => {
  const { type } = caller.access
  if (type === 'personal') return undefined
  if (type === 'shared' || isCreateOnlyCaller(caller)) return forbidden()
  return new Failure('removed-method', 'Apps cannot change accesses any more: delete the access and create another.')
})

/** App and shared accesses whose permissions do not forbid the feature `webhooks`. */
export const webhookCreator = accesses('notPersonal', 'App or shared access, unless its permissions forbid webhooks', ({ scope }) => {
  if (scope.personal) return forbidden('Webhooks require an app access or a shared access.')
  return feature(scope, 'webhooks') === 'forbidden' ? forbidden('This access may not have webhooks.') : undefined
})

/** Accesses whose permissions do not forbid the feature `secretSharing`. */
export const secretCreator = accesses('withSecretSharing', 'Any access, unless its permissions forbid secretSharing', ({ scope }) =>
  feature(scope, 'secretSharing') === 'forbidden'
    ? new Failure('forbidden', 'This access may not share secrets.', { id: 'shared-secret-forbidden' })
    : undefined,
)

/**
 * Returns the marker of the calling access, which must be of the kind. It is the only proof of the caller's identity.
 * @throws Failure `invalid-access-token`, as for an unknown token
 */
export function callersMarker<K extends Marker['kind']>({ caller }: { readonly caller: Caller }, kind: K): Extract<Marker, { kind: K }> {
  const marker = markerOf(caller.access)
  if (marker?.kind !== kind) throw new Failure('invalid-access-token', undefined, undefined, 'refused')
  return marker as Extract<Marker, { kind: K }>
}

const delegationAccess = (id: string, kind: Marker['kind'], text: string): AccessCaller => ({
  id,
  text,
  credential: 'access',
  assertAllows: (call) => void callersMarker(call, kind),
})

/** The node of an invited delegate. */
export const inviteCapability = delegationAccess('inviteCapability', 'invite-capability', 'The node of an invited delegate, with the access of the invite')

/** The node of a delegate. */
export const delegationControl = delegationAccess('delegationControl', 'control', 'The node of a delegate, with the control access of the delegation')

/** The node of a controlled account. */
export const delegationNotify = delegationAccess('delegationNotify', 'notify', 'The node of a controlled account, with the notify access of the delegation')

const open = (id: string, credential: 'input' | 'none', text: string): OpenCaller => ({ id, text, credential })

const admin = (id: string, text: string, refusal: OpenCaller['refusal'] = 'unknown-resource'): OpenCaller => ({ id, text, credential: 'adminKey', refusal })

/** All clients, without credentials. */
export const anybody = open('anybody', 'none', 'Anyone, without an access token')

/** No client: the method always fails. */
export const noCaller = open('none', 'none', 'No caller; the method always fails')

const OPERATOR = 'The operator; over HTTP with the admin key as Authorization'

/** The operator. Without the admin key, the route appears not to exist (docs/interface/system.md#dns-records). */
export const adminKey = admin('adminKey', OPERATOR)

/** The operator. Without the admin key, the failure is `forbidden`. */
export const adminKeyOrForbidden = admin('adminKey', OPERATOR, 'forbidden')

/** Other cores of the platform, which have the same admin key. */
export const otherCore = admin('otherCore', 'Other cores of the platform, with the admin key as Authorization')

/** A new core of the platform, with the join token of its bundle. */
export const joinTokenHolder = open('joinToken', 'input', 'A new core of the platform with its join token')

/** The operator, or the owner of the account; the setting `user-account.delete` may exclude either. */
export const adminKeyOrOwner = open('adminKeyOrOwner', 'input', "The operator with the admin key, or a personal access of the owner's own login")

/** The owner, who logs in. */
export const passwordHolder = open('password', 'input', 'The owner with the password, through an app at a trusted origin')

/** The owner without the second factor. */
export const recoveryCodeHolder = open('recoveryCode', 'input', 'The owner with the password and a recovery code')

/** A login or an enrolment that waits for the second factor. */
export const mfaToken = open('mfaToken', 'input', 'The owner with an MFA token as Authorization')

/** Apps at origins that the setting `auth.trustedApps` trusts. */
export const trustedApp = open('trustedApp', 'input', 'Anyone, through an app at a trusted origin')

/** The recipient of a mail of the node. */
export const mailRecipient = open('mailRecipient', 'input', 'The recipient of a mail, with its token or code')

/** The app or the page of an access request. */
export const requestKeyHolder = open('requestKey', 'input', 'Anyone with the key of the access request')

/** The recipient of a shared secret. */
export const secretKeyHolder = open('secretKey', 'input', 'Anyone with the key of the shared secret')

/** Registered clients of OAuth 2.0 (docs/interface/oauth.md). */
export const oauthClient = open('oauthClient', 'input', 'OAuth client with its credentials, or with the code or refresh token of a grant')

/** The browser of a person whom an OAuth client or a page of the node redirects. */
export const browser = open('browser', 'input', 'Browser of a person who was redirected')

/** The consent page of OAuth. */
export const consentPage = open('consentPage', 'input', 'Consent page with the signed state of the authorization')
