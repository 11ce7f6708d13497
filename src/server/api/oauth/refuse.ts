import * as z from 'zod'
import { consentPage } from '../../call/callers.js'
import { platformMethod, type Origin } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { backToClient, errorAnswer, jsonAnswer, jsonErrors } from './answers.js'
import { required, type OAuthParameters } from './parameters.js'
import { recordPlatformAction } from './audit.js'
import { readAuthorization, type Authorization } from './authorization.js'

const Answered = z.object({ redirectTo: z.string().describe('URL for the browser: the redirect URI with error=access_denied.') })

/** Refuses an authorization for the person; returns the redirect to the client. */
export function refuseAuthorization(node: Context, origin: Origin, { clientId, redirectUri, state }: Authorization): string {
  recordPlatformAction(node, 'oauth.consent.refused', origin, clientId)
  return backToClient(node, { redirectUri, state }, { error: 'access_denied' })
}

/** Called by the consent page on refusal (docs/interface/oauth.md#consent). Requires no login. */
export const refuse = platformMethod({
  id: 'oauth.refuse',
  summary: 'Refuses the request of an OAuth client.',
  http: { verb: 'POST', path: '/oauth2/authorize/refuse' },
  caller: consentPage,
  input: z.looseObject({ state: z.unknown().optional().meta({ type: 'string' }).describe('The signed state that oauth.authorize sent to the consent page.') }),
  output: () => Answered,
  protocol: {
    failed: errorAnswer,
    answers: { 200: { description: 'The redirect.', type: 'application/json', schema: Answered }, ...jsonErrors },
  },
  notInBatch: true,
  fails: [],
  run({ node, origin }, input: OAuthParameters) {
    const authorization = readAuthorization(node, required(input, 'state'))
    return jsonAnswer({ redirectTo: refuseAuthorization(node, origin, authorization) })
  },
})
