/** The end of a grant whose refresh token was shown by two (consent supplement 4.7): whoever the thief is, both lose it. */
import { findAccess } from '../../store/accesses/accesses.js'
import { accessIdOf } from '../../store/model/access.js'
import { Failure } from '../../store/model/failure.js'
import { remove, removeAccess } from '../accesses/delete.js'
import { callToken, withTrail } from '../call.js'
import type { Call, Origin } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'
import { terminalCall } from '../control/terminalCaller.js'
import { recordOf } from './audit.js'
import { accountOf } from './grant.js'
import type { TokenFamily } from './refresh.js'
import { endSessions } from './sessions.js'

/**
 * Ends the consent, as its owner would, of which the client's account is told; and all sessions of the client, with what
 * they have shared. What fails is logged: the answer to whoever showed the token is the same.
 */
export async function revokeTokenFamily(node: Node, origin: Origin, chain: TokenFamily): Promise<void> {
  const { clientId, dataGrantAccessId } = chain
  try {
    const loaded = await accountOf(node, chain)
    if (loaded === undefined) return
    recordOf(node, loaded.account, 'oauth.token.reuse_detected', origin, clientId, dataGrantAccessId)
    await endConsent(node, loaded, dataGrantAccessId)
    await endSessions(node, chain)
    recordOf(node, loaded.account, 'oauth.token.revoked', origin, clientId, dataGrantAccessId)
  } catch (error) {
    node.log.error('a grant whose refresh token came twice could not be revoked', { client: clientId, error: String(error) })
  }
}

/** What the account of the client is told. */
const REASON = {
  en: 'A token of this consent was used twice: somebody else may have it.',
  fr: 'Un jeton de ce consentement a été utilisé deux fois : quelqu’un d’autre l’a peut-être.',
  de: 'Ein Token dieser Einwilligung wurde zweimal benutzt: Jemand anderes hat es vielleicht.',
}

async function endConsent(node: Node, loaded: LoadedAccount, accessId: string): Promise<void> {
  const { account } = loaded
  const found = findAccess(account.db, node.store.seal, account.prefix, accessId)
  if (found === undefined) return
  try {
    const ending = { ...remove, run: (call: Call) => removeAccess(call, accessIdOf(found.access), REASON) }
    await callToken(withTrail(terminalCall(node, loaded), ending), ending, { id: accessIdOf(found.access) })
  } catch (error) {
    // Somebody else has ended it meanwhile.
    if (!(error instanceof Failure) || error.id !== 'unknown-resource') throw error
  }
}
