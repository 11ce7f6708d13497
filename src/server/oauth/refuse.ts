import * as z from 'zod'
import { platformMethod, type Origin } from '../method.js'
import type { Node } from '../node.js'
import { backToClient, errorAnswer, jsonAnswer, jsonErrors } from './answers.js'
import { required, type OAuthParameters } from './parameters.js'
import { recordPlatformAction } from './audit.js'
import { readAuthorization, type Authorization } from './authorization.js'

const Answered = z.object({ redirectTo: z.string().describe('Address to send the browser to: the redirect URI with error=access_denied.') })

/** Refuses in the name of whoever was asked; answers where the browser goes on. */
export function refuseAuthorization(node: Node, origin: Origin, { clientId, redirectUri, state }: Authorization): string {
  recordPlatformAction(node, 'oauth.consent.refused', origin, clientId)
  return backToClient(node, { redirectUri, state }, { error: 'access_denied' })
}

/** Consent supplement 4.6: the consent page says that the person refuses. Nobody need be signed in for that. */
export const refuse = platformMethod({
  id: 'oauth.refuse',
  summary: 'Refuses the request of an OAuth client.',
  http: { verb: 'POST', path: '/oauth2/authorize/refuse' },
  input: z.looseObject({ state: z.unknown().optional().meta({ type: 'string' }).describe('The signed state that oauth.authorize sent to the consent page.') }),
  output: Answered,
  protocol: {
    failed: errorAnswer,
    answers: { 200: { description: 'Where to lead on to.', type: 'application/json', schema: Answered }, ...jsonErrors },
  },
  alone: true,
  fails: [],
  run({ node, origin }, input: OAuthParameters) {
    const authorization = readAuthorization(node, required(input, 'state'))
    return jsonAnswer({ redirectTo: refuseAuthorization(node, origin, authorization) })
  },
})
