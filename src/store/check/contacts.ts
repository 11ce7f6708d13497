/** Checks the results of contacts with peers. */
import { accountKeys, ORDERED_LENGTH } from '../engine/keys.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** Expects the peer of a contact: `<peer>/<began>`. */
export function expectedContactEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('contacts')
  const { account, rest } = entry
  const [peer = '', began = ''] = rest.split('/')
  const where = `account ${account}, contacts with peer ${peer}`
  const stored = objectIn(textOf(entry))
  if (began.length !== ORDERED_LENGTH || typeof stored?.['ended'] !== 'number' || typeof stored['result'] !== 'string') {
    findings.report(where, 'include an unreadable record')
  }
  const wrong = (text: string | undefined): string | undefined => (text === undefined ? 'belong to a missing peer' : undefined)
  return [{ key: accountKeys.peer(account, Number.parseInt(peer, 36)), where, wrong }]
}
