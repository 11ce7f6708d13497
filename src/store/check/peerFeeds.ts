/** Checks positions in the feeds of peers, and items still to be fetched from them. */
import { accountKeys } from '../engine/keys.js'
import { objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const NUMBER = /^[1-9a-z][0-9a-z]*$/
/** Letter of an item that can be pending, and its id. */
const ITEM = /^[aemps]./

/** Expects the peer with the number in a key. */
const ofPeer = (account: string, number: string, where: string): ExpectedEntry => ({
  key: accountKeys.peer(account, Number.parseInt(number, 36)),
  where,
  wrong: (text) => (text === undefined ? 'belongs to a missing peer' : undefined),
})

/** Expects the peer of a feed position: `<number>`. */
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

/** Expects the peer of an item to fetch: `<number>/<item>`. */
export function expectedPendingFetchEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('owed items')
  const { account, rest } = entry
  const where = `account ${account}, pending item ${rest}`
  const slash = rest.indexOf('/')
  const number = rest.slice(0, slash)
  if (slash < 0 || !NUMBER.test(number) || !ITEM.test(rest.slice(slash + 1)) || textOf(entry) !== '') {
    findings.report(where, 'cannot be read')
    return []
  }
  return [ofPeer(account, number, where)]
}
