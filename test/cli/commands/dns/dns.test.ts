/** Tests of `coffer dns`, which manages names below the domain, and of the name server. */
import { Resolver } from 'node:dns/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { domainFindings } from '../../../../src/cli/commands/node/doctor/domain.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

describe.each(['without a node', 'with a running node'])('coffer dns, %s', (where) => {
  let home: TestHome
  let node: TestNode | undefined
  beforeAll(async () => {
    home = await testHome()
    await home.json(['config', 'set', 'dns.records.root', '{ mx = [{ exchange = "mail.example.net", priority = 5 }] }'])
    await home.json(['config', 'set', 'dns.staticEntries', '{ fixed = { a = ["192.0.2.1"] } }'])
    if (where !== 'without a node') node = await startTestNode({}, { home: home.home })
  })
  afterAll(async () => {
    await node?.stop()
    await home.remove()
  })

  it('sets, lists and removes records', async () => {
    const { code, out, err } = await home.run('dns set www --a 192.0.2.9 --a 192.0.2.10 --txt hello')
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('✔ Records of www set.')
    expect(await home.json('dns set photos --cname photos.example.net')).toEqual({
      name: { subdomain: 'photos', records: { cname: 'photos.example.net' }, from: 'set' },
    })
    const rows = (await home.run('dns list')).out.trimEnd().split('\n')
    expect(rows).toEqual([
      '@\tMX\tmail.example.net 5\tsettings',
      'fixed\tA\t192.0.2.1\tsettings',
      'photos\tCNAME\tphotos.example.net\tset',
      'www\tA\t192.0.2.9\tset',
      'www\tA\t192.0.2.10\tset',
      'www\tTXT\thello\tset',
    ])
    expect((await home.run('dns list')).err).toContain('config set dns.active true')
    expect(await home.json('dns unset www')).toEqual({ nameDeletion: { subdomain: 'www' } })
    expect((await home.run('dns unset photos -q')).out).toBe('photos\n')
    expect(await home.json('dns list')).toMatchObject({ active: false, domain: null, names: [{ subdomain: 'fixed' }] })
  })

  it.each([
    ['dns set www', 2, '--a, --aaaa, --txt or --cname'],
    ['dns set', 2, '<name> is missing'],
    ['dns set www --a example.org', 1, 'a.0: Invalid IPv4 address'],
    ['dns set www --cname example.net --a 192.0.2.1', 1, 'has no other records'],
    ['dns set a..b --a 192.0.2.1', 1, 'one or more labels'],
    ['dns set reg --a 192.0.2.1', 1, 'reserved for the nodes'],
    ['dns set fixed --a 192.0.2.1', 1, 'dns.staticEntries. Change it there'],
    ['dns unset fixed', 1, 'Remove it there'],
    ['dns unset www', 5, '"www" has no records'],
  ])('refuses %s', async (line, exit, says) => {
    const { code, out, err } = await home.run(line)
    expect([code, out]).toEqual([exit, ''])
    expect(err).toContain(says)
  })
})

