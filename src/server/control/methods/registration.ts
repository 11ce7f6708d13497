/** Operator methods for invitations and the application directory, besides the methods of the API. */
import type { NodeMethod } from '../control.js'
import { addApp, listApps, removeApp, updateApp } from '../../register/appDirectory.js'
import { createInvitations, isOpen, listInvitations, revokeInvitation } from '../../register/invitations.js'

const textIn = (params: Record<string, unknown>, name: string): string => {
  const value = params[name]
  return typeof value === 'string' ? value : ''
}

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

export const registrationMethods: Readonly<Record<string, NodeMethod>> = {
  async 'invitations.list'(node) {
    return { invitations: await listInvitations(node), required: !isOpen(node) }
  },
  async 'invitations.create'(node, params) {
    const { count } = params
    const made = await createInvitations(node, typeof count === 'number' ? count : 1, textIn(params, 'message'))
    return { invitations: made, required: !isOpen(node) }
  },
  async 'invitations.revoke'(node, params) {
    return { invitation: await revokeInvitation(node, textIn(params, 'invitation')) }
  },
  async 'apps.list'(node) {
    return { apps: await listApps(node) }
  },
  async 'apps.add'(node, params) {
    return { app: await addApp(node, textIn(params, 'id'), objectIn(params['app'])) }
  },
  async 'apps.update'(node, params) {
    return { app: await updateApp(node, textIn(params, 'id'), objectIn(params['app'])) }
  },
  async 'apps.remove'(node, params) {
    const id = textIn(params, 'id')
    await removeApp(node, id)
    return { appDeletion: { id } }
  },
}
