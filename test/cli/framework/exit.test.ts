import { expect, it } from 'vitest'
import { CommandError, exitByFailure, exitCodes } from '../../../src/cli/framework/exit.js'
import { failures } from '../../../src/store/model/failure.js'

it('keeps the codes that scripts rely on', () => {
  expect(exitCodes.map(({ code, meaning }) => `${code} ${meaning}`).join(' · ')).toBe(
    '0 ok · 1 failed · 2 wrong usage · 3 partially done · 4 not allowed · 5 not found · 6 conflict · ' +
      '7 node not reachable · 8 not completed in time · 10 no store here · 11 store locked · 12 wrong passphrase · ' +
      '13 damage found · 75 temporary (disk full) · 130 cancelled',
  )
})

it('has a code for every failure, and never that of success', () => {
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

it('names an error by its code', () => expect(new CommandError('x', { exit: 11 }).id).toBe('store-locked'))
