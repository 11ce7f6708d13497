/** Contract of registries (src/server/platform/registry/port.ts), as a suite to run on each of them. */
import { describe, expect, it } from 'vitest'
import type { Transaction } from '../../../../src/store/engine/account.js'
import { NamesTaken, takeOnce, type Name, type Registry } from '../../../../src/server/platform/registry/port.js'

export interface Platform {
  registry: Registry
  /** Creates an account that claims the names. */
  make(username: string, more?: Name[]): Promise<void>
  /** Renames an account to `moved`, with the e-mail address new@example.org, in the transaction passed to `work`. */
  change(username: string, work: (t: Transaction) => void): Promise<void>
  /** Advances the clock, in seconds. */
  pass(seconds: number): void
}

const email = (value: string): Name => ({ field: 'email', value })
const userName = (value: string): Name => ({ field: 'username', value })

export function describeRegistry(name: string, platform: () => Platform): void {
  describe(name, () => {
    it('finds the holder of a name', async () => {
      const { registry, make } = platform()
      await make('alice', [email('alice@example.org')])
      expect(await registry.lookUp(userName('alice'))).toEqual({ core: registry.core, account: 'alice', username: 'alice' })
      expect(await registry.lookUp(email('Alice@Example.org'))).toMatchObject({ username: 'alice' })
      expect(await registry.lookUp(email('nobody@example.org'))).toBeUndefined()
    })

    it('assigns a name to exactly one of many concurrent requests', async () => {
      const { make } = platform()
      const asked = Array.from({ length: 50 }, () => make('wanted', [email('wanted@example.org')]))
      const outcomes = await Promise.allSettled(asked)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(NamesTaken)
      }
    })

    it('reports all names in use, and claims none then', async () => {
      const { registry, make } = platform()
      await make('holder', [email('holder@example.org')])
      const names = [userName('newcomer'), email('holder@example.org'), userName('holder')]
      const refused = await registry.transfer({ account: 'newcomer', by: 'creation', take: names }, () => Promise.resolve()).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(NamesTaken)
      expect((refused as NamesTaken).names).toEqual([email('holder@example.org'), userName('holder')])
      expect(await registry.lookUp(userName('newcomer'))).toBeUndefined()
    })

    it('releases names when the work fails', async () => {
      const { registry, make } = platform()
      const failing = registry.transfer({ account: 'failing', by: 'creation', take: [userName('failing')] }, () => Promise.reject(new Error('no')))
      await expect(failing).rejects.toThrow('no')
      await make('failing')
      expect(await registry.lookUp(userName('failing'))).toMatchObject({ username: 'failing' })
    })

    it('transfers a name: released names are free, retired names resolve to the account', async () => {
      const { registry, make, change } = platform()
      await make('mover', [email('old@example.org')])
      const asked = { account: 'mover', take: [userName('moved'), email('new@example.org')], leave: [email('old@example.org')], retire: ['mover'] }
      await registry.transfer(asked, (enter) => change('mover', enter))
      expect(await registry.lookUp(email('old@example.org'))).toBeUndefined()
      expect(await registry.lookUp(email('new@example.org'))).toMatchObject({ username: 'moved' })
      expect(await registry.lookUp(userName('mover'))).toMatchObject({ username: 'moved' })
      await expect(make('mover')).rejects.toBeInstanceOf(NamesTaken)
    })

    it('stores records by family, in the order of their ids', async () => {
      const { records } = platform().registry
      for (const id of ['b', 'a', 'c/d']) await records.change('fruit', id, () => ({ put: { id }, result: undefined }))
      await records.change('fruits', 'other', () => ({ put: 1, result: undefined }))
      expect(await records.list('fruit')).toEqual(['a', 'b', 'c/d'].map((id) => ({ id, value: { id } })))
      expect(await records.get('fruit', 'c/d')).toEqual({ id: 'c/d' })
      await records.change('fruit', 'b', () => ({ put: null, result: undefined }))
      expect(await records.get('fruit', 'b')).toBeUndefined()
    })

    it('runs concurrent changes of a record one after another', async () => {
      const { records } = platform().registry
      const step = (now: unknown): { put: number; result: number } => ({ put: Number(now ?? 0) + 1, result: Number(now ?? 0) })
      const seen = await Promise.all(Array.from({ length: 50 }, () => records.change('counter', 'n', step)))
      expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at))
    })

    it('changes nothing when a change throws', async () => {
      const { records } = platform().registry
      await records.change('once', 'kept', () => ({ put: 'here', result: undefined }))
      const thrown = records.change('once', 'kept', () => {
        throw new Error('no')
      })
      await expect(thrown).rejects.toThrow('no')
      expect(await records.get('once', 'kept')).toBe('here')
    })

    it('returns a single-use record to exactly one caller', async () => {
      const { records } = platform().registry
      await records.change('once', 'ticket', () => ({ put: 'prize', result: undefined }))
      const granted = await Promise.all(Array.from({ length: 50 }, () => takeOnce(records, 'once', 'ticket')))
      expect(granted.filter((value) => value === 'prize')).toHaveLength(1)
    })

    it('removes expired records', async () => {
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
    })

    it('notifies watchers of changes of a family', async () => {
      const { records } = platform().registry
      const notified: string[] = []
      const stop = records.watch('app', (id) => void notified.push(id))
      await records.change('app', 'a', () => ({ put: 1, result: undefined }))
      await records.change('mail-template', 'b', () => ({ put: 1, result: undefined }))
      await records.change('app', 'a', () => ({ put: null, result: undefined }))
      stop()
      await records.change('app', 'c', () => ({ put: 1, result: undefined }))
      expect(notified).toEqual(['a', 'a'])
    })

    it('grants an id to the first of many claims, until it expires', async () => {
      const { registry, pass } = platform()
      const { records } = registry
      const expires = 1e9 + 60
      const granted = await Promise.all(Array.from({ length: 50 }, () => records.claim('mark', 'one', expires)))
      expect(granted.filter(Boolean)).toHaveLength(1)
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
