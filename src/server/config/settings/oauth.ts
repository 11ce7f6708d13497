/** Settings of the OAuth 2.0 server (consent supplement 4.10). */
import * as z from 'zod'
import { listOf, oneOf, pageAddress, setting, webAddress, whole, type Kind } from '../setting.js'

const CHECK_SECONDS = 30

/** How often something is looked up again: what is no number of seconds above 0 is taken for the default. */
const checkInterval: Kind<number> = {
  reads: 'literal',
  form: `a number of seconds above 0; anything else is ${CHECK_SECONDS}`,
  schema: z.unknown().transform((value) => (typeof value === 'number' && value > 0 ? value : CHECK_SECONDS)),
}

const grantTypes = listOf(
  z.enum(['authorization_code', 'refresh_token', 'client_credentials']),
  'a list of authorization_code, refresh_token and client_credentials',
)

export const oauthSettings = {
  'oauth.issuer': setting(webAddress, {
    default: null,
    summary: 'Address that names this server to OAuth clients; without it, the address of the node.',
  }),
  'oauth.consentUrl': setting(pageAddress, {
    default: null,
    summary: "Page on which people consent to OAuth clients; without it, the node's own.",
  }),
  'oauth.accessTokenTTL': setting(whole(1, undefined, ' of seconds'), {
    default: 3600,
    summary: 'An access token of OAuth is good for this many seconds.',
  }),
  'oauth.refreshTokenTTL': setting(whole(1, undefined, ' of seconds'), {
    default: 2_592_000,
    summary: 'A refresh token that is not used ends after this many seconds.',
  }),
  'oauth.refreshTokenAbsoluteTTL': setting(whole(1, undefined, ' of seconds'), {
    default: 7_776_000,
    summary: 'However often it is refreshed, a grant ends this many seconds after it was first exchanged.',
  }),
  'oauth.refreshReuseGraceSeconds': setting(whole(0, undefined, ' of seconds'), {
    default: 10,
    summary: 'A refresh token that comes again within this time is merely refused; later, its grant ends. 0: at once.',
  }),
  'oauth.dpop.clockSkewSeconds': setting(whole(1, 3600, ' of seconds'), {
    default: 120,
    summary: 'How far the time of a DPoP proof may be from that of the node, either way.',
  }),
  'oauth.dpop.keyRevokeCheckSeconds': setting(checkInterval, {
    default: CHECK_SECONDS,
    summary: 'A DPoP key that is blocked is refused after at most this many seconds.',
  }),
  'oauth.clientRevokeCheckSeconds': setting(checkInterval, {
    default: CHECK_SECONDS,
    summary: 'Tokens of a client that is revoked are refused after at most this many seconds.',
  }),
  'oauth.clientRegistration.mode': setting(oneOf('curated'), {
    default: 'curated',
    summary: 'Who registers OAuth clients: curated is the operator alone, and there is no other way.',
  }),
  'oauth.grantTypesSupported': setting(grantTypes, {
    default: ['authorization_code', 'refresh_token', 'client_credentials'],
    summary: 'Grant types that the metadata of OAuth names.',
  }),
} as const
