/** Settings of single sign-on through OpenID Connect providers (docs/interface/sso.md). */
import * as z from 'zod'
import { objectOf, pageAddress, setting, webAddress, yesOrNo, type Kind } from '../setting.js'
import { isPrivateUrl } from '../../base/loopback.js'

const Issuer = z
  .string()
  .refine((text) => URL.canParse(text) && isPrivateUrl(new URL(text)), { error: 'an https:// address (http:// on this machine only)' })

const Provider = z.strictObject({
  issuer: Issuer,
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  label: z.string().trim().min(1).max(100).optional(),
})

/** An OpenID Connect provider at which this node is registered as a client. */
export type Provider = z.output<typeof Provider>

/** A page that receives session tokens, and must therefore be served over a private connection. */
const privatePage: Kind<string> = {
  reads: 'text',
  form: 'an https:// address without a fragment (http:// on this machine only)',
  schema: () => pageAddress.schema().refine((text) => URL.canParse(text) && isPrivateUrl(new URL(text))),
}

const Providers = z.record(z.string().regex(/^[a-z0-9_-]{1,40}$/), Provider)

export const ssoSettings = {
  'sso.enabled': setting(yesOrNo, {
    default: false,
    summary: 'Allow sign-in through the providers of sso.providers.',
  }),
  'sso.providers': setting(
    objectOf('an object of { issuer, clientId, clientSecret, label } by ids of lower-case letters, digits, - and _; each issuer an https:// address', () => Providers),
    {
      default: {},
      secret: true,
      summary: 'OpenID Connect providers, each with the client credentials of this node.',
    },
  ),
  'sso.landingPageURL': setting(privatePage, {
    default: null,
    summary: 'Page to which users return from a provider, with the result in the fragment; default: the page of the node.',
  }),
  'sso.callbackBaseURL': setting(webAddress, {
    default: null,
    summary: 'Address of this node in the redirect URIs registered with providers; default: its public address.',
  }),
} as const

type Key = keyof typeof ssoSettings | 'dnsLess.isActive'

/** Returns the setting that single sign-on requires but lacks; undefined when none is missing, or it is off. */
export function ssoLacks(valueOf: (key: Key) => unknown): { key: Key; why: string } | undefined {
  if (valueOf('sso.enabled') !== true || valueOf('dnsLess.isActive') !== false) return undefined
  return { key: 'sso.enabled', why: 'sso.enabled = true needs dnsLess.isActive = true, because providers redirect to a single address' }
}
