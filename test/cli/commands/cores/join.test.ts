/** Tests of `coffer cores join` and `coffer cores ack`, with a core that takes acknowledgements. */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/server/config/config.js'
import { unlockStore } from '../../../../src/server/launch/unlockedStore.js'
import { encryptBundle } from '../../../../src/server/platform/joining/bundle.js'
import { newPassphrase } from '../../../../src/server/platform/joining/passphrase.js'
import { readPendingAck, readPlatformIdentity, type SecretStore } from '../../../../src/server/platform/joining/platformKey.js'
import { createRecorder } from '../../../../src/sync/crdt/document.js'
import { createStoreView } from '../../../../src/store/index.js'
import { exampleBundle } from '../../../server/platform/joining/exampleBundle.js'
import { placesOf } from '../../../support/nodes/node.js'
import { coffer } from '../../support/testTerminal.js'
import { fakePlatform, type FakePlatform } from './fakePlatform.js'

const passphrase = newPassphrase()
let platform: FakePlatform
let accepted: FakePlatform['answer']
let text: string
let folder: string
let home: string
let file: string
let passFile: string
beforeAll(async () => {
  platform = await fakePlatform()
  accepted = platform.answer
  text = await encryptBundle(await exampleBundle({ ackUrl: platform.ackUrl, endpoints: [platform.etcd] }), passphrase)
})
afterAll(() => platform.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-join-'))
  home = join(folder, 'home')
  file = join(folder, 'core-b.bundle')
  passFile = join(folder, 'pass')
  await writeFile(file, text)
  await writeFile(passFile, `${passphrase.reveal()}\n`)
  Object.assign(platform, { calls: [], answer: accepted, ahead: 0, hasEtcd: true })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

type Outcome = Awaited<ReturnType<typeof coffer>>
const run = (line: string, given: { stdin?: string } = {}): Promise<Outcome> => coffer(line, { ...given, env: { COFFER_HOME: home, NO_COLOR: '1' } })
const joinLine = (): string => `cores join ${file} --passphrase-file ${passFile}`

/** Reads secrets of the closed store of the home. */
async function stored<T>(read: (store: SecretStore) => T): Promise<T> {
  const places = placesOf(home)
  const { opened, seal } = await unlockStore({ store: places.store, key: places.key, now: () => Date.now() / 1000 })
  try {
    return read(await createStoreView(opened, seal, createRecorder({ actor: '00'.repeat(16) })))
  } finally {
    await opened.close()
  }
}

describe('coffer cores join', () => {
  it('creates the node, writes settings and certificates, acknowledges, and deletes the bundle', async () => {
    const { code, out, err } = await run(`${joinLine()} --json`)
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toEqual({ core: 'core-b', platform: 'p1234567', cores: ['core-a', 'core-b'], config: join(home, 'config.toml') })
    expect(platform.calls).toEqual([
      { method: 'GET', path: '/service/info', body: undefined },
      { method: 'POST', path: '/system/admin/cores/ack', body: { coreId: 'core-b', token: 'kq3Vb0yGx1cPp9d2mT7uJfZs5wLh8nRe4aXi6oCv_Qk' } },
    ])
    expect(existsSync(file)).toBe(false)
    const config = loadConfig({ file: join(home, 'config.toml') })
    expect([config.get('core.id'), config.get('core.url'), config.get('core.ip'), config.get('platform.id'), config.get('platform.etcd')]).toEqual(['core-b', 'https://b.example.org/', '192.0.2.7', 'p1234567', [platform.etcd]])
    expect([config.get('auth.adminAccessKey'), config.get('service.name')]).toEqual(['the-admin-key-of-all-cores', 'Example'])
    expect((await readdir(join(home, 'platform'))).sort()).toEqual(['ca.pem', 'core.crt', 'core.key'])
    for (const each of ['config.toml', 'platform/core.key', 'platform/core.crt']) expect((await stat(join(home, each))).mode & 0o777).toBe(0o600)
    const identity = await stored(readPlatformIdentity)
    expect([identity?.platform, identity === undefined ? undefined : Buffer.from(identity.key.reveal())]).toEqual(['p1234567', Buffer.alloc(32, 7)])
    expect(await stored(readPendingAck)).toBeUndefined()
  })

  it('keeps the platform key sealed on disk', async () => {
    await run(joinLine())
    const key = Buffer.alloc(32, 7).toString('base64url')
    const files = await readdir(home, { recursive: true, withFileTypes: true })
    for (const each of files.filter((entry) => entry.isFile())) {
      expect((await readFile(join(each.parentPath, each.name))).includes(key), each.name).toBe(false)
    }
  })

  it('suggests the next step to people', async () => {
    const { code, out, err } = await run(joinLine())
    expect([code, out]).toEqual([0, ''])
    expect(err).toContain('✔ This node is the core core-b, on a platform of 2 cores. The bundle was deleted.')
    expect(err).toContain('Next: coffer start')
  })

  it('sends and writes nothing with a wrong passphrase', async () => {
    await writeFile(passFile, newPassphrase().reveal())
    const { code, out, err } = await run(joinLine())
    expect([code, out, platform.calls, existsSync(home)]).toEqual([12, '', [], false])
    expect(err).toContain('The passphrase does not open the join bundle.')
    expect(existsSync(file)).toBe(true)
  })

  it.each([
    [31, 'behind'],
    [-32, 'ahead of'],
    [86_400, 'behind'],
  ])('sends no token to a platform whose clock differs by %i seconds', async (ahead, word) => {
    platform.ahead = ahead
    const { code, err } = await run(joinLine())
    expect([code, existsSync(home), existsSync(file)]).toEqual([1, false, true])
    expect(err).toContain(`seconds ${word} that of http://127.0.0.1`)
    expect(platform.calls.map(({ path }) => path)).toEqual(['/service/info'])
  })

  it.each([29, -29])('accepts a clock that differs by %i seconds', async (ahead) => {
    platform.ahead = ahead
    expect((await run(joinLine())).code).toBe(0)
  })

  it('writes nothing when etcd does not answer', async () => {
    platform.hasEtcd = false
    const { code, err } = await run(joinLine())
    expect([code, existsSync(home)]).toEqual([69, false])
    expect(err).toContain(`No member of etcd answers.`)
    expect(err).toContain(platform.etcd)
    expect(platform.calls).toHaveLength(1)
  })

  it.each<[number, unknown, number, string]>([
    [401, { error: { id: 'token-invalid', message: 'The join token has expired.', reason: 'expired' } }, 4, 'The join token has expired.'],
    [401, { error: { id: 'token-coreid-mismatch', message: 'Other core.' } }, 4, 'Other core.'],
    [404, { error: { id: 'core-not-pre-registered', message: 'Not expected.' } }, 5, 'Not expected.'],
    [503, 'busy', 69, 'status 503'],
  ])('keeps the bundle when the platform answers %i', { timeout: 60_000 }, async (status, body, exit, message) => {
    platform.answer = { status, body }
    const { code, out, err } = await run(joinLine())
    expect([code, out, existsSync(file)]).toEqual([exit, '', true])
    expect(err).toContain(message)
    expect(err).toContain(`The bundle ${file} was kept`)
    platform.answer = accepted
    const again = await run('cores ack --json')
    expect([again.code, JSON.parse(again.out)]).toEqual([0, { core: 'core-b', cores: ['core-a', 'core-b'] }])
    expect((await run('cores ack')).err).toContain('no acknowledgement to send')
  })

  // The settings that were written let the node look for etcd, which the fake does not serve.
  it('may be repeated after a refusal', { timeout: 60_000 }, async () => {
    platform.answer = { status: 404, body: {} }
    expect((await run(joinLine())).code).toBe(69)
    platform.answer = accepted
    expect((await run(joinLine())).code).toBe(0)
  })

  it('refuses a node of another platform', async () => {
    await run(joinLine())
    await writeFile(file, text)
    await run('config set platform.id another12')
    const { code, err } = await run(joinLine())
    expect(code).toBe(6)
    expect(err).toContain('platform.id = another12')
  })

  it.each<[string, (file: string) => Promise<unknown>, number, string]>([
    ['no file', (at) => rm(at), 5, 'core-b.bundle'],
    ['another file', (at) => writeFile(at, 'hello'), 1, 'not a join bundle'],
    ['a damaged file', async (at) => writeFile(at, text.replace('core-b', 'core-c')), 13, 'damaged'],
    ['a large file', (at) => writeFile(at, ' '.repeat(300_000)), 1, 'too large'],
    ['a newer file', (at) => writeFile(at, text.replace('Envelope: 1', 'Envelope: 9')), 1, 'newer version'],
  ])('refuses %s', async (_, change, exit, message) => {
    await change(file)
    const { code, err } = await run(joinLine())
    expect([code, platform.calls]).toEqual([exit, []])
    expect(err).toContain(message)
  })

  it.each([
    ['cores join', '<bundle> is missing'],
    ['cores join - --passphrase-file -', 'cannot both read stdin'],
    ['cores join x --passphrase secret', 'passphrase'],
  ])('refuses the line %s', async (line, message) => {
    const { code, err } = await run(line)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  it('does not prompt without a terminal', async () => {
    const { code, err } = await run(`cores join ${file}`)
    expect(code).toBe(2)
    expect(err).toContain('--passphrase-file is missing')
  })

  it('reads the bundle from stdin', async () => {
    const { code, err } = await run(`cores join - --passphrase-file ${passFile}`, { stdin: text })
    expect([code, err]).toEqual([0, expect.not.stringContaining('deleted') as string])
  })
})
