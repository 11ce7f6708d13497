/**
 * Parses the body of an access request (docs/interface/access-requests.md#request,
 * docs/interface/access-requests.md#consent-form).
 */
import * as z from 'zod'
import { permissionOf, type AskedAccess } from '../../../store/model/accessRequest.js'
import type { RequestedPermission } from '../../../store/model/access.js'
import { resolveConsent } from '../../../store/model/consent.js'
import { Failure } from '../../../store/model/failure.js'
import { isJsonObject } from '../../../store/model/json.js'
import { Secret } from '../../../store/model/secret.js'
import { isTrustedPage } from '../../../store/model/trustedPage.js'
import { isReturnAddress, isScriptAddress, schemeOf } from '../../../store/model/urlScheme.js'
import type { Context } from '../../call/context.js'
import { USERNAME } from '../register/input.js'
import { clientData } from '../../base/tableSchema.js'
import { ownPage } from './addresses.js'
import { sanitise } from './sanitise.js'

/** An object passed through unchanged. */
const anyObject = z.custom<RequestedPermission>(isJsonObject, { error: 'Expected an object.' }).meta({ type: 'object' })

const capability = (text: string): boolean =>
   
  /^https?:/i.test(text) && !/[\u0000-\u0020\u007f-\u009f]/.test(text) && URL.canParse(text)

/** Maximum number of invitations in a request, and of their outcomes (docs/interface/limits.md#items). */
export const MAX_INVITES = 8

const InviteBody = z.strictObject({
  capabilityUrl: z.string().min(1).max(2048).refine(capability, { error: 'Expected an http:// or https:// address.' }).describe('Link of a consent request of another account.'),
  mandatory: z.boolean().default(false).describe('The request fails unless the invitation is accepted; default false.'),
  for: z.enum(['self', 'target']).default('self').describe('self: the signed-in person accepts; target: the account that is acted for. Default self.'),
  accessName: z.string().min(1).max(256).optional().describe('Name of the access that acceptance creates.'),
})

export const AskBody = z.object({
  requestingAppId: z.string().min(6).describe('Id of the app; at least 6 characters.'),
  requestedPermissions: z.array(anyObject).describe('Permissions on streams, tags and features; streams with defaultName, which creates a missing one.'),
  languageCode: z.string().regex(/^[A-Za-z]{2}(-[A-Za-z0-9]{1,8})*$/, { error: 'Expected a language code such as en.' }).nullish().describe('Language of the pages, such as en; default en.'),
  /** `false` means none in the first-generation API. */
  returnURL: z.union([z.string(), z.literal(false)]).nullish().describe('Address to return to; false or none: the pages close themselves.'),
  oauthState: z.string().nullish().describe('Opaque text of the app, returned with the answer.'),
  clientData: clientData.nullish().describe('Client data of the access.'),
  authUrl: z.string().nullish().describe('Page to sign in on; one of the setting access.trustedAuthUrls.'),
  serviceInfo: anyObject.nullish().describe('Service information of the app, returned in answers.'),
  deviceName: z.string().nullish().describe('Name of the device.'),
  expireAfter: z.number().min(0).nullish().describe('Seconds until the access expires; default: never.'),
  token: z.string().min(1).nullish().describe('Token of the access; default: a random one.'),
  referer: z.string().nullish().describe('Where the person came from.'),
  consent: z.unknown().optional().describe('Consent form: allowUserChoice, and ids of permissions in mandatory and optIn. Without it, all permissions or none.'),
  actAs: z
    .string()
    .refine((text) => text === 'allow' || text === 'deny' || USERNAME.test(text), {
      error: 'Expected allow, deny or a username.',
    })
    .nullish().describe('allow or deny: whether the person may answer for a controlled account; or the user name of that account. Default with actAsManagedOnly: allow.'),
  actAsManagedOnly: z.boolean().optional().describe("true: only a controlled account may answer, not the person's own."),
  credentialHandoff: z.literal('shared-secret').nullish().describe('Deliver the token by a shared secret in place of the poll.'),
  cmcInvites: z.array(InviteBody).min(1).max(MAX_INVITES).optional().describe('Consent requests of other accounts to accept along with this one, at most 8.'),
})

