/** Settings of signing in through third parties (accounts supplement 14). */
import * as z from 'zod'
import { objectOf, pageAddress, setting, webAddress, yesOrNo, type Kind } from '../setting.js'
import { isPrivateUrl } from '../../base/privateUrl.js'

const Issuer = z
  .string()
  .refine((text) => URL.canParse(text) && isPrivateUrl(new URL(text)), { error: 'an https:// address (http:// on this machine alone)' })

const Provider = z.strictObject({
  issuer: Issuer,
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  label: z.string().trim().min(1).max(100).optional(),
})

/** A third party by which people sign in: an OpenID Connect provider at which this node is registered. */
export type Provider = z.output<typeof Provider>

/** A page that is told of sessions: nobody reads along. */
const privatePage: Kind<string> = {
  reads: 'text',
  form: 'an https:// address without a fragment (http:// on this machine alone)',
  schema: pageAddress.schema.refine((text) => URL.canParse(text) && isPrivateUrl(new URL(text))),
}

const Providers = z.record(z.string().regex(/^[a-z0-9_-]{1,40}$/), Provider)

export const ssoSettings = {
  'sso.enabled': setting(yesOrNo, {
    default: false,
    summary: 'People sign in through the third parties of sso.providers, too.',
  }),
  'sso.providers': setting(
    objectOf('an object of { issuer, clientId, clientSecret, label } by ids of small letters, digits, - and _; each issuer an https:// address', Providers),
    {
      default: {},
      secret: true,
      summary: 'OpenID Connect providers by which people sign in, each with what it has this node registered as.',
    },
  ),
  'sso.landingPageURL': setting(privatePage, {
    default: null,
    summary: "Page to which people come back from a third party, with what came of it in the fragment; without it, the node's own.",
  }),
  'sso.callbackBaseURL': setting(webAddress, {
    default: null,
    summary: 'Address of this node in the redirect URIs that third parties know; without it, the address by which apps reach it.',
  }),
} as const

type Key = keyof typeof ssoSettings | 'dnsLess.isActive'

/** The setting that signing in through third parties lacks; undefined when it lacks none, or is off. */
export function ssoLacks(valueOf: (key: Key) => unknown): { key: Key; why: string } | undefined {
  if (valueOf('sso.enabled') !== true || valueOf('dnsLess.isActive') !== false) return undefined
  return { key: 'sso.enabled', why: 'sso.enabled = true needs dnsLess.isActive = true: third parties lead back to one address' }
}
