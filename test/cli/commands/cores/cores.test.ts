/** Tests of the commands of `coffer cores` on a running core of a platform; its registry is in memory. */
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Failure } from '../../../../src/store/model/failure.js'
import { Secret } from '../../../../src/store/model/secret.js'
import { decryptBundle } from '../../../../src/server/platform/joining/bundle.js'
import { createAuthority } from '../../../../src/server/platform/joining/certificates.js'
import { writeAuthority, writePlatformKey } from '../../../../src/server/platform/joining/platformKey.js'
import { listTokens } from '../../../../src/server/platform/joining/tokens.js'
import { coreRecord, fakeRegistry, type FakeRegistry } from '../../../server/platform/joining/support.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

const SETTINGS = {
  'core.id': 'core-a',
  'core.url': 'https://core-a.example.org/',
  'platform.id': 'p1234567',
  'service.serial': 's1',
  'service.home': 'https://example.org/',
  'service.support': 'https://example.org/',
  'service.terms': 'https://example.org/',
}
const CORE_B = { id: 'core-b', url: 'https://core-b.example.org/', ip: null, ipv6: null, hosting: null, available: true, state: 'active', isLive: true, version: '0.1.0', added: 0, userCount: 3 }

let home: TestHome
let node: TestNode
let platform: FakeRegistry
beforeAll(async () => {
  home = await testHome()
  node = await startTestNode(SETTINGS, { home: home.home })
})
afterAll(async () => {
  await node.stop()
  await home.remove()
})
beforeEach(() => {
  platform = fakeRegistry(coreRecord('core-b'))
  platform.accounts.set('core-b', 3)
  Object.assign(node.node.registry, platform.registry)
})

const pathOf = (name: string): string => join(home.home, name)
const add = (more = ''): ReturnType<TestHome['run']> => home.run(`cores add core-c --url https://c.example.org --out ${pathOf('c.bundle')} ${more}`)

describe('coffer cores list and show', () => {
  it('print the cores', async () => {
    expect(await home.json('cores list')).toMatchObject({ cores: [{ id: 'core-a', userCount: 0 }, CORE_B], differingSettings: [] })
    const { code, out } = await home.run('cores list')
    expect([code, out.split('\n')[1]]).toEqual([0, 'core-b\thttps://core-b.example.org/\t—\trunning\tyes\t3'])
    expect((await home.run('cores list -q')).out).toBe('core-a\ncore-b\n')
    expect(await home.json('cores show core-b')).toEqual({ core: CORE_B, tokens: [] })
    expect((await home.run('cores show core-b')).out).toMatch(/^core-b\n {2}Address {7}https:\/\/core-b\.example\.org\/\n/)
  })

  it('name the settings that differ', async () => {
    platform.cores.set('core-a', coreRecord('core-a', { settings: { 'service.name': 'x', 'platform.url': 'u' } }))
    platform.cores.set('core-b', coreRecord('core-b', { settings: { 'service.name': 'y', 'platform.url': 'u' } }))
    platform.cores.set('core-c', coreRecord('core-c', { state: 'pending' }))
    expect(await home.json('cores list')).toMatchObject({ differingSettings: ['service.name'] })
    expect((await home.run('cores list')).err).toContain('These settings differ between the cores: service.name')
  })
})

