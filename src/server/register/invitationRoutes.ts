import * as z from 'zod'
import { Failure } from '../../store/model/failure.js'
import { checkInput } from '../../store/model/validation.js'
import { documented } from '../documented.js'
import { platformMethod } from '../method.js'
import { createInvitations, isInvited, listInvitations } from './invitations.js'

const WithToken = z.object({ invitationtoken: z.string() })

/** Whatever is sent, this tells whether one may register with it (accounts supplement 10). */
export const checkInvitation = platformMethod({
  id: 'reg.checkInvitation',
  summary: 'Tells whether an invitation token lets its holder register.',
  http: {
    verb: 'POST',
    path: '/access/invitationtoken/check',
    aliases: ['/reg/access/invitationtoken/check', '/reg/invitationtoken/check'],
  },
  input: documented(WithToken),
  output: z.object({ text: z.enum(['true', 'false']) }),
  plain: true,
  fails: [],
  async run({ node }, body) {
    const given = checkInput(WithToken, body)
    return { text: String(await isInvited(node, given.success ? given.data.invitationtoken : undefined)) }
  },
})

const Invitation = z.object({
  id: z.string(),
  createdAt: z.number(),
  createdBy: z.string(),
  description: z.string(),
  consumedAt: z.number().optional(),
  consumedBy: z.string().optional(),
})

/** Accounts supplement 10.1. */
export const getInvitations = platformMethod({
  id: 'invitations.get',
  summary: 'Lists the invitations, never with a token that can be used.',
  http: { verb: 'GET', path: '/reg/admin/invitations', aliases: ['/admin/invitations'] },
  input: z.unknown(),
  output: z.object({ invitations: z.array(Invitation) }),
  admin: true,
  fails: ['unknown-resource'],
  run: async ({ node }) => ({ invitations: await listInvitations(node) }),
})

const MOST_AT_ONCE = 1000

/** What is no number counts as one (accounts supplement 10.1). */
function countOf(given: string | undefined): number {
  const count = Number(given === undefined || given.trim() === '' ? 1 : given)
  if (Number.isNaN(count)) return 1
  if (Number.isInteger(count) && count >= 1 && count <= MOST_AT_ONCE) return count
  throw new Failure('invalid-parameters-format', `count is a whole number from 1 to ${MOST_AT_ONCE}.`)
}

/** Accounts supplement 10.1. */
export const postInvitations = platformMethod({
  id: 'invitations.post',
  summary: 'Makes invitations; their tokens are shown this once.',
  http: { verb: 'GET', path: '/reg/admin/invitations/post', aliases: ['/admin/invitations/post'] },
  input: z.object({ count: z.string().optional(), message: z.string().max(1000).optional() }),
  output: z.object({ data: z.array(Invitation) }),
  admin: true,
  fails: ['unknown-resource', 'invalid-parameters-format'],
  async run({ node }, { count, message }) {
    const made = await createInvitations(node, countOf(count), message ?? '')
    // Here alone `id` is the token itself.
    return { data: made.map(({ token, id: _, ...rest }) => ({ id: token, ...rest })) }
  },
})
