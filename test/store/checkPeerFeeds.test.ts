/** What a check of a store finds wrong with positions in feeds of peers and with owed items. */
import { expect, it } from 'vitest'
import { owedDemands, peerPositionDemands } from '../../src/store/check/peerFeeds.js'
import { createFindings } from '../../src/store/check/findings.js'
import { accountKeys } from '../../src/store/keys.js'
import type { CheckContext, Demand, Entry } from '../../src/store/check/demand.js'

function found(read: (context: CheckContext, entry: Entry) => Demand[], rest: string, text: string): unknown[] {
  const findings = createFindings(9)
  const demands = read({ findings } as CheckContext, { account: '3', rest, bytes: Buffer.from(text) })
  const problems = findings.problems.map(({ what }) => what)
  return [...problems, ...demands.map(({ key, wrong }) => [key, wrong(undefined)])]
}

const peer = [accountKeys.peer('3', 11), 'is of no peer']

it.each([
  [peerPositionDemands, 'b', '{"epoch":"x","sequence":5}', [peer]],
  [peerPositionDemands, 'b', '{"epoch":"x"}', ['cannot be read']],
  [peerPositionDemands, 'b', 'x', ['cannot be read']],
  [peerPositionDemands, 'b/c', '{"epoch":"x","sequence":5}', ['cannot be read']],
  [owedDemands, 'b/ex', '', [peer]],
  [owedDemands, 'b/ex', '1', ['cannot be read']],
  [owedDemands, 'b/qx', '', ['cannot be read']],
  [owedDemands, 'ex', '', ['cannot be read']],
])('%o %s %s', (read, rest, text, expected) => {
  expect(found(read, rest, text)).toEqual(expected)
})
