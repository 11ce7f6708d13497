/** Tests of `coffer platform check` on a core of a platform; the comparison with the registry is given. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writePlatformKey } from '../../../../src/server/platform/joining/platformKey.js'
import { platformUnavailable, type NamesReport, type Registry } from '../../../../src/server/platform/registry/port.js'
import { Secret } from '../../../../src/store/model/secret.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

const EQUAL: NamesReport = { accounts: 1, names: 2, missing: 0, conflicts: [], absent: [], lacksCore: false }

let home: TestHome
let node: TestNode
let report: NamesReport
/** Arguments of the comparisons. */
let repairs: boolean[]

beforeAll(async () => {
  home = await testHome('ana-lovelace')
  node = await startTestNode({ 'core.id': 'core-a' }, { home: home.home })
  await writePlatformKey(node.node.store, { platform: 'p1234567', key: new Secret<Uint8Array>(Buffer.alloc(32, 7)) })
})
afterAll(async () => {
  await node.stop()
  await home.remove()
})
beforeEach(() => {
  report = EQUAL
  repairs = []
})

describe('coffer platform check', () => {
  it('compares no registry on a node that is the only core, and repairs none', async () => {
    expect(await home.json('platform check')).not.toHaveProperty('registry')
    const { code, err } = await home.run('platform check --repair')
    expect([code, err]).toEqual([1, expect.stringContaining('coffer store repair') as string])
  })

  describe('on one of several cores', () => {
    beforeAll(() => {
      const platform: Partial<Registry['platform']> = {
        id: 'p1234567',
        compareNames(repair: boolean) {
          repairs.push(repair)
          return Promise.resolve(report)
        },
      }
      Object.assign(node.node.registry, { isShared: true, platform })
    })

    it('reports that nothing differs', async () => {
      expect(await home.json('platform check')).toMatchObject({ registry: { platform: 'p1234567', core: 'core-a', accounts: 1, missing: 0, lacksCore: false, repaired: false, conflicts: [], absent: [] } })
      const { code, err } = await home.run('platform check')
      expect([code, err]).toEqual([0, expect.stringContaining('The registry matches 1 account of core core-a') as string])
      expect(repairs.filter(Boolean)).toEqual([])
    })

    it('exits with 13 when names are missing, and names the command that claims them', async () => {
      report = { ...EQUAL, missing: 4, lacksCore: true }
      const { code, out, err } = await home.run('platform check')
      expect([code, out]).toEqual([13, 'Core core-a is missing in the registry\n4 entries missing in the registry\n'])
      expect(err).toContain('coffer platform check --repair')
    })

    it('--repair claims them, and exits with 0', async () => {
      report = { ...EQUAL, missing: 4, lacksCore: true }
      const { code, out, err } = await home.run('platform check --repair')
      expect([code, out]).toEqual([0, 'Core core-a was missing in the registry, and is back\n4 missing entries claimed in the registry\n'])
      expect(err).toContain('The registry matches')
      expect(repairs.filter(Boolean)).toEqual([true])
    })

    it('--repair exits with 3 when conflicts and absent accounts remain, and lists them', async () => {
      report = { ...EQUAL, conflicts: [{ username: 'ana-lovelace', name: { field: 'username', value: 'ana-lovelace' } }, { username: 'ana-lovelace', name: { field: 'id', value: 'x1' } }], absent: ['gone'] }
      const { code, out, err } = await home.run('platform check --repair')
      expect([code, out.split('\n')]).toEqual([
        3,
        ['Account ana-lovelace: username ana-lovelace belongs to another account in the registry', 'Account ana-lovelace is on another core in the registry', 'Account gone is on this core in the registry, which does not have it', ''],
      ])
      expect(err).toContain('coffer users rename ana-lovelace new-name')
      expect((await home.run('platform check')).code).toBe(13)
    })

    it('exits with 69 when etcd does not answer', async () => {
      const { platform } = node.node.registry
      Object.assign(platform ?? {}, { compareNames: () => Promise.reject(platformUnavailable()) })
      expect((await home.run('platform check --repair')).code).toBe(69)
    })
  })
})
