/** Operator methods for single sign-on: lists providers and linked identities, and unlinks them. */
import { listUsernames, readUser, type Identity } from '../../../store/accounts/users.js'
import { callbackOf, labelOf, lackOfThirdParties, thirdPartiesOf } from '../../auth/sso/wiring.js'
import { presentUser, replaceUser } from '../../updateUser.js'
import type { NodeMethod } from '../control.js'
import { operatorRecord } from '../operatorRecord.js'
import { loadedOf } from './loaded.js'

export const ssoMethods: Readonly<Record<string, NodeMethod>> = {
  /** `lacks`: the reason why sign-in is not possible, or null. `redirectUri`: the address to register with the provider. */
  'sso.providers'(node) {
    const thirdParties = thirdPartiesOf(node)
    const configured = Object.entries(node.config.get('sso.providers'))
    const providers = configured.map(([id, provider]) => ({
      id,
      label: labelOf(id, provider),
      issuer: provider.issuer,
      clientId: provider.clientId,
      redirectUri: thirdParties === undefined ? null : callbackOf(thirdParties, id),
    }))
    return { enabled: node.config.get('sso.enabled'), lacks: lackOfThirdParties(node) ?? null, landing: node.config.get('sso.landingPageURL'), providers }
  },
  /** Lists identities of one account by `username`, or of all. */
  async 'sso.list'(node, params) {
    if (params['username'] !== undefined) {
      const { user } = await loadedOf(node, params)
      return { identities: identityViews(user.username, user.identities) }
    }
    const names = await listUsernames(node.store.db)
    return { identities: names.flatMap(({ username, account }) => identityViews(username, readUser(node.store.db, account)?.identities)) }
  },
  /** Unlinks the identities of `provider`, or all of the account; returns those that existed. */
  async 'sso.unlink'(node, params) {
    const { account } = await loadedOf(node, params)
    const { provider } = params
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
}

const identityViews = (username: string, identities: readonly Identity[] = []): object[] => identities.map((identity) => ({ username, ...identity }))