type Present<T> = { [K in keyof T]?: Exclude<T[K], null | undefined> }

/** Drops null and undefined members. */
const present = <T extends object>(members: T): Present<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined)) as Present<T>

/**
 * Parses an access request.
 * @returns the request, and the trusted sign-in page it selects, if any
 * @throws Failure `invalid-parameters`
 */
export function parseRequestInput(node: Context, body: unknown): { asked: AskedAccess; page: string | undefined } {
  const {
    requestingAppId,
    requestedPermissions,
    languageCode,
    returnURL,
    authUrl,
    token,
    consent,
    actAsManagedOnly,
    cmcInvites,
    ...rest
  } = sanitise(AskBody, body)
  assertAddressesAllowed(node, returnURL, rest.serviceInfo)
  requestedPermissions.forEach((entry, at) => void permissionOf(entry, at))
  const hasForm = consent !== undefined && consent !== null
  if (hasForm && requestedPermissions.length === 0) {
    throw new Failure('invalid-parameters', 'consent: requestedPermissions is empty.', { param: 'requestedPermissions' })
  }
  if (actAsManagedOnly === true && rest.actAs === 'deny') {
    const message = 'actAsManagedOnly: true cannot be combined with actAs: deny.'
    throw new Failure('invalid-parameters', message, { param: 'actAsManagedOnly' })
  }
  const input: AskedAccess = {
    requestingAppId,
    requestedPermissions,
    languageCode: languageCode ?? 'en',
    ...present(rest),
    ...(typeof returnURL === 'string' && returnURL !== '' ? { returnURL } : {}),
    ...(token == null ? {} : { token: new Secret(token) }),
    ...(hasForm ? { consent: resolveConsent(consent, requestedPermissions) } : {}),
    ...(actAsManagedOnly === true ? { actAsManagedOnly } : {}),
    ...(cmcInvites === undefined ? {} : { cmcInvites: cmcInvites.map(({ accessName, ...invite }) => ({ ...invite, ...present({ accessName }) })) }),
  }
  return { asked: input, page: authUrl == null ? undefined : trusted(node, authUrl) }
}

/**
 * Rejects addresses that pages of other hosts could send a browser to: a `returnURL` whose scheme is neither http(s) nor
 * registered, and script addresses in `serviceInfo`.
 */
function assertAddressesAllowed(node: Context, returnURL: string | false | null | undefined, serviceInfo: object | null | undefined): void {
  const schemes = node.config.get('access.returnSchemes')
  if (typeof returnURL === 'string' && returnURL !== '' && !isReturnAddress(returnURL, schemes)) {
    const others = schemes.length === 0 ? '; the setting access.returnSchemes allows no other scheme' : `, or by ${schemes.map((scheme) => `${scheme}:`).join(', ')}`
    throw new Failure('invalid-parameters', `returnURL: expected an absolute http:// or https:// address${others}.`, { param: 'returnURL' })
  }
  const found = textsIn(serviceInfo).find(isScriptAddress)
  if (found === undefined) return
  throw new Failure('invalid-parameters', `serviceInfo: an address has the scheme ${String(schemeOf(found))}:.`, { param: 'serviceInfo' })
}

/** Collects the strings in a JSON value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function trusted(node: Context, page: string): string {
  const own = node.config.get('access.trustedAuthUrls')
  const usual = node.config.get('access.defaultAuthUrl') ?? ownPage(node)
  if (isTrustedPage(page, [...own, usual, ownPage(node)])) return page
  const why = own.length === 0 ? ' The setting is empty.' : ''
  throw new Failure('invalid-parameters', `authUrl: not one of the pages in the setting access.trustedAuthUrls.${why}`, {
    param: 'authUrl',
  })
}
