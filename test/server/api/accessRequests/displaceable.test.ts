import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDisplaceable } from '../../../../src/server/api/accessRequests/displaceable.js'

type Step = { is: 'add' | 'delete' | 'next'; key: number; client: string }

const step: fc.Arbitrary<Step> = fc.record({
  is: fc.constantFrom('add', 'add', 'delete', 'next'),
  key: fc.nat(30),
  client: fc.constantFrom('a', 'b', 'c', 'd'),
})

it('returns the oldest key of a client with the most keys, preferably of the requesting client', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const displaceable = createDisplaceable()
      const naive: { key: string; client: string }[] = []
      for (const { is, key, client } of steps) {
        const name = `${client}${key}`
        if (is === 'add') {
          displaceable.add(name, client)
          if (!naive.some((one) => one.key === name)) naive.push({ key: name, client })
        } else if (is === 'delete') {
          displaceable.delete(name, client)
          const at = naive.findIndex((one) => one.key === name)
          if (at >= 0) naive.splice(at, 1)
        } else {
          const found = displaceable.nextFor(client)
          const sizeOf = (of: string): number => naive.filter((one) => one.client === of).length
          const most = Math.max(0, ...['a', 'b', 'c', 'd'].map(sizeOf))
          const owner = naive.find((one) => one.key === found)?.client
          expect(found === undefined).toBe(naive.length === 0)
          if (owner === undefined) continue
          expect(sizeOf(owner)).toBe(most)
          if (sizeOf(client) === most) expect(owner).toBe(client)
          expect(naive.find((one) => one.client === owner)?.key).toBe(found)
        }
      }
    }),
  )
})
