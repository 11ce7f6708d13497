/** Operator methods for invitations and the application directory, besides the methods of the API. */
import * as z from 'zod'
import { documented } from '../../base/documented.js'
import { AppEntry } from '../../config/appEntry.js'
import { addApp, listApps, removeApp, updateApp } from '../../api/register/appDirectory.js'
import { createInvitations, isOpen, listInvitations, revokeInvitation } from '../../api/register/invitations.js'
import { operatorMethod } from '../operatorMethod.js'

const InvitationView = z.object({
  id: z.string().describe('SHA-256 of the token, hexadecimal.'),
  createdAt: z.number().describe('Time of creation, in milliseconds since 1970.'),
  createdBy: z.string().describe('admin, or settings.'),
  description: z.string().describe('Note of the operator.'),
  consumedAt: z.number().optional().describe('Time of use, in milliseconds since 1970.'),
  consumedBy: z.string().optional().describe('User name of the account that was created.'),
  revokedAt: z.number().optional().describe('Time of the revocation, in milliseconds since 1970.'),
})

const NewInvitation = InvitationView.pick({ id: true, createdAt: true, createdBy: true, description: true }).extend({
  token: z.string().describe('Token for one registration.'),
})

const required = z.boolean().describe('true when registration requires an invitation.')

const AppView = AppEntry.extend({ id: z.string().describe('Id of the app.') })
const App = z.object({ app: AppView.describe('The app.') })
const id = z.string().describe('Id of the app.')

const listInvited = operatorMethod({
  id: 'invitations.list',
  summary: 'Lists the invitations by creation, without revoked ones.',
  input: z.strictObject({}),
  output: () => z.object({ invitations: z.array(InvitationView).describe('The invitations.'), required }),
  fails: [],
  run: async ({ node }) => ({ invitations: await listInvitations(node), required: !isOpen(node) }),
})

const createInvited = operatorMethod({
  id: 'invitations.create',
  summary: 'Creates invitations. Their tokens are only in this result.',
  input: z.strictObject({
    count: z.number().int().min(0).default(1).describe('Number of invitations.'),
    message: z.string().default('').describe('Note of the operator.'),
  }),
  output: () => z.object({ invitations: z.array(NewInvitation).describe('The invitations.'), required }),
  fails: [],
  run: async ({ node }, { count, message }) => ({ invitations: await createInvitations(node, count, message), required: !isOpen(node) }),
})

const revokeInvited = operatorMethod({
  id: 'invitations.revoke',
  summary: 'Revokes an invitation.',
  input: z.strictObject({ invitation: z.string().describe('Id of the invitation, or its start.') }),
  output: () => z.object({ invitation: InvitationView.describe('The invitation.') }),
  fails: ['unknown-resource', 'invalid-operation'],
  run: async ({ node }, { invitation }) => ({ invitation: await revokeInvitation(node, invitation) }),
})

const listDirectory = operatorMethod({
  id: 'apps.list',
  summary: 'Lists the applications of the directory, by id.',
  input: z.strictObject({}),
  output: () => z.object({ apps: z.array(AppView).describe('The applications.') }),
  fails: [],
  run: async ({ node }) => ({ apps: await listApps(node) }),
})

const add = operatorMethod({
  id: 'apps.add',
  summary: 'Adds an application to the directory.',
  input: z.strictObject({ id, app: documented(AppEntry).describe('The application.') }),
  output: () => App,
  fails: ['item-already-exists'],
  run: async ({ node }, input) => ({ app: await addApp(node, input.id, input.app) }),
})

const update = operatorMethod({
  id: 'apps.update',
  summary: 'Changes fields of an application. Copies an entry of the settings into the directory.',
  input: z.strictObject({ id, app: z.record(z.string(), z.unknown()).describe('New values of fields; null removes one.') }),
  output: () => App,
  fails: ['unknown-resource'],
  run: async ({ node }, input) => ({ app: await updateApp(node, input.id, input.app) }),
})

const remove = operatorMethod({
  id: 'apps.remove',
  summary: 'Removes an application from the directory.',
  input: z.strictObject({ id }),
  output: () => z.object({ appDeletion: z.object({ id }).describe('The removed application.') }),
  fails: ['unknown-resource', 'invalid-operation'],
  async run({ node }, input) {
    await removeApp(node, input.id)
    return { appDeletion: { id: input.id } }
  },
})

export const registrationMethods = [listInvited, createInvited, revokeInvited, listDirectory, add, update, remove] as const
