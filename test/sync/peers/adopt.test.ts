/** Which changes of a share a node follows without asking: those by which no more of its own leaves it. */
import { expect, it } from 'vitest'
import { acceptScope, type Direction, type Scope } from '../../../src/store/replication/peers.js'

const share = (direction: Direction, streams: string[], grantor: 'us' | 'them'): Scope => ({ is: 'share', streams, direction, grantor })

it.each([
  ['more of what they send', 'receive', ['a'], 'send', ['a', 'b'], true],
  ['less of what both write', 'both', ['a', 'b'], 'both', ['a'], true],
  ['only received from now on', 'both', ['a'], 'send', ['a', 'b'], true],
  ['more of what both write', 'both', ['a'], 'both', ['a', 'b'], false],
  ['to give what was received', 'receive', ['a'], 'both', ['a'], false],
] as const)('%s', (_, mine, had, theirs, streams, isFollowed) => {
  const scope = acceptScope(share(mine, [...had], 'them'), share(theirs, [...streams], 'us'))
  expect(scope !== undefined).toBe(isFollowed)
  if (scope?.is === 'share') expect([scope.streams, scope.grantor]).toEqual([streams, 'them'])
})

it('follows only who grants it, and never from or to a mirror', () => {
  expect(acceptScope(share('send', ['a'], 'us'), share('receive', ['b'], 'them'))).toBeUndefined()
  expect(acceptScope({ is: 'mirror' }, share('send', ['b'], 'us'))).toBeUndefined()
  expect(acceptScope(share('receive', ['a'], 'them'), { is: 'mirror' })).toBeUndefined()
})
