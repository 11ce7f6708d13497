/** Changes of a share that a node accepts without confirmation: those that share no more of its own data. */
import { expect, it } from 'vitest'
import { acceptScope, type Direction, type Scope } from '../../../src/store/replication/peers.js'

const share = (direction: Direction, streams: string[], grantor: 'us' | 'them'): Scope => ({ is: 'share', streams, direction, grantor })

it.each([
  ['more of what they send', 'receive', ['a'], 'send', ['a', 'b'], true],
  ['less of what both write', 'both', ['a', 'b'], 'both', ['a'], true],
  ['receiving only', 'both', ['a'], 'send', ['a', 'b'], true],
  ['more of what both write', 'both', ['a'], 'both', ['a', 'b'], false],
  ['sending received streams', 'receive', ['a'], 'both', ['a'], false],
] as const)('%s', (_, mine, before, theirs, streams, isAccepted) => {
  const scope = acceptScope(share(mine, [...before], 'them'), share(theirs, [...streams], 'us'))
  expect(scope !== undefined).toBe(isAccepted)
  if (scope?.is === 'share') expect([scope.streams, scope.grantor]).toEqual([streams, 'them'])
})

it('accepts changes of the granting side alone, and none from or to a mirror', () => {
  expect(acceptScope(share('send', ['a'], 'us'), share('receive', ['b'], 'them'))).toBeUndefined()
  expect(acceptScope({ is: 'mirror' }, share('send', ['b'], 'us'))).toBeUndefined()
  expect(acceptScope(share('receive', ['a'], 'them'), { is: 'mirror' })).toBeUndefined()
})