describe('coffer cores add', () => {
  beforeAll(async () => {
    const { store } = node.node
    await writePlatformKey(store, { platform: 'p1234567', key: new Secret<Uint8Array>(Buffer.alloc(32, 7)) })
    await writeAuthority(store, await createAuthority('p1234567', Date.now()))
  })

  it('refuses on a core without etcd members, and rolls everything back', async () => {
    // No member is configured, so that the bundle is not valid.
    const { code, out } = await add()
    expect([code, out]).toEqual([1, ''])
    expect([platform.cores.has('core-c'), await listTokens(platform.registry.records)]).toEqual([false, []])
    await expect(stat(pathOf('c.bundle'))).rejects.toThrow()
  })

  describe('with etcd', () => {
    beforeAll(() => {
      const { config } = node.node
      const get = config.get.bind(config)
      Object.assign(config, { get: (key: Parameters<typeof get>[0]) => (key === 'platform.etcd' ? ['https://10.0.0.1:2379'] : key === 'service.eventTypes' ? 'https://example.org/types.json' : get(key)) })
    })

    it('writes an encrypted bundle, and prints its passphrase once', async () => {
      const { code, out, err } = await add('--ip 192.0.2.7 --hosting eu --ttl 2h')
      expect([code, out]).toEqual([0, expect.stringMatching(/^([0-9a-z]{5}-){5}[0-9a-z]{5}\n$/) as string])
      expect(err).toContain('✔ Core core-c added.')
      expect(err).toContain('coffer cores join c.bundle')
      expect(err).not.toContain(out.trim())
      expect((await stat(pathOf('c.bundle'))).mode & 0o777).toBe(0o600)
      const bundle = await decryptBundle(await readFile(pathOf('c.bundle'), 'utf8'), new Secret(out))
      expect(bundle).toMatchObject({
        version: 4,
        cluster: { ackUrl: 'https://core-a.example.org/system/admin/cores/ack' },
        node: { id: 'core-c', url: 'https://c.example.org/', ip: '192.0.2.7', hosting: 'eu' },
        platformSecrets: { platform: { id: 'p1234567', key: Buffer.alloc(32, 7).toString('base64url') } },
        etcd: { endpoints: ['https://10.0.0.1:2379'] },
        settings: { 'service.serial': 's1' },
      })
      expect(platform.cores.get('core-c')).toMatchObject({ state: 'pending', available: false, hosting: 'eu' })
      const { tokens } = (await home.json('cores tokens')) as { tokens: { issuedAt: number; expiresAt: number }[] }
      expect(tokens).toMatchObject([{ core: 'core-c', state: 'open', consumedAt: null }])
      expect((tokens[0]?.expiresAt ?? 0) - (tokens[0]?.issuedAt ?? 0)).toBe(7200)
    })

    it('answers JSON to scripts, and writes the passphrase to a file', async () => {
      const { code, out } = await add(`--passphrase-to ${pathOf('c.pass')} --json`)
      expect([code, JSON.parse(out)]).toMatchObject([0, { core: { id: 'core-c', url: 'https://c.example.org/' }, bundle: pathOf('c.bundle'), passphraseTo: pathOf('c.pass') }])
      expect(out).not.toContain('"passphrase"')
      const passphrase = await readFile(pathOf('c.pass'), 'utf8')
      expect((await decryptBundle(await readFile(pathOf('c.bundle'), 'utf8'), new Secret(passphrase))).node.id).toBe('core-c')
    })

    it('replaces the bundle of a core that has not joined', async () => {
      await add()
      const before = platform.cores.get('core-c')
      expect((await add()).code).toBe(0)
      expect(await listTokens(platform.registry.records)).toHaveLength(1)
      platform.failCores(new Failure('platform-unavailable'))
      expect((await add()).code).toBe(69)
      platform.failCores(undefined)
      expect(platform.cores.get('core-c')).toMatchObject({ ...before, added: expect.any(Number) as number })
    })

    it('refuses a core that has joined', async () => {
      const { code, err } = await home.run(`cores add core-b --url https://b.example.org --out ${pathOf('b.bundle')}`)
      expect(code).toBe(6)
      expect(err).toContain('The platform has a core "core-b" already.')
      expect(platform.cores.get('core-b')).toMatchObject({ state: 'active' })
    })

    it('adds nothing when the bundle cannot be written', async () => {
      const { code } = await home.run('cores add core-c --url https://c.example.org --out /nowhere/c.bundle')
      expect([code, platform.cores.has('core-c')]).toEqual([1, false])
    })
  })

  it.each([
    ['cores add', '<id> is missing'],
    ['cores add core-c --ttl 1s', 'one minute or more'],
    ['cores add core-c --ttl soon', 'a duration'],
    ['cores add a/b', 'a host label'],
  ])('refuses the line %s', async (line, message) => {
    const { code, err } = await home.run(line)
    expect([code, platform.cores.size]).toEqual([2, 2])
    expect(err).toContain(message)
  })

  it.each([
    ['--url nonsense', 'url'],
    ['--url https://c.example.org --ip 300.1.1.1', 'ip'],
  ])('refuses %s', async (options, message) => {
    const { code, err } = await home.run(`cores add core-c --out ${pathOf('c.bundle')} ${options}`)
    expect([code, platform.cores.has('core-c')]).toEqual([1, false])
    expect(err).toContain(message)
    await rm(pathOf('c.bundle'), { force: true })
  })

  it('requires an address when accounts are addressed by path', async () => {
    const { code, err } = await home.run(`cores add core-c --out ${pathOf('c.bundle')}`)
    expect(code).toBe(1)
    expect(err).toContain('Use --url')
  })
})

