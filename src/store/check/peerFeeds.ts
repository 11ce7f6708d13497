/** How far the feeds of peers were taken in, and what they are still asked for. */
import { accountKeys } from '../engine/keys.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const NUMBER = /^[1-9a-z][0-9a-z]*$/
/** The letters of items that may be owed, and an id. */
const ITEM = /^[aemps]./

/** The peer that a family names by its number is there. */
const ofPeer = (account: string, number: string, where: string): ExpectedEntry => ({
  key: accountKeys.peer(account, Number.parseInt(number, 36)),
  where,
  wrong: (text) => (text === undefined ? 'is of no peer' : undefined),
})

/** How far a peer's feed was taken in: `<number>`. */
export function expectedPeerPositionEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('positions of peers')
  const { account, rest } = entry
  const where = `account ${account}, position of peer ${rest}`
  const position = objectIn(textOf(entry))
  const isPosition = typeof position?.['epoch'] === 'string' && Number.isSafeInteger(position['sequence'])
  if (!isPosition || !NUMBER.test(rest)) {
    findings.report(where, 'cannot be read')
    return []
  }
  return [ofPeer(account, rest, where)]
}

/** An item that a peer is asked for: `<number>/<item>`. */
export function expectedPendingFetchEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('owed items')
  const { account, rest } = entry
  const where = `account ${account}, owed item ${rest}`
  const slash = rest.indexOf('/')
  const number = rest.slice(0, slash)
  if (slash < 0 || !NUMBER.test(number) || !ITEM.test(rest.slice(slash + 1)) || textOf(entry) !== '') {
    findings.report(where, 'cannot be read')
    return []
  }
  return [ofPeer(account, number, where)]
}
