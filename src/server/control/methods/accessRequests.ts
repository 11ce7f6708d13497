/** Operator methods for access requests: lists, shows, approves and refuses pending ones. */
import * as z from 'zod'
import { isDecided, statusOfRequest, type AccessRequest } from '../../../store/model/accessRequest.js'
import { Failure } from '../../../store/model/failure.js'
import { approve, refuse } from '../../api/accessRequests/approval.js'
import { consentText } from '../../api/accessRequests/consentWords.js'
import { invitesHeading, inviteTexts } from '../../api/accessRequests/inviteWords.js'
import { offerFor } from '../../api/accessRequests/offer.js'
import type { Node } from '../../index.js'
import { terminalCall } from '../../dispatch/terminalCaller.js'
import { languages } from '../../base/words.js'
import { operatorMethod, type Returned } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

/** Minimum length of a key prefix that identifies a request. */
const MIN_KEY_PREFIX = 6

function requestOf(node: Node, text: string): AccessRequest {
  const found = node.accessRequests.list().filter(({ key }) => key === text || (text.length >= MIN_KEY_PREFIX && key.startsWith(text)))
  const [request] = found
  if (request === undefined) throw new Failure('unknown-access-key', `There is no access request "${text}".`)
  if (found.length > 1) throw new Failure('invalid-operation', `Several access requests start with "${text}". Type more characters of the key.`)
  return request
}

const RequestView = z.object({
  key: z.string().describe('Key of the request.'),
  requestingAppId: z.string().describe('Id of the app.'),
  deviceName: z.string().nullable().describe('Name of the device; null for none.'),
  status: z.enum(['NEED_SIGNIN', 'REDIRECTED', 'ACCEPTED', 'REFUSED', 'ERROR']).describe('Status of the request.'),
  created: z.number().describe('Time of the request, in seconds since 1970.'),
  expires: z.number().describe('End of its validity, in seconds since 1970.'),
  requestedPermissions: z.array(z.record(z.string(), z.unknown())).describe('Permissions, as the app requests them.'),
})

/** Returns the view of a request for the operator, without tokens. */
function requestView(request: AccessRequest): Returned<z.output<typeof RequestView>> {
  const { key, requestingAppId, deviceName, createdAt, expiresAt, requestedPermissions } = request
  return {
    key,
    requestingAppId,
    deviceName: deviceName ?? null,
    status: statusOfRequest(request),
    created: createdAt,
    expires: expiresAt,
    requestedPermissions,
  }
}

const ConsentRow = z.object({
  id: z.string().describe('Id of the entry.'),
  what: z.string().describe('Permission in words; completes the introduction.'),
  details: z.array(z.string()).describe('Remarks, such as required.'),
  isRequired: z.boolean().describe('true for a required entry.'),
  isTicked: z.boolean().describe('true for an entry that is chosen by default.'),
  isLocked: z.boolean().describe('true for an entry that cannot be changed.'),
})

const InviteText = z.object({
  id: z.string().describe('Id of the consent.'),
  title: z.string().describe('Title.'),
  badge: z.string().describe('Required or optional, in words.'),
  isRequired: z.boolean().describe('true when the app requires it.'),
  says: z.array(z.string()).describe('Statements of the node about the requester and the account.'),
  theirs: z.object({
    title: z.string().optional().describe('Title by the requester.'),
    about: z.array(z.string()).describe('Paragraphs of the description.'),
    consent: z.array(z.string()).describe('Paragraphs of the consent.'),
  }).describe('Texts of the requester.'),
  consentHeading: z.string().describe('Heading of the consent.'),
  intro: z.string().describe('Introduction of the rows.'),
  rows: z.array(ConsentRow).describe('Permissions that it grants.'),
  more: z.array(z.string()).describe('Rights that every consent includes.'),
  question: z.string().describe('Question to the user.'),
  agree: z.string().describe('Label of consent.'),
  decline: z.string().describe('Label of refusal.'),
  isOpen: z.boolean().describe('true when it waits for an answer.'),
  isGiven: z.boolean().describe('true when it was given before.'),
  notes: z.array(z.string()).describe('Reasons why it needs no answer.'),
})

const Consent = z.object({
  title: z.string().describe('Title.'),
  app: z.object({
    name: z.string().describe('Name of the app.'),
    description: z.string().optional().describe('Description by the operator.'),
    note: z.string().describe('Remark on the origin of the name.'),
  }).describe('The app.'),
  message: z.object({ heading: z.string().describe('Heading.'), text: z.string().describe('Text.') }).optional().describe('Message of the app.'),
  intro: z.string().describe('Introduction of the rows.'),
  rows: z.array(ConsentRow).describe('Permissions that it grants.'),
  notes: z.array(z.string()).describe('Remarks on duration, replaced accesses and names.'),
  obstacles: z.array(z.string()).describe('Reasons why it can only be refused.'),
  accept: z.string().describe('Label of acceptance.'),
  refuse: z.string().describe('Label of refusal.'),
  invites: z.object({
    title: z.string().describe('Heading.'),
    about: z.string().describe('Introduction.'),
    entries: z.array(InviteText).describe('The consents.'),
  }).describe('Consents to other accounts that the app requests.'),
})

