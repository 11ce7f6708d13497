/** Declared and effective places of streams in the store. */
import { describe, expect, it } from 'vitest'
import type { Account } from '../../../src/store/engine/account.js'
import { accountKeys } from '../../../src/store/engine/keys.js'
import { isReservedStream } from '../../../src/store/model/cmc.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { added, repositories } from '../repository.js'
import { declaredStream, writeStreams } from '../../../src/store/streams/effectiveStreams.js'

const stream = (id: string, parentId: string | null, name = id, created = 1): Stream => ({
  id, name, parentId, created, createdBy: 'x', modified: created, modifiedBy: 'x',
})

describe('effective streams of an account', () => {
  const all = repositories()
  const write = (account: Account, ...streams: (Stream | string)[]): Promise<string[]> =>
    account.write((t) => {
      const declared = new Map(streams.map((one) => (typeof one === 'string' ? [one, undefined] : [one.id, one])))
      return [...writeStreams(account, t, declared, 5).keys()].sort()
    })
  /** Returns the streams, which are equal in the tree in memory and in the database. */
  function streamsOf(account: Account): string[] {
    const streams = [...account.tree.all()].filter(({ id }) => !isReservedStream(id))
    for (const one of streams) expect(JSON.parse(all.store.db.get(accountKeys.stream(account.prefix, one.id)) ?? '')).toEqual(one)
    return streams.map(({ id, name, parentId }) => `${parentId ?? ''}/${id}${name === id ? '' : `=${name}`}`).sort()
  }
  const declaredPlaces = async ({ prefix }: Account): Promise<string[]> => {
    const family = accountKeys.allDeclaredPlaces(prefix)
    return [...(await all.keys()).keys()].filter((key) => key.startsWith(family)).map((key) => key.slice(family.length))
  }

  it('are the declared ones while these form a tree', async () => {
    const [account, other] = [await all.account(), await all.account()]
    const before = await all.keys()
    expect(declaredStream(account, 'a')).toBeUndefined()
    expect(await write(account, stream('a', null), stream('b', 'a'))).toEqual(['a', 'b'])
    expect(streamsOf(account)).toEqual(['/a', 'a/b'])
    expect([streamsOf(other), await declaredPlaces(account)]).toEqual([[], []])
    expect(await write(account, stream('b', null))).toEqual(['b'])
    expect(streamsOf(account)).toEqual(['/a', '/b'])
    expect(await write(account, 'a', 'b')).toEqual(['a', 'b'])
    expect(added(before, await all.keys())).toEqual([])
  })

  it.each<[string, (Stream | string)[][], string[], string[], (Stream | string)[], string[]]>([
    ['a missing parent', [[stream('b', 'a')]], ['/b'], ['b'], [stream('a', null)], ['/a', 'a/b']],
    ['a removed parent', [[stream('a', null)], [stream('b', 'a')], ['a']], ['/b'], ['b'], [stream('a', null)], ['/a', 'a/b']],
    ['a cycle', [[stream('a', 'b', 'a', 1), stream('b', 'a', 'b', 2)]], ['/b', 'b/a'], ['b'], [stream('b', null, 'b', 3)], ['/b', 'b/a']],
    ['a name in use', [[stream('a', null, 'X', 1)], [stream('b', null, 'X', 2)]], ['/a=X', '/b=X (2)'], ['b'], ['a'], ['/b=X']],
  ])('are repaired for %s, and as declared once the tree allows it', async (_problem, steps, effective, repaired, next, fitting) => {
    const account = await all.account()
    for (const streams of steps) await write(account, ...streams)
    expect(streamsOf(account)).toEqual(effective)
    expect(await declaredPlaces(account)).toEqual(repaired)
    const [id = ''] = repaired
    const declared = steps.flat().filter((one) => typeof one !== 'string').find((one) => one.id === id)
    expect(declaredStream(account, id)).toEqual(declared)
    expect(all.store.db.get(accountKeys.conflict(account.prefix, `s${id}`))).toBeDefined()
    await write(account, ...next)
    expect(streamsOf(account)).toEqual(fitting)
    expect(await declaredPlaces(account)).toEqual([])
    expect(all.store.db.get(accountKeys.conflict(account.prefix, `s${id}`))).toBeUndefined()
  })

  it('lose their declared place with the stream', async () => {
    const account = await all.account()
    await write(account, stream('b', 'a'))
    expect(await declaredPlaces(account)).toEqual(['b'])
    await write(account, 'b')
    expect([streamsOf(account), await declaredPlaces(account), [...account.mergeState.declaredPlace]]).toEqual([[], [], []])
  })

  it('are unchanged when their transaction fails', async () => {
    const account = await all.account()
    await write(account, stream('a', null))
    const failing = account.write((t) => {
      writeStreams(account, t, new Map([['a', undefined], ['b', stream('b', 'gone')]]), 5)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(streamsOf(account)).toEqual(['/a'])
    expect([...account.mergeState.declaredPlace.keys(), ...account.mergeState.conflicts]).toEqual([])
  })
})
