/** Tests of `coffer platform init` and `coffer platform status`. */
import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.js'
import { fakePlatform, type FakePlatform } from '../cores/fakePlatform.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

let home: TestHome
let platform: FakePlatform
beforeAll(async () => {
  platform = await fakePlatform()
})
afterAll(() => platform.close())
beforeEach(async () => {
  platform.hasEtcd = true
  home = await testHome()
})
afterEach(() => home.remove())

const config = (): ReturnType<typeof loadConfig> => loadConfig({ file: join(home.home, 'config.toml') })
const initLine = (): string => `platform init --id core-a --url https://a.example.org --etcd ${platform.etcd}`

describe('coffer platform init', () => {
  it('creates the secrets, and writes the settings of several cores', async () => {
    const before = config()
    const answer = await home.json(initLine())
    expect(answer).toEqual({
      platform: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      core: 'core-a',
      url: 'https://a.example.org/',
      etcd: [platform.etcd],
      ca: join(home.home, 'platform', 'ca.pem'),
      config: join(home.home, 'config.toml'),
    })
    const after = config()
    expect([after.get('core.id'), after.get('core.url'), after.get('platform.id'), after.get('platform.etcd')]).toEqual(['core-a', 'https://a.example.org/', answer['platform'], [platform.etcd]])
    expect(after.get('auth.adminAccessKey')).toBe(before.get('auth.adminAccessKey'))
    expect([after.get('service.home'), after.get('service.eventTypes')]).toEqual(['https://a.example.org/', 'https://a.example.org/assets/event-types/flat.json'])
    expect(after.get('service.serial')).toMatch(/^[0-9a-f]{16}$/)
    expect(new X509Certificate(await readFile(join(home.home, 'platform', 'ca.pem'))).ca).toBe(true)
    // Without TLS, etcd asks for no certificate.
    expect(existsSync(join(home.home, 'platform', 'etcd.key'))).toBe(false)
  })

  it('suggests the next steps to people', async () => {
    const { code, out, err } = await home.run(initLine())
    expect([code, out]).toEqual([0, ''])
    expect(err).toMatch(/✔ Platform [0-9a-f]{16} created; this node is its core core-a\./)
    expect(err).toContain('coffer cores add core-b --url https://b.example.org')
    expect(err).toContain('coffer backup create')
  })

  it('refuses a node that belongs to a platform', async () => {
    await home.json(initLine())
    const { code, err } = await home.run(initLine())
    expect(code).toBe(1)
    expect(err).toContain('belongs to a platform already')
  })

  it('continues with the same keys when etcd did not answer', async () => {
    platform.hasEtcd = false
    const { code, err } = await home.run(initLine())
    expect(code).toBe(69)
    expect(err).toContain('No member of etcd answers.')
    expect(config().get('platform.id')).toBeNull()
    const ca = await readFile(join(home.home, 'platform', 'ca.pem'), 'utf8')
    platform.hasEtcd = true
    await home.json(initLine())
    expect(await readFile(join(home.home, 'platform', 'ca.pem'), 'utf8')).toBe(ca)
  })

  it('issues a certificate for etcd with TLS, and names the file that etcd must trust', async () => {
    const { code, err } = await home.run('platform init --id core-a --url https://a.example.org --etcd https://127.0.0.1:1')
    expect(code).toBe(69)
    expect(err).toContain('https://127.0.0.1:1: ECONNREFUSED')
    expect(err).toContain('--trusted-ca-file')
    const certificate = new X509Certificate(await readFile(join(home.home, 'platform', 'etcd.crt')))
    expect([certificate.subject, certificate.checkHost('a.example.org')]).toEqual(['CN=core-a', 'a.example.org'])
  })

  it.each([
    ['', '--id <id> is missing'],
    ['--id core-a --url https://a.example.org', '--etcd <urls> is missing'],
    ['--id Core_A --url https://a.example.org --etcd http://127.0.0.1:1', '--id <id> is not valid'],
    ['--id single --url https://a.example.org --etcd http://127.0.0.1:1', 'another id than single'],
    ['--id core-a --url a.example.org --etcd http://127.0.0.1:1', '--url <url> is not valid'],
    ['--id core-a --url https://a.example.org --etcd 127.0.0.1:1', '--etcd <urls> is not valid'],
    ['--id core-a --url https://a.example.org --etcd http://127.0.0.1:1 --etcd-cert x', 'belong together'],
  ])('refuses the options %s', async (options, message) => {
    const { code, err } = await home.run(`platform init ${options}`)
    expect(code).toBe(2)
    expect(err).toContain(message)
    expect(existsSync(join(home.home, 'platform'))).toBe(false)
  })
})

describe('coffer platform status', () => {
  it('of a node without a platform suggests how to create one', async () => {
    const { code, out, err } = await home.run('platform status')
    expect([code, out]).toEqual([0, 'This node is the only core of its platform.\n'])
    expect(err).toContain('coffer platform init --help')
    expect(await home.json('platform status')).toEqual({ platform: null, core: 'single', isReachable: true, lag: 0, unsettled: 0, canAddCores: false, pendingAck: false, cores: 1, liveCores: 1, certificateExpires: null, members: [] })
  })
})

describe('coffer platform issue-certificate', () => {
  it('issues a certificate for a member of etcd, by the authority that init then uses', async () => {
    const to = join(home.home, 'etcd-1')
    expect(await home.json(`platform issue-certificate etcd-1 --host 10.0.0.1,db.example.org --to ${to}`)).toEqual({ name: 'etcd-1', cert: join(to, 'etcd-1.crt'), key: join(to, 'etcd-1.key'), ca: join(to, 'ca.pem') })
    const [certificate, ca] = [new X509Certificate(await readFile(join(to, 'etcd-1.crt'))), await readFile(join(to, 'ca.pem'), 'utf8')]
    expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true)
    expect([certificate.subject, certificate.checkIP('10.0.0.1'), certificate.checkHost('db.example.org')]).toEqual(['CN=etcd-1', '10.0.0.1', 'db.example.org'])
    expect((await stat(join(to, 'etcd-1.key'))).mode & 0o777).toBe(0o600)
    await home.json(initLine())
    expect(await readFile(join(home.home, 'platform', 'ca.pem'), 'utf8')).toBe(ca)
  })

  it.each([
    ['platform issue-certificate', '<name> is missing'],
    ['platform issue-certificate etcd-1', '--to <dir> is missing'],
    ['platform issue-certificate a/b --to /tmp/none', 'a host name'],
  ])('refuses the line %s', async (line, message) => {
    const { code, err } = await home.run(line)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})