const level = z.string().describe('Level of the permission.')

const PermissionView = z.union([
  z.object({ streamId: z.string().describe('Id of the stream; * for all.'), level }),
  z.object({ tag: z.string().describe('The tag; * for all.'), level }),
  z.object({
    feature: z.string().describe('Feature that the permission is about.'),
    setting: z.enum(['forbidden', 'allowed']).describe('Whether the feature is allowed.'),
    streams: z.array(z.string()).optional().describe('Streams that new events are forced into.'),
  }),
])

const InviteOutcome = z.union([
  z.object({
    acceptEventId: z.string().describe('Id of the event that accepts.'),
    dataGrantAccessId: z.string().optional().describe('Id of the access that was granted.'),
    acceptedFor: z.literal('self').optional().describe('self: accepted by a delegate for its own account.'),
  }),
  z.object({ declined: z.literal(true).describe('Always true.') }),
  z.object({ reason: z.string().describe('Reason of the failure.') }),
])

const key = z.string().describe('Key of the request, or at least 6 characters of its start.')

/** Returns the failure for a request that was refused instead of approved. */
function refusedAfterAll(outcome: AccessRequest['outcome']): Failure {
  if (outcome?.status !== 'REFUSED') return new Failure('invalid-operation')
  const { message, reasonId } = outcome
  return new Failure('invalid-operation', `${message} The request was refused.`, { reasonId })
}

const listRequests = operatorMethod({
  id: 'requests.list',
  summary: 'Lists pending access requests, the earliest first.',
  input: z.strictObject({}),
  output: () => z.object({ requests: z.array(RequestView).describe('The requests.') }),
  fails: [],
  run: ({ node }) => ({
    requests: node.accessRequests
      .list()
      .filter((request) => !isDecided(request))
      .map(requestView),
  }),
})

const showRequest = operatorMethod({
  id: 'requests.show',
  summary: 'Describes the permissions that an access request would grant in an account.',
  input: z.strictObject({ ...OfAccount, key, language: z.enum(languages).default('en').describe('Language of the texts.') }),
  output: () => z.object({ request: RequestView.describe('The request.'), consent: Consent.describe('Its texts for the user.') }),
  fails: ['unknown-access-key', 'unknown-user', 'invalid-operation'],
  async run({ node }, { username, key: word, language }) {
    const request = node.accessRequests.open(requestOf(node, word).key)
    const call = terminalCall(node, await loadedOf(node, { username }))
    const offer = await offerFor(call, request)
    const invites = { ...invitesHeading(offer.invites, language), entries: inviteTexts(offer.invites, language) }
    return { request: requestView(request), consent: { ...consentText(offer, language), invites } }
  },
})

const approveRequest = operatorMethod({
  id: 'requests.approve',
  summary: 'Approves an access request for an account.',
  input: z.strictObject({
    ...OfAccount,
    key,
    keep: z.array(z.string()).describe('Ids of the chosen entries.'),
    answers: z
      .record(z.string(), z.strictObject({ agrees: z.boolean().describe('true: agree.'), kept: z.array(z.string()).default([]).describe('Ids of the chosen entries.') }))
      .default({})
      .describe('Answers to consents with other accounts, by their ids.'),
  }),
  output: () => z.object({
    request: RequestView.describe('The request.'),
    access: z.object({
      id: z.string().describe('Id of the access.'),
      permissions: z.array(PermissionView).describe('Its permissions.'),
      isNew: z.boolean().describe('false for an access that existed.'),
    }).describe('The granted access.'),
    cmcInvites: z.array(InviteOutcome).optional().describe('Outcomes of consents to other accounts.'),
  }),
  fails: ['unknown-access-key', 'unknown-user', 'invalid-operation'],
  async run({ node }, { username, key: word, keep, answers }) {
    const { key } = requestOf(node, word)
    const call = terminalCall(node, await loadedOf(node, { username }))
    const { request, accessId, permissions, isNew } = await approve(call, key, keep, { answers })
    const { outcome } = request
    if (accessId === undefined) throw refusedAfterAll(outcome)
    const outcomes = outcome?.status === 'ACCEPTED' && outcome.cmcInvites !== undefined ? { cmcInvites: outcome.cmcInvites } : {}
    return { request: requestView(request), access: { id: accessId, permissions, isNew }, ...outcomes }
  },
})

const refuseRequest = operatorMethod({
  id: 'requests.refuse',
  summary: 'Refuses an access request.',
  input: z.strictObject({
    key,
    reasonId: z.string().min(1).max(256).optional().describe('Reason, as an id for the app.'),
    message: z.string().max(2000).optional().describe('Reason, as a text for the app.'),
  }),
  output: () => z.object({ request: RequestView.describe('The request.') }),
  fails: ['unknown-access-key', 'invalid-operation'],
  async run({ node }, { key: word, reasonId, message }) {
    const { key } = requestOf(node, word)
    return { request: requestView(await refuse(node, key, reasonId, message)) }
  },
})

export const accessRequestMethods = [listRequests, showRequest, approveRequest, refuseRequest] as const
