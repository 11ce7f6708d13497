/** Parses the outcome that a page posts for an access request (docs/interface/access-requests.md#decision). */
import * as z from 'zod'
import type { Accepted, AccessRequest, Outcome } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { Secret } from '../../../store/model/secret.js'
import { SECRET_KEY } from '../../../store/model/sharedSecret.js'
import { endpointOnPlatform } from '../../platform/cores/accountCalls.js'
import type { CoresDeps } from '../../platform/cores/cores.js'
import type { Context } from '../../call/context.js'
import { MAX_INVITES } from './requestInput.js'
import { sanitise } from './sanitise.js'

const short = z.string().min(1).max(256)

const Delegation = z.strictObject({
  isDelegatedAccess: z.literal(true).describe('A delegate answered.'),
  controlledUsername: short.describe('User name of the controlled account.'),
  delegate: z
    .strictObject({
      username: short.describe('User name of the delegate.'),
      hostSlug: short.optional().describe("Host of the delegate's platform, as a slug."),
    })
    .describe('The account that acted for it.'),
})

const Handoff = z.strictObject({
  type: z.literal('shared-secret').describe('Kind of the hand-over.'),
  key: z.string().regex(SECRET_KEY, { error: 'Expected the key of a shared secret.' }).describe('Key of the shared secret that holds the token.'),
})

const InviteOutcomeBody = z.union([
  z.strictObject({
    acceptEventId: short.describe('Id of the event that accepted the invitation.'),
    dataGrantAccessId: short.optional().describe('Id of the access that acceptance created.'),
    acceptedFor: z.literal('self').optional().describe('self: the person accepted for their own account.'),
  }),
  z.strictObject({ declined: z.literal(true).describe('The invitation was declined.') }),
  z.strictObject({ reason: short.describe('Why acceptance failed.') }),
])

const web = (text: string): boolean => /^https?:/i.test(text) && URL.canParse(text)

const StatusBody = z.object({ status: z.enum(['ACCEPTED', 'REFUSED', 'ERROR', 'REDIRECTED']).describe('Outcome of the request.') })

/** Body of a decision. Other members are ignored: a decision cannot change the request. */
export const PostedBody = StatusBody.extend({
  username: z.string().optional().describe('Account that grants access; required for ACCEPTED.'),
  token: z.string().optional().describe('Token of the access; for ACCEPTED without handoff.'),
  apiEndpoint: z.string().optional().describe('Address of the account; default: made of user name and token.'),
  reasonId: z.string().optional().describe('Id of the reason; for REFUSED and ERROR.'),
  message: z.string().optional().describe('Explanation; for REFUSED and ERROR.'),
  redirectUrl: z.string().refine(web, { error: 'Expected an http:// or https:// address.' }).optional().describe('Address to continue at; for REDIRECTED.'),
  delegation: Delegation.nullish().describe('The delegate who answered, when acting for another account.'),
  handoff: Handoff.nullish().describe('The shared secret that holds the token, where the app asked for credentialHandoff.'),
  cmcInvites: z.array(InviteOutcomeBody).max(MAX_INVITES).optional().describe('Outcome of each invitation of the request, in its order.'),
})
type Posted = z.output<typeof PostedBody>

/** Default reason of refusals, as in the first-generation API. */
const NO_REASON = 'REASON_UNDEFINED'

const refused = (param: string, message: string): Failure => new Failure('invalid-parameters', `${param}: ${message}`, { param })

/** Checks the status, before the caller looks up the key. @throws Failure `invalid-parameters` for an unknown status */
export function assertKnownStatus(body: unknown): void {
  sanitise(StatusBody, body)
}

/**
 * Reads an outcome for a request.
 * @throws Failure `invalid-parameters`
 */
export async function readOutcome(node: Context & CoresDeps, request: AccessRequest, body: unknown): Promise<Outcome> {
  const posted = sanitise(PostedBody, body)
  const { status } = posted
  if (status === 'ACCEPTED') return acceptedBy(node, request, posted)
  const extra = (['delegation', 'handoff', 'cmcInvites'] as const).find((name) => posted[name] != null)
  if (extra !== undefined) throw refused(extra, 'allowed only with status ACCEPTED.')
  const { reasonId = NO_REASON, message = '', redirectUrl } = posted
  if (status === 'REDIRECTED') return redirectUrl === undefined ? { status } : { status, redirectUrl }
  return { status, reasonId, message }
}

async function acceptedBy(node: Context & CoresDeps, request: AccessRequest, posted: Posted): Promise<Accepted> {
  const { status, username = '', delegation, cmcInvites } = posted
  if (status !== 'ACCEPTED') throw refused('status', 'expected ACCEPTED.')
  if (username === '') throw refused('username', 'required with status ACCEPTED.')
  if (delegation != null && delegation.controlledUsername !== username) {
    throw refused('delegation', 'controlledUsername differs from username.')
  }
  if (cmcInvites !== undefined && cmcInvites.length !== request.cmcInvites?.length) {
    throw refused('cmcInvites', 'expected one outcome for each invitation of the request.')
  }
  return {
    status,
    username,
    ...(await grantOf(node, request, posted, username)),
    ...(delegation == null ? {} : { delegation: withoutAbsent(delegation) }),
    ...(cmcInvites === undefined ? {} : { cmcInvites: cmcInvites.map((outcome) => withoutAbsent(outcome)) }),
  }
}

/** Drops undefined members by a JSON round trip. */
const withoutAbsent = <T>(given: unknown): T => JSON.parse(JSON.stringify(given)) as T

async function grantOf(
  node: Context & CoresDeps,
  request: AccessRequest,
  { token = '', handoff, apiEndpoint: endpoint = '', delegation }: Posted,
  username: string,
): Promise<Pick<Accepted, 'grant' | 'apiEndpoint'>> {
  if (handoff == null) {
    if (token === '') throw refused('token', 'required with status ACCEPTED and no handoff.')
    const address = endpoint === '' ? await endpointOnPlatform(node, username, token) : endpoint
    return { grant: { token: new Secret(token) }, apiEndpoint: new Secret(address) }
  }
  if (token !== '') throw refused('handoff', 'not allowed together with token.')
  if (request.credentialHandoff === undefined) throw refused('handoff', 'the app did not ask for one.')
  if (request.consent !== undefined) throw refused('handoff', 'not allowed for requests with a consent form; send the token.')
  if (delegation != null) throw refused('handoff', 'not allowed for delegated accesses; send the token.')
  const address = endpoint === '' ? await endpointOnPlatform(node, username) : endpoint
  if (!web(address) || hasCredentials(address)) throw refused('apiEndpoint', 'with handoff, expected an http(s) address without a token.')
  return { grant: { handoff: new Secret(handoff) }, apiEndpoint: new Secret(address) }
}

function hasCredentials(address: string): boolean {
  const url = new URL(address)
  return url.username !== '' || url.password !== '' || url.searchParams.has('auth')
}
