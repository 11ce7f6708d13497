/** Validation of OAuth client registrations (docs/interface/oauth.md#clients). Pure. */
import { hasUnsafeScheme, hasWebScheme } from '../../../store/model/urlScheme.js'
import { isPrivateUrl } from '../../base/loopback.js'
import * as z from 'zod'
import { isThirtyTwoBytes, keyAt } from '../../auth/dpop/key.js'

/** Public key of a client: EC P-256, reduced to the members for verification. */
export interface PublicKey {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
  kid?: string
}

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const

/** Format of chosen client ids. */
const CLIENT_ID = /^[A-Za-z0-9.~-]{4,64}$/

/** Format of offer names; the scope `cmc:<name>` requests the offer. */
export const OFFER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/

/** Prefix of scopes for consent offers. */
export const CMC = 'cmc:'

const MAX_ADDRESS_LENGTH = 2048
const MAX_ITEMS = 100

const RedirectUri = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .refine((text) => URL.canParse(text) && /^[\x21-\x7e]+$/.test(text), {
    error: 'A redirect URI must be an absolute URL, such as https://app.example/callback.',
    abort: true,
  })
  .refine((text) => !text.includes('#'), { error: 'A redirect URI must not have a fragment (#).' })
  .refine((text) => !hasUnsafeScheme(text), { error: 'This scheme is not allowed in a redirect URI.' })

const WebAddress = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .refine((text) => hasWebScheme(text), {
    error: 'The URL must start with http:// or https://.',
  })

/** Characters permitted in scopes by RFC 6749. */
const Scope = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, { error: 'A scope must be one word, such as cmc:study.' })
  .refine((scope) => !scope.startsWith(CMC) || OFFER_NAME.test(scope.slice(CMC.length)), {
    error: 'A consent scope must be cmc:<offer>, with an offer of up to 64 letters, digits, dots, _ and -.',
  })

const coordinate = z.string().refine((text) => isThirtyTwoBytes(text), {
  error: 'A coordinate of a P-256 key must have 43 characters of base64url.',
})

const Key = z
  .object({
    kty: z.literal('EC', { error: 'Keys must be of type EC.' }).describe('Always EC.'),
    crv: z.literal('P-256', { error: 'Keys must be on the curve P-256.' }).describe('Always P-256.'),
    x: coordinate.describe('Coordinate x, base64url.'),
    y: coordinate.describe('Coordinate y, base64url.'),
    kid: z.string().min(1).max(256).optional().describe('Id of the key.'),
    d: z.unknown().optional().describe('Rejected: the private part of a key.'),
  })
  .refine(({ d }) => d === undefined, { error: 'This is a private key: register the public one, without "d".', abort: true })
  .refine((key) => keyAt(key) !== undefined, { error: 'The key is not a point on the curve P-256.' })
  .transform(({ kty, crv, x, y, kid }): PublicKey => ({ kty, crv, x, y, ...(kid === undefined ? {} : { kid }) }))

/** Public keys for client assertions, reduced to the stored members. */
const Jwks = z.object({ keys: z.array(Key).min(1, { error: 'At least one key is required.' }).max(MAX_ITEMS).describe('The keys.') })

/**
 * URL of a consent offer: the endpoint of an open link, with its token before the host. Requires https, except on loopback
 * addresses.
 */
const CapabilityUrl = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .refine((text) => URL.canParse(text) && isPrivateUrl(new URL(text)), {
    error: 'The URL of an offer must start with https:// (http:// for this machine only).',
    abort: true,
  })
  .refine((text) => new URL(text).username !== '', {
    error: 'The URL of an offer must contain its token: https://<token>@host/…, as in capabilityUrl.',
  })

const Offer = z.object({ capabilityUrl: CapabilityUrl.describe('Link of the offer, with its token.') })
const offersOf = <T extends z.ZodType>(offer: T): z.ZodRecord<z.ZodString, T> =>
  z
    .record(z.string(), offer)
    .refine((offers) => Object.keys(offers).every((name) => OFFER_NAME.test(name)), {
      error: 'The name of an offer must have up to 64 letters, digits, dots, _ and -, and start with a letter or digit.',
    })
    .refine((offers) => Object.keys(offers).length <= MAX_ITEMS, { error: `A client can have at most ${MAX_ITEMS} offers.` })

const name = z.string().trim().min(1).max(256)

/** Fields of a client that can be set and changed. */
const ClientFields = z.strictObject({
  redirectUris: z.array(RedirectUri).min(1, { error: 'At least one redirect URI is required.' }).max(MAX_ITEMS).describe('Addresses to which users may return.'),
  scope: z.array(Scope).max(MAX_ITEMS).describe('Scopes that it may request.'),
  grantTypes: z
    .array(z.enum(GRANT_TYPES, { error: `Grant types must be among ${GRANT_TYPES.join(', ')}.` }))
    .min(1, { error: 'At least one grant type is required.' })
    .describe('Grant types.'),
  clientName: name.describe('Name for users.'),
  clientUri: WebAddress.describe('Web page.'),
  logoUri: WebAddress.describe('Address of the logo.'),
  applicationType: z.enum(['web', 'native'], { error: 'The application type must be web or native.' }).describe('web or native.'),
  jwks: Jwks.describe('Public keys of the client.'),
  cmcOffers: offersOf(Offer).describe('Consent offers, by name.'),
})

type ClientFields = z.output<typeof ClientFields>

/** Input of a registration. Without an id, the id derives from the account or the name. */
export const NewClient = ClientFields.partial()
  .required({ redirectUris: true })
  .extend({
    clientId: z.string().regex(CLIENT_ID, { error: 'A client id must have 4 to 64 characters of A-Z a-z 0-9 . ~ -.' }).optional().describe('Id of the client; default: from the account or the name.'),
    username: z.string().optional().describe('User name of the app account.'),
    confidential: z.boolean().optional().describe('true: issue a secret.'),
  })

/** Input of a change: absent fields stay, `null` removes one. */
export const ClientPatch = ClientFields.extend({
  clientUri: WebAddress.nullable().describe('Web page; null for none.'),
  logoUri: WebAddress.nullable().describe('Address of the logo; null for none.'),
  applicationType: ClientFields.shape.applicationType.nullable().describe('web or native; null for none.'),
  jwks: Jwks.nullable().describe('Public keys of the client; null for none.'),
  cmcOffers: offersOf(Offer.nullable()).describe('Consent offers, by name; null removes one and its scope.'),
  username: z.string().describe('User name of the app account.'),
  public: z.literal(true).describe('true: remove secret and keys.'),
}).partial()

/** Derives a client id from a name, such as `heart-lab` from `Heart Lab`; undefined when nothing remains. */
export function idFromName(text: string): string | undefined {
  const words = text.normalize('NFKD').toLowerCase().match(/[a-z0-9]+/g) ?? []
  const id = words.join('-').slice(0, 48).replace(/-+$/, '')
  return id === '' ? undefined : id
}
