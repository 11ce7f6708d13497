import * as z from 'zod'
import { browser } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { addQuery } from '../../base/addQuery.js'
import type { Answer } from '../../call/protocol.js'
import { backToClient, errorAnswer, htmlAnswer, redirectAnswer } from './answers.js'
import { oauthParameter, textOf, type OAuthParameters } from './parameters.js'
import { recordPlatformAction } from './audit.js'
import { signedAuthorization, type Authorization } from './authorization.js'
import { findClient, type OAuthClient } from './clients.js'
import { OAuthError, oauthErrorOf } from './errors.js'
import { consentUrl, issuerOf } from './issuer.js'
import { resolveOffer } from './offer.js'
import { isChallenge } from './pkce.js'
import { matchesAnyRedirect } from './redirects.js'
import { parseScope, scopesIn } from './scopes.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

const MAX_HINT_LENGTH = 256

/** The authorization endpoint (RFC 6749, 3.1; docs/interface/oauth.md#authorization-request). */
export const authorize = platformMethod({
  id: 'oauth.authorize',
  summary: 'Redirects a person to the consent page for an OAuth client.',
  http: { verb: 'GET', path: '/oauth2/authorize' },
  caller: browser,
  input: z.looseObject({
    client_id: oauthParameter.describe('Id of the OAuth client; required.'),
    redirect_uri: oauthParameter.describe('One of the redirect URIs of the client, exactly as registered; required.'),
    response_type: oauthParameter.describe('code; required.'),
    scope: oauthParameter.describe('One scope: cmc:<name> of an offer of the client; required.'),
    state: oauthParameter.describe('Opaque text of the client, returned in the response; required.'),
    code_challenge: oauthParameter.describe('S256 challenge of PKCE (RFC 7636); required.'),
    code_challenge_method: oauthParameter.describe('S256; required.'),
    login_hint: oauthParameter.describe('User name to suggest on the sign-in page; ignored above 256 characters.'),
  }),
  output: () => z.object({}),
  protocol: {
    failed: errorAnswer,
    // Browsers navigate here; pages of other origins must not read the response (RFC 9700, 2.6).
    cors: {},
    answers: {
      302: { description: 'Redirect to the consent page, or back to the client with an error.' },
      400: { description: 'The client or its redirect URI is unknown.', type: 'text/html' },
    },
  },
  notInBatch: true,
  fails: [],
  async run(call: PlatformCall<PeerDeps>, input: OAuthParameters) {
    const found = await clientAndAddress(call.node, input)
    if ('status' in found) return found
    const { client, redirectUri } = found
    let state: string | undefined
    try {
      state = textOf(input, 'state')
      return await redirectToConsent(call, input, { client, redirectUri, state })
    } catch (error) {
      const known = oauthErrorOf(error)
      if (known === undefined) throw error
      const outcome = { error: known.error, error_description: known.description }
      return redirectAnswer(backToClient(call.node, { redirectUri, state }, outcome))
    }
  },
})

/** Returns the client and redirect URI; for untrusted ones, an error page for the person. */
async function clientAndAddress(
  node: Context & PeerDeps,
  input: OAuthParameters,
): Promise<{ client: OAuthClient; redirectUri: string } | Answer> {
  const refused = (text: string): Answer => htmlAnswer(400, 'Invalid link', text)
  const { client_id: clientId, redirect_uri: redirectUri } = input
  if (typeof clientId !== 'string') return refused('The parameter client_id is missing.')
  if (typeof redirectUri !== 'string') return refused('The parameter redirect_uri is missing.')
  const client = await findClient(node, clientId)
  if (client === undefined) return refused(`The application "${clientId}" is not registered here.`)
  if (!matchesAnyRedirect(client.redirectUris, redirectUri)) {
    return refused(`The application "${clientId}" is not registered with the redirect URI "${redirectUri}".`)
  }
  return { client, redirectUri }
}

async function redirectToConsent(
  { node, origin }: PlatformCall<PeerDeps>,
  input: OAuthParameters,
  { client, redirectUri, state }: { client: OAuthClient; redirectUri: string; state: string | undefined },
): Promise<Answer> {
  if (textOf(input, 'response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'The response_type must be code.')
  }
  const codeChallenge = textOf(input, 'code_challenge')
  if (codeChallenge === undefined) throw new OAuthError('invalid_request', 'The parameter code_challenge is missing: PKCE is required.')
  if (textOf(input, 'code_challenge_method') !== 'S256') {
    throw new OAuthError('invalid_request', 'The code_challenge_method must be S256.')
  }
  if (!isChallenge(codeChallenge)) throw new OAuthError('invalid_request', 'The code_challenge is malformed.')
  if (state === undefined) throw new OAuthError('invalid_request', 'The parameter state is missing.')
  const { scope, name } = offerScope(client, textOf(input, 'scope'))
  const bound = Object.hasOwn(client.cmcOffers, name) ? client.cmcOffers[name] : undefined
  if (bound === undefined) throw new OAuthError('invalid_scope', `The client has no offer "${name}".`)
  const hint = textOf(input, 'login_hint')
  const authorization: Authorization = {
    clientId: client.clientId,
    redirectUri,
    state,
    codeChallenge,
    codeChallengeMethod: 'S256',
    scope: [scope],
    ...(hint === undefined || hint.length > MAX_HINT_LENGTH ? {} : { userIdHint: hint }),
    offer: await resolveOffer(node, name, bound.capabilityUrl),
  }
  recordPlatformAction(node, 'oauth.consent.shown', origin, client.clientId)
  return redirectAnswer(addQuery(consentUrl(node), [['state', signedAuthorization(node, authorization)], ['pryvApi', issuerOf(node)]]))
}

/**
 * Returns the single requested scope and the name of its offer.
 * @throws OAuthError `invalid_scope`
 */
function offerScope(client: OAuthClient, input: string | undefined): { scope: string; name: string } {
  const scopes = scopesIn(input)
  const parsed = scopes.map((scope) => ({ scope, ...parseScope(scope) }))
  const other = scopes.find((scope) => !client.scope.includes(scope))
  if (other !== undefined) throw new OAuthError('invalid_scope', `The scope "${other}" is not registered for this client.`)
  const [only] = parsed
  if (only === undefined || parsed.length > 1) throw new OAuthError('invalid_scope', 'The scope must be exactly one cmc:<offer>.')
  return only
}
