import * as z from 'zod'
import type { Permission } from '../../../store/model/access.js'
import { delegateOf, isGenuine } from '../../../store/model/delegation.js'
import { Failure } from '../../../store/model/failure.js'
import { callWith } from '../../dispatch/call.js'
import { consentPage } from '../../call/callers.js'
import { platformMethod, type Call, type PlatformCall } from '../../call/method.js'
import { errorAnswer, jsonAnswer, jsonErrors } from './answers.js'
import { oauthParameter, required, type OAuthParameters } from './parameters.js'
import { readAuthorization } from './authorization.js'
import { selectedPermissions, completeConsent, offerOf } from './completeConsent.js'
import { OAuthError } from './errors.js'
import type { PeerDeps } from '../consents/delivery/peerClient.js'

const Answered = z.object({
  redirectTo: z.string().describe('URL for the browser: the redirect URI with the code, or with an error.'),
})

/** Called by the consent page with the person's choices and personal token (docs/interface/oauth.md#consent). */
export const accept = platformMethod({
  id: 'oauth.accept',
  summary: 'Grants an OAuth client what a person consents to.',
  http: { verb: 'POST', path: '/oauth2/authorize/accept' },
  caller: consentPage,
  input: z.looseObject({
    state: oauthParameter.describe('The signed state that oauth.authorize sent to the consent page; valid for a limited time.'),
    username: oauthParameter.describe('User name of the person who consents.'),
    userToken: oauthParameter.describe('Personal token of that person.'),
    grantedPermissions: z.unknown().optional().meta({ type: 'array', items: { type: 'object' } }).describe('Permissions that the person grants: those of the offer without the deselected ones.'),
  }),
  output: () => Answered,
  protocol: {
    failed: (node, error) => errorAnswer(node, error, 'failed to create access'),
    answers: { 200: { description: 'The redirect.', type: 'application/json', schema: Answered }, ...jsonErrors },
  },
  notInBatch: true,
  fails: [],
  async run(call: PlatformCall<PeerDeps>, input: OAuthParameters) {
    const { node } = call
    const state = required(input, 'state')
    const username = required(input, 'username')
    const userToken = required(input, 'userToken')
    const authorization = readAuthorization(node, state)
    const permissions: Permission[] = selectedPermissions(offerOf(authorization), input['grantedPermissions'])
    const person = await personOf(call, username, userToken)
    return jsonAnswer({ redirectTo: await completeConsent(person, authorization, permissions).catch(hideDetails) })
  },
})

/** Hides the causes of failed grants from the caller; they are logged. */
function hideDetails(error: unknown): never {
  if (error instanceof OAuthError || (error instanceof Failure && isTemporary(error))) throw error
  throw new Error('consenting to an OAuth client failed', { cause: error })
}

const isTemporary = ({ id }: Failure): boolean => id === 'read-only' || id === 'storage-full' || id === 'platform-unavailable'

/**
 * Returns the call of the person whose token it is.
 * @throws OAuthError `invalid_request` (401) for an invalid token
 */
async function personOf({ node, origin }: PlatformCall<PeerDeps>, username: string, token: string): Promise<Call<PeerDeps>> {
  const loaded = await node.accounts.find(username.toLowerCase())
  const unknown = new OAuthError('invalid_request', 'The username or userToken is invalid.', 401)
  if (loaded === undefined || loaded.user.relocated !== undefined) throw unknown
  try {
    const call = await callWith<PeerDeps>(node, origin, loaded, token)
    const { access } = call.caller
    if (delegateOf(access) === undefined && !isGenuine(access)) throw unknown
    return call
  } catch (error) {
    if (error instanceof Failure && (error.id === 'invalid-access-token' || error.id === 'forbidden')) throw unknown
    throw error
  }
}