describe('a name server', () => {
  const setOptions = (settings: Record<string, string>): string[] => Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  const complete = { 'dns.active': 'true', 'dns.domain': 'example.org', 'dnsLess.isActive': 'false', 'dns.publicIp': '192.0.2.1', 'dns.ip': '127.0.0.1' }
  let home: TestHome
  beforeAll(async () => {
    home = await testHome()
  })
  afterAll(() => home.remove())

  it.each<[keyof typeof complete]>([['dns.domain'], ['dnsLess.isActive'], ['dns.publicIp']])('does not start without %s, which the error names', async (key) => {
    const { [key]: _, ...rest } = complete
    const { code, err } = await home.run(['start', ...setOptions(rest)])
    expect([code, err]).toEqual([2, expect.stringContaining(`dns.active = true needs ${key}`) as string])
  })

  it('is checked by doctor: it must answer, and other resolvers must query it', async () => {
    const node = await startTestNode({ ...complete, 'dns.active': true, 'dnsLess.isActive': false, 'dns.port': 0 })
    try {
      const own = new Resolver({ timeout: 1000, tries: 1 })
      own.setServers([`127.0.0.1:${node.namesPort}`])
      const { config } = node.node
      const context = { commandFor: (...words: string[]) => words.join(' ') }
      expect(await domainFindings({ own, deps: own }, config, context)).toMatchObject([{ state: 'fine' }, { state: 'fine', says: 'other resolvers find core.example.org at 192.0.2.1' }])
      const elsewhere = { resolve4: () => Promise.resolve(['192.0.2.77']), resolve6: () => Promise.resolve([]), resolveSoa: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })) } as unknown as Resolver
      expect(await domainFindings({ own, deps: elsewhere }, config, context)).toMatchObject([
        { state: 'fine' },
        { state: 'warning', says: 'other resolvers find core.example.org at 192.0.2.77, and not at 192.0.2.1', next: expect.stringContaining('name core.example.org as its name server') as string },
      ])
      const unknown = { ...elsewhere, resolve4: () => elsewhere.resolveSoa('') } as unknown as Resolver
      expect((await domainFindings({ own, deps: unknown }, config, context))[1]).toMatchObject({ state: 'warning', next: expect.stringContaining('port 53 there must lead to port 0') as string })
      expect(await domainFindings({ own: elsewhere, deps: own }, config, context)).toMatchObject([{ state: 'fault', next: 'logs --level warn' }])
      expect((await home.run('doctor domain')).out).toContain('dns.active is not set')
    } finally {
      await node.stop()
    }
  })

  it('of a domain with other name servers is checked by doctor with their names', async () => {
    const root = { ns: ['NS2.example.net.', 'ns1.example.net'] }
    const node = await startTestNode({ ...complete, 'dns.active': true, 'dnsLess.isActive': false, 'dns.port': 0, 'dns.records.root': root })
    try {
      const own = new Resolver({ timeout: 1000, tries: 1 })
      own.setServers([`127.0.0.1:${node.namesPort}`])
      const { config } = node.node
      const finding = async (resolveNs: () => Promise<string[]>): Promise<unknown> => {
        const unexpected = (): Promise<never> => Promise.reject(new Error('unexpected query'))
        const findings = await domainFindings({ own, deps: { resolve4: unexpected, resolve6: unexpected, resolveNs } as unknown as Resolver }, config, { commandFor: String })
        return findings[1]
      }
      expect(await domainFindings({ own, deps: own }, config, { commandFor: String })).toMatchObject([{ state: 'fine' }, { state: 'fine' }])
      expect(await finding(() => Promise.resolve(['ns1.example.net', 'ns2.example.net']))).toMatchObject({ state: 'fine', says: 'other resolvers find the name servers of example.org: ns1.example.net, ns2.example.net' })
      expect(await finding(() => Promise.resolve(['ns1.example.net']))).toMatchObject({ state: 'warning', next: expect.stringContaining('name ns1.example.net, ns2.example.net as its name servers') as string })
      expect(await finding(() => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })))).toMatchObject({ state: 'warning', says: 'other resolvers find no name servers of example.org: ENOTFOUND' })
    } finally {
      await node.stop()
    }
  })

  it('that cannot listen suggests a fix', async () => {
    const other = await startTestNode({ ...complete, 'dns.active': true, 'dnsLess.isActive': false, 'dns.port': 0 })
    try {
      const { code, err } = await home.run(['start', '--port', '0', ...setOptions({ ...complete, 'dns.port': String(other.namesPort) })])
      expect(code).toBe(1)
      expect(err).toContain(`The name server cannot listen at 127.0.0.1, port ${other.namesPort}: EADDRINUSE.`)
      expect(err).toContain('config set dns.port 5353')
      const elsewhere = await home.run(['start', '--port', '0', ...setOptions({ ...complete, 'dns.ip': '192.0.2.99', 'dns.port': '0' })])
      expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining('Use an address of this machine') as string])
    } finally {
      await other.stop()
    }
  })
})
