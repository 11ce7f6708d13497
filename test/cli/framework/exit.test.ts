import { expect, it } from 'vitest'
import { CommandError, exitByFailure, exitCodes } from '../../../src/cli/framework/exit.js'
import { failures } from '../../../src/store/model/failure.js'

it('exit codes are stable', () => {
  expect(exitCodes.map(({ code, meaning }) => `${code} ${meaning}`).join(' · ')).toBe(
    '0 ok · 1 failed · 2 wrong usage · 3 partially done · 4 not allowed · 5 not found · 6 conflict · ' +
      '7 node not reachable · 8 not completed in time · 10 no store here · 11 store locked · 12 wrong passphrase · ' +
      '13 damage found · 69 registry of the platform not reachable · 75 temporary (disk full) · 130 cancelled',
  )
})

it('every failure has a nonzero exit code', () => {
  expect(Object.keys(exitByFailure).sort()).toEqual(Object.keys(failures).sort())
  expect(Object.values(exitByFailure)).not.toContain(0)
})

it.each([
  ['forbidden', 4],
  ['invalid-access-token', 4],
  ['invalid-credentials', 4],
  ['unknown-resource', 5],
  ['unknown-user', 5],
  ['item-already-exists', 6],
  ['stale-resource', 6],
  ['storage-full', 75],
  ['corrupted-data', 13],
] as const)('%s exits %i', (id, exit) => expect(exitByFailure[id]).toBe(exit))

it('an error gets its id from its exit code', () => expect(new CommandError('x', { exit: 11 }).id).toBe('store-locked'))
