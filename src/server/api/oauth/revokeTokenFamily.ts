/** Refresh-token reuse detection (docs/interface/oauth.md#refresh): revokes the whole token family. */
import { findAccess } from '../../../store/accesses/accesses.js'
import { accessIdOf } from '../../../store/model/access.js'
import { Failure } from '../../../store/model/failure.js'
import { remove, removeAccess } from '../accesses/delete.js'
import { callToken, withTrail } from '../../dispatch/call.js'
import type { Call, Origin } from '../../call/method.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import { terminalCall } from '../../dispatch/terminalCaller.js'
import { recordOf } from './audit.js'
import { accountOf } from './grant.js'
import type { TokenFamily } from './refresh.js'
import { endSessions } from './sessions.js'
import type { ConsentDeps } from '../consents/service.js'

/**
 * Ends the consent as its owner would, with notification of the client's account, and all sessions of the client with what they
 * shared. Failures are logged and do not affect the response.
 */
export async function revokeTokenFamily(node: Context & ConsentDeps, origin: Origin, chain: TokenFamily): Promise<void> {
  const { clientId, dataGrantAccessId } = chain
  try {
    const loaded = await accountOf(node, chain)
    if (loaded === undefined) return
    recordOf(node, loaded.account, 'oauth.token.reuse_detected', origin, clientId, dataGrantAccessId)
    await endConsent(node, loaded, dataGrantAccessId)
    await endSessions(node, chain)
    recordOf(node, loaded.account, 'oauth.token.revoked', origin, clientId, dataGrantAccessId)
  } catch (error) {
    node.log.error('failed to revoke a grant after refresh-token reuse', { client: clientId, error: String(error) })
  }
}

/** Reason sent to the client's account. */
const REASON = {
  en: 'A token of this consent was used twice and may have been stolen.',
  fr: 'Un jeton de ce consentement a été utilisé deux fois ; il a peut-être été volé.',
  de: 'Ein Token dieser Einwilligung wurde zweimal verwendet und möglicherweise gestohlen.',
}

async function endConsent(node: Context & ConsentDeps, loaded: LoadedAccount, accessId: string): Promise<void> {
  const { account } = loaded
  const found = findAccess(account.db, node.store.seal, account.prefix, accessId)
  if (found === undefined) return
  try {
    const ending = { ...remove, run: (call: Call<ConsentDeps>) => removeAccess(call, accessIdOf(found.access), REASON) }
    await callToken(withTrail(terminalCall<ConsentDeps>(node, loaded), ending), ending, { id: accessIdOf(found.access) })
  } catch (error) {
    // The consent was already ended by another caller.
    if (!(error instanceof Failure) || error.id !== 'unknown-resource') throw error
  }
}
