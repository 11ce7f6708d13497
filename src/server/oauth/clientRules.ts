/** What an OAuth client may be registered with (consent supplement 4.3). Pure. */
import { hasUnsafeScheme, hasWebScheme } from '../../store/model/urlScheme.js'
import { isPrivateUrl } from '../base/privateUrl.js'
import * as z from 'zod'
import { isThirtyTwoBytes, keyAt } from '../proofs/key.js'

/** A public key of a client: EC P-256, no more of it than verifying takes. */
export interface PublicKey {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
  kid?: string
}

export const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const

/** Client ids that are given rather than made. */
export const CLIENT_ID = /^[A-Za-z0-9.~-]{4,64}$/

/** The name of a consent offer: the scope `cmc:<name>` asks for it. */
export const OFFER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/

/** The prefix of scopes that name consent offers. */
export const CMC = 'cmc:'

const MAX_ADDRESS_LENGTH = 2048
const MOST = 100

const RedirectUri = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .refine((text) => URL.canParse(text) && /^[\x21-\x7e]+$/.test(text), {
    error: 'A redirect URI is an absolute address, such as https://app.example/callback.',
    abort: true,
  })
  .refine((text) => !text.includes('#'), { error: 'A redirect URI has no fragment (#).' })
  .refine((text) => !hasUnsafeScheme(text), { error: 'A redirect URI leads to an application.' })

const WebAddress = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .refine((text) => hasWebScheme(text), {
    error: 'An address begins with http:// or https://.',
  })

/** The characters that RFC 6749 lets a scope have. */
const Scope = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, { error: 'A scope is one word, such as cmc:study.' })
  .refine((scope) => !scope.startsWith(CMC) || OFFER_NAME.test(scope.slice(CMC.length)), {
    error: 'A scope of consents is cmc:<offer>, the offer of up to 64 letters, digits, dots, _ and -.',
  })

const coordinate = z.string().refine((text) => isThirtyTwoBytes(text), {
  error: 'A coordinate of a P-256 key has 43 characters of base64url.',
})

const Key = z
  .object({
    kty: z.literal('EC', { error: 'Keys are of the type EC.' }),
    crv: z.literal('P-256', { error: 'Keys are on the curve P-256.' }),
    x: coordinate,
    y: coordinate,
    kid: z.string().min(1).max(256).optional(),
    d: z.unknown().optional(),
  })
  .refine(({ d }) => d === undefined, { error: 'This is a private key: register the public one, without "d".', abort: true })
  .refine((key) => keyAt(key) !== undefined, { error: 'This is no point on the curve P-256.' })
  .transform(({ kty, crv, x, y, kid }): PublicKey => ({ kty, crv, x, y, ...(kid === undefined ? {} : { kid }) }))

/** Public keys by which a client signs its assertions; reduced to what is kept. */
export const Jwks = z.object({ keys: z.array(Key).min(1, { error: 'At least one key is needed.' }).max(MOST) })

/**
 * The address of a consent offer: the endpoint of an open link, with its token in front of the host. Over https; what
 * stays on this machine may go over http.
 */
const CapabilityUrl = z
  .string()
  .max(MAX_ADDRESS_LENGTH)
  .refine((text) => URL.canParse(text) && isPrivateUrl(new URL(text)), {
    error: 'The address of an offer begins with https:// (http:// on this machine alone).',
    abort: true,
  })
  .refine((text) => new URL(text).username !== '', {
    error: 'The address of an offer carries its token: https://<token>@host/…, as capabilityUrl says it.',
  })

const Offer = z.object({ capabilityUrl: CapabilityUrl })
const offersOf = <T extends z.ZodType>(offer: T): z.ZodRecord<z.ZodString, T> =>
  z
    .record(z.string(), offer)
    .refine((offers) => Object.keys(offers).every((name) => OFFER_NAME.test(name)), {
      error: 'The name of an offer has up to 64 letters, digits, dots, _ and -, the first a letter or digit.',
    })
    .refine((offers) => Object.keys(offers).length <= MOST, { error: `A client has at most ${MOST} offers.` })

const name = z.string().trim().min(1).max(256)

/** What of a client can be given, and be changed. */
export const ClientFields = z.strictObject({
  redirectUris: z.array(RedirectUri).min(1, { error: 'At least one redirect URI is needed.' }).max(MOST),
  scope: z.array(Scope).max(MOST),
  grantTypes: z
    .array(z.enum(GRANT_TYPES, { error: `Grant types are ${GRANT_TYPES.join(', ')}.` }))
    .min(1, { error: 'At least one grant type is needed.' }),
  clientName: name,
  clientUri: WebAddress,
  logoUri: WebAddress,
  applicationType: z.enum(['web', 'native'], { error: 'An application is of the type web or native.' }),
  jwks: Jwks,
  cmcOffers: offersOf(Offer),
})

export type ClientFields = z.output<typeof ClientFields>

/** A registration: a name or an account says what the id is made of, where none is given. */
export const NewClient = ClientFields.partial()
  .required({ redirectUris: true })
  .extend({
    clientId: z.string().regex(CLIENT_ID, { error: 'A client id has 4 to 64 characters of A-Z a-z 0-9 . ~ -.' }).optional(),
  /** The user name of the app account. */
    username: z.string().optional(),
    /** Whether it gets a secret. */
    confidential: z.boolean().optional(),
  })

/** A change: fields that are not named stay, `null` takes one out. */
export const ClientPatch = ClientFields.extend({
  clientUri: WebAddress.nullable(),
  logoUri: WebAddress.nullable(),
  applicationType: ClientFields.shape.applicationType.nullable(),
  jwks: Jwks.nullable(),
  /** Null takes an offer away, with its scope. */
  cmcOffers: offersOf(Offer.nullable()),
  username: z.string(),
  /** Takes secret and keys away. */
  public: z.literal(true),
}).partial()

/** What a text like `Heart Lab` gives as an id: `heart-lab`; undefined when nothing is left of it. */
export function idFromName(text: string): string | undefined {
  const words = text.normalize('NFKD').toLowerCase().match(/[a-z0-9]+/g) ?? []
  const id = words.join('-').slice(0, 48).replace(/-+$/, '')
  return id === '' ? undefined : id
}
