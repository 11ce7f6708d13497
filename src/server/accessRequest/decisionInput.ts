/** What a page posts of an access request: its outcome (accounts supplement 12.5; consent supplement 7.1). */
import * as z from 'zod'
import type { Accepted, AccessRequest, Outcome } from '../../store/model/accessRequest.js'
import { Failure } from '../../store/model/failure.js'
import { Secret } from '../../store/model/secret.js'
import { SECRET_KEY } from '../../store/model/sharedSecret.js'
import { apiEndpoint } from '../apiEndpoint.js'
import type { Node } from '../node.js'
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

/** Whatever else a page sends is left aside: it decides, and changes nothing of what was asked for. */
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

/** Reasons of refusals that name none, as in the first generation. */
const NO_REASON = 'REASON_UNDEFINED'

const refused = (param: string, message: string): Failure => new Failure('invalid-parameters', `${param}: ${message}`, { param })

/** Refuses a status that there is none, before anything is told of the key. Throws Failure `invalid-parameters`. */
export function throwUnknownStatus(body: unknown): void {
  sanitise(StatusBody, body)
}

/**
 * Reads an outcome for a request.
 * @throws Failure `invalid-parameters`
 */
export function readOutcome(node: Node, request: AccessRequest, body: unknown): Outcome {
  const posted = sanitise(PostedBody, body)
  const { status } = posted
  if (status === 'ACCEPTED') return acceptedBy(node, request, posted)
  const extra = (['delegation', 'handoff', 'cmcInvites'] as const).find((name) => posted[name] != null)
  if (extra !== undefined) throw refused(extra, 'only an accepted request has one.')
  const { reasonId = NO_REASON, message = '', redirectUrl } = posted
  if (status === 'REDIRECTED') return redirectUrl === undefined ? { status } : { status, redirectUrl }
  return { status, reasonId, message }
}

function acceptedBy(node: Node, request: AccessRequest, posted: Posted): Accepted {
  const { status, username = '', delegation, cmcInvites } = posted
  if (status !== 'ACCEPTED') throw refused('status', 'this is no acceptance.')
  if (username === '') throw refused('username', 'an accepted request names the account.')
  if (delegation != null && delegation.controlledUsername !== username) {
    throw refused('delegation', 'controlledUsername is not the account that accepted.')
  }
  if (cmcInvites !== undefined && cmcInvites.length !== request.cmcInvites?.length) {
    throw refused('cmcInvites', 'there is one outcome for each invitation of the request.')
  }
  return {
    status,
    username,
    ...grantOf(node, request, posted, username),
    ...(delegation == null ? {} : { delegation: withoutAbsent(delegation) }),
    ...(cmcInvites === undefined ? {} : { cmcInvites: cmcInvites.map((outcome) => withoutAbsent(outcome)) }),
  }
}

/** What was given, as an object whose optional members are there or absent: JSON knows no other. */
const withoutAbsent = <T>(given: unknown): T => JSON.parse(JSON.stringify(given)) as T

function grantOf(
  node: Node,
  request: AccessRequest,
  { token = '', handoff, apiEndpoint: endpoint = '', delegation }: Posted,
  username: string,
): Pick<Accepted, 'grant' | 'apiEndpoint'> {
  if (handoff == null) {
    if (token === '') throw refused('token', 'an accepted request carries the token of the access.')
    const address = endpoint === '' ? apiEndpoint(node, username, token) : endpoint
    return { grant: { token: new Secret(token) }, apiEndpoint: new Secret(address) }
  }
  if (token !== '') throw refused('handoff', 'there is a token already.')
  if (request.credentialHandoff === undefined) throw refused('handoff', 'the app did not ask for one.')
  if (request.consent !== undefined) throw refused('handoff', 'what a consent form asks for is given by its token.')
  if (delegation != null) throw refused('handoff', 'a delegated access is handed over by its token.')
  const address = endpoint === '' ? apiEndpoint(node, username) : endpoint
  if (!web(address) || hasCredentials(address)) throw refused('apiEndpoint', 'beside a hand-off it is an http(s) address without a token.')
  return { grant: { handoff: new Secret(handoff) }, apiEndpoint: new Secret(address) }
}

function hasCredentials(address: string): boolean {
  const url = new URL(address)
  return url.username !== '' || url.password !== '' || url.searchParams.has('auth')
}
