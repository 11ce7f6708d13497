/** Addresses that the name server answers on a platform of several cores. */
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.js'
import { createPlaces, type Places } from '../../../../src/server/platform/dns/places.js'
import { platformUnavailable, type CoreView, type Holder, type Name } from '../../../../src/server/platform/registry/port.js'

const core = (id: string, more: Partial<CoreView>): CoreView => ({
  ...{ id, url: null, ip: null, ipv6: null, cname: null, hosting: null, available: true, state: 'active', identity: null, settings: {}, version: null, added: 0, isLive: true },
  ...more,
})
const all = [
  core('one', { ip: '192.0.2.1', ipv6: '2001:db8::1' }),
  core('two', { ip: '192.0.2.2', isLive: false }),
  core('three', { ip: '192.0.2.3', available: false }),
  core('named', { cname: 'core.example.net' }),
  core('pending', { ip: '192.0.2.9', state: 'pending' }),
]

function placesOf(cores: CoreView[], holders: Record<string, string> = {}, isAway = false): Places {
  const registry = {
    core: 'one',
    isShared: true,
    cores: { list: () => cores, get: (id: string) => cores.find((each) => each.id === id), change: () => Promise.resolve(), watch: () => () => {} },
    peek: () => undefined,
    lookUp: ({ value }: Name): Promise<Holder | undefined> => {
      if (isAway) return Promise.reject(platformUnavailable())
      const home = holders[value]
      return Promise.resolve(home === undefined ? undefined : { core: home, account: value })
    },
  }
  return createPlaces({ registry, config: loadConfig({ flags: { 'dns.publicIp': '192.0.2.1' } }) })
}

describe('the name server of a platform', () => {
  it('answers service names with the cores that accept accounts and are live', () => {
    expect(placesOf(all).service('reg')).toEqual({ a: ['192.0.2.1'], aaaa: ['2001:db8::1'] })
  })
  it('answers service names with all such cores when none is live', () => {
    const down = all.map((each) => ({ ...each, isLive: false }))
    expect(placesOf(down).service('access')).toEqual({ a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] })
  })
  it('answers lsc with all cores in service', () => {
    expect(placesOf(all).service('lsc').a).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3'])
  })
  it('answers with a host name where no core has addresses', () => {
    expect(placesOf([core('named', { cname: 'core.example.net' })]).service('reg')).toEqual({ cname: 'core.example.net' })
  })
  it('answers the id of a core with its address, and lists cores as name servers', () => {
    const places = placesOf(all)
    expect(places.core('two')).toEqual({ a: ['192.0.2.2'] })
    expect(places.core('named')).toEqual({ cname: 'core.example.net' })
    expect(places.core('other')).toBeUndefined()
    expect(places.nameServers()).toEqual(['one', 'two', 'three', 'named'])
  })
  it('answers an account with the core that serves it, also while that core is silent', async () => {
    const places = placesOf(all, { 'ana-lovelace': 'two', 'ben-hopper': 'one' })
    expect(await places.account('ana-lovelace')).toEqual({ a: ['192.0.2.2'] })
    expect(await places.account('ben-hopper')).toEqual({ a: ['192.0.2.1'], aaaa: ['2001:db8::1'] })
    expect(await places.account('nobody-here')).toBeUndefined()
  })
  it('gives no answer for an account that cannot be looked up', async () => {
    await expect(placesOf(all, {}, true).account('ana-lovelace')).rejects.toMatchObject({ id: 'platform-unavailable' })
  })
})