describe('coffer cores revoke-token', () => {
  it('makes a bundle unusable', async () => {
    await add()
    expect(await home.json('cores revoke-token core-c')).toEqual({ core: 'core-c', revoked: 1 })
    expect((await home.run('cores revoke-token core-c')).err).toContain('There was no usable token for core-c.')
    expect(await home.json('cores tokens')).toEqual({ tokens: [] })
  })
})

describe('coffer cores set', () => {
  it('changes availability, hosting and address', async () => {
    expect(await home.json('cores set core-b --available no --hosting eu --url https://new.example.org')).toEqual({ core: { ...CORE_B, available: false, hosting: 'eu', url: 'https://new.example.org/' } })
    expect(await home.json('cores set core-b --available yes --hosting none')).toMatchObject({ core: { available: true, hosting: null } })
    expect((await home.run('cores set core-b --available no')).out).toContain('not accepted')
  })

  it.each([
    ['cores set core-b', 2, '--available, --hosting or --url'],
    ['cores set core-b --available maybe', 2, 'one of yes, no'],
    ['cores set core-x --available no', 5, 'no core "core-x"'],
    ['cores set core-b --url nonsense', 1, 'url'],
  ])('refuses %s', async (line, exit, message) => {
    const { code, err } = await home.run(line)
    expect(code).toBe(exit)
    expect(err).toContain(message)
  })
})

describe('coffer cores remove', () => {
  it('removes a core without accounts, with its tokens', async () => {
    await add()
    expect(await home.json('cores remove core-c --yes')).toEqual({ coreDeletion: { id: 'core-c' } })
    expect([platform.cores.has('core-c'), await listTokens(platform.registry.records)]).toEqual([false, []])
  })

  it.each([
    ['cores remove core-b --yes', 1, 'still has 3 accounts'],
    ['cores remove core-a --yes', 1, 'cannot remove itself'],
    ['cores remove core-x --yes', 5, 'no core "core-x"'],
    ['cores remove core-b', 2, '--yes is missing'],
    ['cores remove', 2, '<id> is missing'],
  ])('refuses %s', async (line, exit, message) => {
    const { code, err } = await home.run(line)
    expect([code, platform.cores.has('core-b')]).toEqual([exit, true])
    expect(err).toContain(message)
  })
})

describe('on a node that is the only core', () => {
  let single: TestHome
  beforeAll(async () => {
    single = await testHome()
  })
  afterAll(() => single.remove())

  it('list shows it', async () => {
    const { cores } = await single.json('cores list')
    expect(cores).toMatchObject([{ id: 'single', available: true, state: 'active', userCount: 0 }])
    expect(await single.json('cores tokens')).toEqual({ tokens: [] })
  })

  it.each([
    ['cores add core-b --url https://b.example.org --out /tmp/none.bundle', 1, 'not part of a platform'],
    ['cores set single --available no', 1, 'not part of a platform'],
    ['cores remove single --yes', 1, 'cannot remove itself'],
    ['cores ack', 1, 'no acknowledgement to send'],
  ])('refuses %s', async (line, exit, message) => {
    const { code, err } = await single.run(line)
    expect(code).toBe(exit)
    expect(err).toContain(message)
  })
})
