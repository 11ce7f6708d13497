/** Operator methods for single sign-on: lists providers and linked identities, and unlinks them. */
import * as z from 'zod'
import { listUsernames, readUser, type Identity } from '../../../store/accounts/users.js'
import { callbackOf, labelOf, ssoProblem, thirdPartiesOf } from '../../api/auth/sso/wiring.js'
import { presentUser, replaceUser } from '../../api/shared/updateUser.js'
import { operatorMethod } from '../operatorMethod.js'
import { operatorRecord } from '../operatorRecord.js'
import { loadedOf, OfAccount } from './loaded.js'

const IdentityView = z.object({
  username: z.string().describe('User name of the account.'),
  provider: z.string().describe('Id of the provider in the settings.'),
  issuer: z.string().describe('Issuer at the time of linking.'),
  subject: z.string().describe('Id of the user at the issuer.'),
  email: z.string().describe('E-mail address that linked the identity.'),
  since: z.number().describe('Time of linking, in seconds since 1970.'),
})

const Identities = z.object({ identities: z.array(IdentityView).describe('The identities.') })

const providers = operatorMethod({
  id: 'sso.providers',
  summary: 'Lists the configured providers of single sign-on.',
  input: z.strictObject({}),
  output: () => z.object({
    enabled: z.boolean().describe('true when single sign-on is enabled.'),
    lacks: z.string().nullable().describe('Reason why sign-in is not possible; null for none.'),
    landing: z.string().nullable().describe('Page that receives users after sign-in; null for none.'),
    providers: z.array(z.object({
      id: z.string().describe('Id in the settings.'),
      label: z.string().describe('Name for users.'),
      issuer: z.string().describe('Issuer.'),
      clientId: z.string().describe('Client id of this node at the provider.'),
      redirectUri: z.string().nullable().describe('Address to register with the provider; null when sign-in is not possible.'),
    })).describe('The providers.'),
  }),
  fails: [],
  run({ node }) {
    const thirdParties = thirdPartiesOf(node)
    const configured = Object.entries(node.config.get('sso.providers'))
    const views = configured.map(([id, provider]) => ({
      id,
      label: labelOf(id, provider),
      issuer: provider.issuer,
      clientId: provider.clientId,
      redirectUri: thirdParties === undefined ? null : callbackOf(thirdParties, id),
    }))
    return { enabled: node.config.get('sso.enabled'), lacks: ssoProblem(node) ?? null, landing: node.config.get('sso.landingPageURL'), providers: views }
  },
})

const list = operatorMethod({
  id: 'sso.list',
  summary: 'Lists linked identities of one account, or of all.',
  input: z.strictObject({ username: OfAccount.username.optional() }),
  output: () => Identities,
  fails: ['unknown-user'],
  async run({ node }, { username: name }) {
    if (name !== undefined) {
      const { user } = await loadedOf(node, { username: name })
      return { identities: identityViews(user.username, user.identities) }
    }
    const names = await listUsernames(node.store.db)
    return { identities: names.flatMap(({ username, account }) => identityViews(username, readUser(node.store.db, account)?.identities)) }
  },
})

const unlink = operatorMethod({
  id: 'sso.unlink',
  summary: 'Unlinks identities of an account; returns those that existed.',
  input: z.strictObject({ ...OfAccount, provider: z.string().optional().describe('Id of the provider; default: all.') }),
  output: () => Identities,
  fails: ['unknown-user'],
  async run({ node }, { username, provider }) {
    const { account } = await loadedOf(node, { username })
    return account.exclusively(async (write) => {
      const user = presentUser(account)
      const isMeant = (identity: Identity): boolean => provider === undefined || identity.provider === provider
      const gone = (user.identities ?? []).filter(isMeant)
      const { identities = [], ...rest } = user
      const left = identities.filter((identity) => !isMeant(identity))
      const after = gone.length === 0 ? user : left.length === 0 ? rest : { ...rest, identities: left }
      const trail = operatorRecord(node, account, 'auth.ssoUnlink')
      await replaceUser(node, write, user, after, (t) => {
        if (gone.length > 0) trail?.stage(t)
      })
      if (trail?.isStaged === true) trail.succeeded()
      return { identities: identityViews(user.username, gone) }
    })
  },
})

export const ssoMethods = [providers, list, unlink] as const

const identityViews = (username: string, identities: readonly Identity[] = []): z.output<typeof IdentityView>[] =>
  identities.map((identity) => ({ username, ...identity }))
