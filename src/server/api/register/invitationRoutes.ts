import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { checkInput } from '../../../store/model/validation.js'
import { documented } from '../../base/documented.js'
import { adminKey, anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import { createInvitations, isInvited, listInvitations } from './invitations.js'

const WithToken = z.object({ invitationtoken: z.string().describe('The invitation token.') })

/** Checks an invitation token of any form (docs/interface/registration.md#invitations). */
export const checkInvitation = platformMethod({
  id: 'reg.checkInvitation',
  summary: 'Checks whether an invitation token is valid.',
  http: {
    verb: 'POST',
    path: '/access/invitationtoken/check',
    aliases: ['/reg/access/invitationtoken/check', '/reg/invitationtoken/check'],
    rawText: true,
  },
  caller: anybody,
  input: documented(WithToken),
  output: () => z.object({ text: z.enum(['true', 'false']).describe('true if the token permits registration.') }),
  fails: [],
  async run({ node }, body) {
    const given = checkInput(WithToken, body)
    return { text: String(await isInvited(node, given.success ? given.data.invitationtoken : undefined)) }
  },
})

const Invitation = z.object({
  id: z.string().describe('Id of the invitation; in the response of invitations.post its token.'),
  createdAt: z.number().describe('Creation time, in milliseconds since 1970.'),
  createdBy: z.string().describe('Author of the invitation.'),
  description: z.string().describe('Description.'),
  consumedAt: z.number().optional().describe('Time of the registration with it, in milliseconds since 1970.'),
  consumedBy: z.string().optional().describe('User name that was registered with it.'),
})

/** The method invitations.get (docs/interface/registration.md#invitations). */
export const getInvitations = platformMethod({
  id: 'invitations.get',
  summary: 'Lists the invitations, without tokens.',
  http: { verb: 'GET', path: '/reg/admin/invitations', aliases: ['/admin/invitations'] },
  caller: adminKey,
  input: z.unknown(),
  output: () => z.object({ invitations: z.array(Invitation).describe('The invitations.') }),
  fails: ['unknown-resource'],
  run: async ({ node }) => ({ invitations: await listInvitations(node) }),
})

const MAX_AT_ONCE = 1000

/** Returns the requested number; 1 when it is not a number (docs/interface/registration.md#invitations). */
function countOf(given: string | undefined): number {
  const count = Number(given === undefined || given.trim() === '' ? 1 : given)
  if (Number.isNaN(count)) return 1
  if (Number.isInteger(count) && count >= 1 && count <= MAX_AT_ONCE) return count
  throw new Failure('invalid-parameters-format', `count must be a whole number from 1 to ${MAX_AT_ONCE}.`)
}

/** The method invitations.post (docs/interface/registration.md#invitations). */
export const postInvitations = platformMethod({
  id: 'invitations.post',
  summary: 'Creates invitations; their tokens are shown only here.',
  http: { verb: 'GET', path: '/reg/admin/invitations/post', aliases: ['/admin/invitations/post'] },
  caller: adminKey,
  input: z.object({
    count: z.string().optional().describe('Number of invitations, 1 to 1000; default 1.'),
    message: z.string().max(1000).optional().describe('Description of the invitations.'),
  }),
  output: () => z.object({ data: z.array(Invitation).describe('The created invitations; id is the token.') }),
  fails: ['unknown-resource', 'invalid-parameters-format'],
  async run({ node }, { count, message }) {
    const created = await createInvitations(node, countOf(count), message ?? '')
    // Only here, `id` is the token itself.
    return { data: created.map(({ token, id: _, ...rest }) => ({ id: token, ...rest })) }
  },
})
