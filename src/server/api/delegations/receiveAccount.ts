import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { delegates } from '../../../store/accesses/delegations.js'
import { Failure } from '../../../store/model/failure.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import { hashPassword, assertPasswordStrength } from '../../auth/password.js'
import { otherCore } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { uniqueNames } from '../register/createUser.js'
import { erase } from '../register/deleteUser.js'
import { readRegistration } from '../register/input.js'
import { claiming } from '../shared/names.js'
import { fillUser } from '../register/newAccount.js'
import { isReservedUsername } from '../register/reserved.js'
import { IdentityShape, ownSlug, RelationId } from './identity.js'
import { provideManaged } from './managedAccess.js'
import { Endpoint } from '../../base/endpointParts.js'
import type { DelegationDeps } from './delivery.js'

/** App id of the registration of new accounts. */
const APP_ID = 'delegation'

const Create = z.object({
  action: z.literal('create').default('create').describe('create: create the account.'),
  relId: RelationId.describe('Id of the delegation.'),
  username: z.string().describe('User name of the new account.'),
  email: z.string().nullish().describe('E-mail address of the new account.'),
  password: z.string().nullish().describe('Password of the new account; default: a random one that is not disclosed.'),
  language: z.string().nullish().describe('Language of the new account, such as en.'),
  delegate: IdentityShape.describe('The account that will act for it.'),
  notifyApiEndpoint: Endpoint.describe('Where the delegate is notified when the delegation ends.'),
})

/** Reverts a `create` whose answer was lost. */
const Cancel = z.object({
  action: z.literal('cancel').describe('cancel: erase the account of a create whose answer was lost.'),
  relId: RelationId.describe('Id of the delegation.'),
  username: z.string().describe('User name of the account to erase.'),
})

/**
 * Creates an account at the request of a delegate's core, in the state after an accepted invite. One transaction, without
 * invitation, e-mail verification or welcome mail. See docs/interface/delegations.md#creating-an-account.
 */
export const receiveAccount = platformMethod({
  id: 'system.delegationCreateAccount',
  summary: 'Creates an account for a delegate of another core.',
  http: { verb: 'POST', path: '/system/delegation/create-account' },
  caller: otherCore,
  requiresSetting: 'delegation.active',
  input: z.union([Create, Cancel]),
  output: () => z.object({
    controlApiEndpoint: z.string().optional().describe('Endpoint for delegations.issueToken, with its token.'),
    relId: z.string().describe('Id of the delegation.'),
    controlledHostSlug: z.string().optional().describe('Host slug of this platform.'),
  }),
  notInBatch: true,
  auditedAs: 'admin',
  fails: ['invalid-parameters-format', 'delegation-username-taken', 'delegation-creation-failed', 'item-already-exists'],
  async run({ node }: PlatformCall<DelegationDeps>, input) {
    if (input.action === 'cancel') {
      await cancelCreation(node, input)
      return { relId: input.relId }
    }
    const controlApiEndpoint = await createRequested(node, input)
    return { controlApiEndpoint, relId: input.relId, controlledHostSlug: ownSlug(node) }
  },
})

/** Creates the account; returns the endpoint that issues tokens. */
async function createRequested(node: Context, input: z.output<typeof Create>): Promise<string> {
  const { relId, username, delegate, notifyApiEndpoint } = input
  // A random password that is not stored anywhere: the account is only reachable through its delegate.
  const password = input.password ?? randomBytes(32).toString('base64url')
  const given = { username, password, appId: APP_ID, email: input.email ?? undefined, language: input.language ?? undefined }
  const registration = readRegistration(given, node.systemStreams, false)
  if (input.password !== undefined && input.password !== null) assertPasswordStrength(node.config, password)
  if (isReservedUsername(node.config, username, node.registry.cores)) throw usernameTaken(username)
  const { seal } = node.store
  try {
    const id = node.newId()
    return await claiming(node, { account: id, by: 'creation', take: uniqueNames(node, registration) }, async (enter) => {
      const passwordHash = await hashPassword(password)
      return node.store.createAccount((t, account) => {
        enter(t)
        const user = fillUser(node, t, account, { id, asked: registration, passwordHash, invitation: undefined, isProved: false })
        const { access, token } = provideManaged(node, t, { kind: 'control', relId, delegate })
        const times = { requestedAt: user.created, activatedAt: user.created }
        delegates.put(t, seal, { relId, delegate, status: 'active', ...times, controlAccessId: access.id, notifyApiEndpoint })
        return apiEndpoint(node, username, token.reveal())
      })
    })
  } catch (error) {
    const values = error instanceof Failure && error.id === 'item-already-exists' ? Object(error.data) as object : {}
    if ('username' in values) throw usernameTaken(username)
    if ('email' in values) throw new Failure('delegation-creation-failed', 'Another account already has this e-mail address.')
    throw error
  }
}

const usernameTaken = (username: string): Failure => new Failure('delegation-username-taken', undefined, { username })

/** Erases the account if it was created for the relationship. */
async function cancelCreation(node: Context & DelegationDeps, { relId, username }: z.output<typeof Cancel>): Promise<void> {
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) return
  const anchor = delegates.find(node.store.db, node.store.seal, loaded.account.prefix, relId)
  if (anchor?.status === 'active') await erase(node, loaded)
}
