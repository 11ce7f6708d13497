/**
 * The operator's session of the pages: an encrypted cookie that ends after an hour. It holds for the session of the person who
 * entered the operator key, and for that key, so that signing out and a new key end it.
 */
import { isAdminKey } from '../../../auth/adminKey.js'
import { countRecorded } from '../../../auth/rateLimit.js'
import { clientKey } from '../../../base/clientAddress.js'
import { confirm, confirmedUntil } from '../confirmation.js'
import type { ConsoleVisit } from '../consolePage.js'
import { hasOperatorKey, isOnAllowedMachine } from '../operatorRules.js'

const LIFETIME_S = 3600
const FAMILY = 'operatorKeyAttempts'
/** Attempts at the key, by address and by account. */
const ATTEMPTS = [
  { max: 10, seconds: 600 },
  { max: 50, seconds: 86_400 },
]

const keyDigest = ({ node }: ConsoleVisit): string => node.store.seal.digest(`operator key ${node.config.get('auth.adminAccessKey') ?? ''}`)

/**
 * Opens a session if the key is right; returns whether it is.
 * @throws Failure `too-many-attempts`; the key is not checked then
 */
export async function openOperatorSession(visit: ConsoleVisit, key: string): Promise<boolean> {
  const { node, origin, person } = visit
  const client = clientKey(node, origin.ip)
  for (const id of [person.account.prefix, ...(client === undefined ? [] : [client])]) await countRecorded(node, FAMILY, id, ATTEMPTS)
  if (!hasOperatorKey(visit) || !isOnAllowedMachine(visit) || !isAdminKey(node, key)) {
    node.log.warn('the pages of the operator were refused: wrong operator key', { user: person.user.username, ip: origin.ip })
    return false
  }
  confirm(visit, 'operator', LIFETIME_S, keyDigest(visit))
  node.log.info('the pages of the operator were opened', { user: person.user.username, ip: origin.ip })
  return true
}

/** Checks whether the visitor has entered the operator key within the last hour. */
export const isOperator = (visit: ConsoleVisit): boolean =>
  hasOperatorKey(visit) && isOnAllowedMachine(visit) && confirmedUntil(visit, 'operator', keyDigest(visit)) !== undefined

/** Ends the session in this browser. */
export const closeOperatorSession = ({ cookies }: ConsoleVisit): void => cookies.remove('operator')
