/** What contacts with peers came to. */
import { accountKeys, ORDERED_LENGTH } from '../engine/keys.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

/** A contact: `<peer>/<began>`. Its peer is there. */
export function expectedContactEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('contacts')
  const { account, rest } = entry
  const [peer = '', began = ''] = rest.split('/')
  const where = `account ${account}, contacts with peer ${peer}`
  const stored = objectIn(textOf(entry))
  if (began.length !== ORDERED_LENGTH || typeof stored?.['ended'] !== 'number' || typeof stored['result'] !== 'string') {
    findings.report(where, 'hold one that cannot be read')
  }
  const wrong = (text: string | undefined): string | undefined => (text === undefined ? 'are of no peer' : undefined)
  return [{ key: accountKeys.peer(account, Number.parseInt(peer, 36)), where, wrong }]
}
