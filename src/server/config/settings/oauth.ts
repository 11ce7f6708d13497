/** Settings of the OAuth 2.0 server (docs/interface/oauth.md). */
import * as z from 'zod'
import { listOf, oneOf, pageAddress, setting, webAddress, whole, type Kind } from '../setting.js'

const CHECK_SECONDS = 30

/** An interval in seconds; anything that is not a positive number is replaced by the default. */
const checkInterval: Kind<number> = {
  reads: 'literal',
  form: `a number of seconds above 0; anything else is ${CHECK_SECONDS}`,
  schema: () => z.unknown().transform((value) => (typeof value === 'number' && value > 0 ? value : CHECK_SECONDS)),
}

const grantTypes = listOf(
  () => z.enum(['authorization_code', 'refresh_token', 'client_credentials']),
  'a list of authorization_code, refresh_token and client_credentials',
)

export const oauthSettings = {
  'oauth.issuer': setting(webAddress, {
    default: null,
    summary: 'Issuer identifier of this server for OAuth clients; default: the address of the node.',
  }),
  'oauth.consentUrl': setting(pageAddress, {
    default: null,
    summary: 'Page on which users consent to OAuth clients; default: the page of the node.',
  }),
  'oauth.accessTokenTTL': setting(whole(1, undefined, ' of seconds'), {
    default: 3600,
    summary: 'Seconds for which an OAuth access token is valid.',
  }),
  'oauth.refreshTokenTTL': setting(whole(1, undefined, ' of seconds'), {
    default: 2_592_000,
    summary: 'Seconds after which an unused refresh token expires.',
  }),
  'oauth.refreshTokenAbsoluteTTL': setting(whole(1, undefined, ' of seconds'), {
    default: 7_776_000,
    summary: 'Seconds after the first exchange when a grant expires, even if it is refreshed.',
  }),
  'oauth.refreshReuseGraceSeconds': setting(whole(0, undefined, ' of seconds'), {
    default: 10,
    summary: 'Seconds within which reuse of a refresh token is only rejected; later reuse revokes the whole grant. 0 revokes at once.',
  }),
  'oauth.dpop.clockSkewSeconds': setting(whole(1, 3600, ' of seconds'), {
    default: 120,
    summary: "Maximum difference between the time of a DPoP proof and the node's clock, in seconds.",
  }),
  'oauth.dpop.keyRevokeCheckSeconds': setting(checkInterval, {
    default: CHECK_SECONDS,
    summary: 'Maximum seconds until a blocked DPoP key is rejected.',
  }),
  'oauth.clientRevokeCheckSeconds': setting(checkInterval, {
    default: CHECK_SECONDS,
    summary: 'Maximum seconds until tokens of a revoked client are rejected.',
  }),
  'oauth.clientRegistration.mode': setting(oneOf('curated'), {
    default: 'curated',
    summary: 'Who may register OAuth clients: curated (the operator only) is the only mode.',
  }),
  'oauth.grantTypesSupported': setting(grantTypes, {
    default: ['authorization_code', 'refresh_token', 'client_credentials'],
    summary: 'Grant types advertised in the OAuth metadata.',
  }),
} as const
