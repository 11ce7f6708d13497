import { describe, expect, it } from 'vitest'
import { isOlder } from '../../../../../src/cli/commands/node/shared/versionOrder.js'

describe('the order of versions', () => {
  it.each([
    ['0.1.0', '0.2.0'],
    ['0.9.9', '0.10.0'],
    ['1.2.3', '2.0.0'],
    ['0.1.0', '0.1.1'],
    ['v20.18.9', '20.19'],
    ['v16.20.2', '>=20.19'],
    ['1.0.0-rc.1', '1.0.0'],
    ['1.0.0-rc.2', '1.0.0-rc.10'],
    ['1', '1.0.1'],
  ])('%s precedes %s', (earlier, later) => expect([isOlder(earlier, later), isOlder(later, earlier)]).toEqual([true, false]))

  it.each([
    ['1.0.0', '1.0.0'],
    ['v20.19.0', '20.19'],
    ['1.0.0-rc.1', '1.0.0-rc.1'],
  ])('%s equals %s', (one, other) => expect([isOlder(one, other), isOlder(other, one)]).toEqual([false, false]))
})
