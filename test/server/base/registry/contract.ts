/** What every registry promises (src/server/base/registry/port.ts), as a suite to run on each of them. */
import { describe, expect, it } from 'vitest'
import type { Transaction } from '../../../../src/store/engine/account.js'
import { NamesTaken, takeOnce, type Name, type Registry } from '../../../../src/server/base/registry/port.js'

export interface Platform {
  registry: Registry
  /** Makes an account that takes the names; answers its user name. */
  make(username: string, more?: Name[]): Promise<void>
  /** Names an account `moved`, with the e-mail address new@example.org, in the transaction that `work` is given. */
  change(username: string, work: (t: Transaction) => void): Promise<void>
  /** Moves the clock, in seconds. */
  pass(seconds: number): void
}

const email = (value: string): Name => ({ field: 'email', value })
const called = (value: string): Name => ({ field: 'username', value })

export function describeRegistry(name: string, platform: () => Platform): void {
  describe(name, () => {
    it('finds who holds a name', async () => {
      const { registry, make } = platform()
      await make('alice', [email('alice@example.org')])
      expect(await registry.lookUp(called('alice'))).toEqual({ core: registry.core, username: 'alice' })
      expect(await registry.lookUp(email('Alice@Example.org'))).toMatchObject({ username: 'alice' })
      expect(await registry.lookUp(email('nobody@example.org'))).toBeUndefined()
    })

    it('gives a name to exactly one of many that ask at once', async () => {
      const { make } = platform()
      const asked = Array.from({ length: 50 }, () => make('wanted', [email('wanted@example.org')]))
      const outcomes = await Promise.allSettled(asked)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(NamesTaken)
      }
    })

    it('names all that is taken, and takes nothing then', async () => {
      const { registry, make } = platform()
      await make('holder', [email('holder@example.org')])
      const names = [called('newcomer'), email('holder@example.org'), called('holder')]
      const refused = await registry.transfer({ take: names }, () => Promise.resolve()).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(NamesTaken)
      expect((refused as NamesTaken).names).toEqual([email('holder@example.org'), called('holder')])
      expect(await registry.lookUp(called('newcomer'))).toBeUndefined()
    })

    it('lets names go when the work fails', async () => {
      const { registry, make } = platform()
      const failing = registry.transfer({ take: [called('failing')] }, () => Promise.reject(new Error('no')))
      await expect(failing).rejects.toThrow('no')
      await make('failing')
      expect(await registry.lookUp(called('failing'))).toMatchObject({ username: 'failing' })
    })

    it('hands a name over: what is left is free, what is retired leads on', async () => {
      const { registry, make, change } = platform()
      await make('mover', [email('old@example.org')])
      const asked = { take: [called('moved'), email('new@example.org')], leave: [email('old@example.org')], retire: ['mover'] }
      await registry.transfer(asked, (enter) => change('mover', enter))
      expect(await registry.lookUp(email('old@example.org'))).toBeUndefined()
      expect(await registry.lookUp(email('new@example.org'))).toMatchObject({ username: 'moved' })
      expect(await registry.lookUp(called('mover'))).toMatchObject({ username: 'moved' })
      await expect(make('mover')).rejects.toBeInstanceOf(NamesTaken)
    })

    it('keeps records by family, in the order of their ids', async () => {
      const { records } = platform().registry
      for (const id of ['b', 'a', 'c/d']) await records.change('fruit', id, () => ({ put: { id }, result: undefined }))
      await records.change('fruits', 'other', () => ({ put: 1, result: undefined }))
      expect(await records.list('fruit')).toEqual(['a', 'b', 'c/d'].map((id) => ({ id, value: { id } })))
      expect(await records.get('fruit', 'c/d')).toEqual({ id: 'c/d' })
      await records.change('fruit', 'b', () => ({ put: null, result: undefined }))
      expect(await records.get('fruit', 'b')).toBeUndefined()
    })

    it('shows each of many steps what the one before it left', async () => {
      const { records } = platform().registry
      const step = (now: unknown): { put: number; result: number } => ({ put: Number(now ?? 0) + 1, result: Number(now ?? 0) })
      const seen = await Promise.all(Array.from({ length: 50 }, () => records.change('counter', 'n', step)))
      expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at))
    })

    it('changes nothing when a step throws', async () => {
      const { records } = platform().registry
      await records.change('once', 'kept', () => ({ put: 'here', result: undefined }))
      const thrown = records.change('once', 'kept', () => {
        throw new Error('no')
      })
      await expect(thrown).rejects.toThrow('no')
      expect(await records.get('once', 'kept')).toBe('here')
    })

    it('gives what is good for one use to exactly one', async () => {
      const { records } = platform().registry
      await records.change('once', 'ticket', () => ({ put: 'prize', result: undefined }))
      const taken = await Promise.all(Array.from({ length: 50 }, () => takeOnce(records, 'once', 'ticket')))
      expect(taken.filter((value) => value === 'prize')).toHaveLength(1)
    })

    it('forgets what has expired', async () => {
      const { registry, pass } = platform()
      const { records } = registry
      const soon = { put: 'soon over', expires: 0, result: undefined }
      await records.change('code', 'x', () => ({ ...soon, expires: 1e9 + 10 }))
      pass(9)
      expect(await records.get('code', 'x')).toBe('soon over')
      pass(1)
      expect(await records.get('code', 'x')).toBeUndefined()
      expect(await records.list('code')).toEqual([])
      expect(await takeOnce(records, 'code', 'x')).toBeUndefined()
      await registry.sweep()
      pass(-10)
      expect(await records.get('code', 'x')).toBeUndefined()
    })

    it('tells of changes of a family', async () => {
      const { records } = platform().registry
      const told: string[] = []
      const stop = records.watch('watched', (id) => void told.push(id))
      await records.change('watched', 'a', () => ({ put: 1, result: undefined }))
      await records.change('unwatched', 'b', () => ({ put: 1, result: undefined }))
      await records.change('watched', 'a', () => ({ put: null, result: undefined }))
      stop()
      await records.change('watched', 'c', () => ({ put: 1, result: undefined }))
      expect(told).toEqual(['a', 'a'])
    })

    it('gives an id to the first of many who claim it, until it expires', async () => {
      const { registry, pass } = platform()
      const { records } = registry
      const expires = 1e9 + 60
      const taken = await Promise.all(Array.from({ length: 50 }, () => records.claim('mark', 'one', expires)))
      expect(taken.filter(Boolean)).toHaveLength(1)
      expect(await records.claim('mark', 'other', expires)).toBe(true)
      expect(await records.claim('others', 'one', expires)).toBe(true)
      pass(59)
      expect(await records.claim('mark', 'one', expires + 60)).toBe(false)
      pass(1)
      expect(await records.claim('mark', 'one', expires + 60)).toBe(true)
      expect((await records.list('mark')).map(({ id }) => id)).toEqual(['one'])
    })
  })
}
