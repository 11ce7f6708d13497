/** Problems with feed positions of peers and with pending fetches that a check of a store reports. */
import { expect, it } from 'vitest'
import { expectedPendingFetchEntries, expectedPeerPositionEntries } from '../../../src/store/check/replication.js'
import { createFindings } from '../../../src/store/check/findings.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import type { CheckContext, ExpectedEntry, Entry } from '../../../src/store/check/crossReference.js'

function problemsIn(read: (context: CheckContext, entry: Entry) => ExpectedEntry[], rest: string, text: string): unknown[] {
  const findings = createFindings(9)
  const expectedEntries = read({ findings } as CheckContext, { account: '3', rest, bytes: Buffer.from(text) })
  const problems = findings.problems.map(({ what }) => what)
  return [...problems, ...expectedEntries.map(({ key, wrong }) => [key, wrong(undefined)])]
}

const peer = [accountKeys.peer('3', 11), 'belongs to a missing peer']

it.each([
  [expectedPeerPositionEntries, 'b', '{"epoch":"x","sequence":5}', [peer]],
  [expectedPeerPositionEntries, 'b', '{"epoch":"x"}', ['cannot be read']],
  [expectedPeerPositionEntries, 'b', 'x', ['cannot be read']],
  [expectedPeerPositionEntries, 'b/c', '{"epoch":"x","sequence":5}', ['cannot be read']],
  [expectedPendingFetchEntries, 'b/ex', '', [peer]],
  [expectedPendingFetchEntries, 'b/ex', '1', ['cannot be read']],
  [expectedPendingFetchEntries, 'b/qx', '', ['cannot be read']],
  [expectedPendingFetchEntries, 'ex', '', ['cannot be read']],
])('%o %s %s', (read, rest, text, expected) => {
  expect(problemsIn(read, rest, text)).toEqual(expected)
})
