import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/server/config/config.js'
import { AlreadyInitialised, initialise, StoreMissing, type HomePlaces } from '../../../src/server/launch/init.js'
import { StoreLocked } from '../../../src/store/engine/lock.js'
import { Failure } from '../../../src/store/model/failure.js'
import { placesOf, startTestNode } from '../../support/nodes/node.js'

let places: HomePlaces

beforeEach(() => {
  places = placesOf(join(mkdtempSync(join(tmpdir(), 'coffer-init-')), 'home'))
})
afterEach(() => rmSync(join(places.home, '..'), { recursive: true }))

const account = { username: 'ana-lovelace', password: 'correct horse', email: 'ana@example.org' }
const configOf = (flags = {}): ReturnType<typeof loadConfig> => loadConfig({ file: places.config, flags })
const draft = (): string => join(places.home, 'store.new')

/** Returns the names of the entries of the home. */
const entries = (): string[] => readdirSync(places.home).sort()
const COMPLETE = ['config.toml', 'files', 'node.key', 'store']

describe('initialise', () => {
  it('creates the home, readable by its owner only', async () => {
    expect(await initialise(places)).toEqual({})
    expect(entries()).toEqual(COMPLETE)
    expect(readdirSync(places.store).sort()).toEqual(['HEAD', 'db'])
    for (const path of [places.home, places.files, places.store]) expect(statSync(path).mode & 0o077).toBe(0)
    for (const path of [places.config, places.key]) expect(statSync(path).mode & 0o777).toBe(0o600)
    const { get } = configOf()
    expect(get('auth.adminAccessKey')).not.toBe(get('auth.filesReadTokenSecret'))
    expect(get('auth.adminAccessKey')?.length).toBeGreaterThan(20)
  })

  it('writes settings and preserves existing ones', async () => {
    mkdirSync(places.home)
    writeFileSync(places.config, '# mine\n[auth]\nadminAccessKey = "my own key"\n')
    await initialise(places, { settings: { 'http.port': '8080', 'dns.domain': 'ana.example.org' } })
    expect(readFileSync(places.config, 'utf8')).toContain('# mine\n')
    const { get } = configOf()
    expect([get('http.port'), get('dns.domain'), get('auth.adminAccessKey')]).toEqual([8080, 'ana.example.org', 'my own key'])
  })

  it('creates the first account, whose token is valid', async () => {
    const config = configOf()
    const made = await initialise(places, { first: { account, config } })
    expect(made).toMatchObject({ user: { username: 'ana-lovelace', email: 'ana@example.org' } })
    expect(entries()).toEqual(COMPLETE)
    const token = new URL(String(made['apiEndpoint'])).username
    const node = await startTestNode({}, { home: places.home })
    try {
      const answer = await fetch(`${node.url}ana-lovelace/access-info`, { headers: { authorization: token } })
      expect(answer.status).toBe(200)
      expect(await answer.json()).toMatchObject({ type: 'personal' })
    } finally {
      await node.stop()
    }
  })

  it.each([
    ['an invalid username', { username: 'ana' }],
    ['a reserved username', { username: 'coffer-shop' }],
    ['a short password', { password: 'abc' }],
    ['a password against the rules', {}, { 'auth.passwordComplexityMinLength': 50 }],
    ['no e-mail address', { email: undefined }],
  ] as Array<[string, object, object?]>)('creates nothing for %s', async (_, wrong, flags = {}) => {
    const first = { account: { ...account, ...wrong }, config: configOf(flags) }
    await expect(initialise(places, { first })).rejects.toBeInstanceOf(Failure)
    expect(existsSync(places.home)).toBe(false)
  })

  it('removes the draft when it fails, and can be repeated', async () => {
    // An invalid invitation is detected only while the account is created.
    const first = { account: { ...account, invitationToken: 'none of ours' }, config: configOf({ invitationTokens: [] }) }
    await expect(initialise(places, { first })).rejects.toMatchObject({ id: 'invalid-operation' })
    expect(entries()).toEqual(['config.toml', 'files'])
    await initialise(places)
    expect(entries()).toEqual(COMPLETE)
  })

  it('refuses an initialised home', async () => {
    await initialise(places)
    await expect(initialise(places)).rejects.toBeInstanceOf(AlreadyInitialised)
    expect(entries()).toEqual(COMPLETE)
  })

  it('refuses a home whose store was lost', async () => {
    await initialise(places)
    rmSync(places.store, { recursive: true })
    await expect(initialise(places)).rejects.toBeInstanceOf(StoreMissing)
  })
})

describe('a draft', () => {
  it.each([
    ['without the PID of its process', () => undefined],
    ['with a store in it', () => mkdirSync(join(draft(), 'db'))],
    ['with a node key', () => writeFileSync(places.key, `${'ab'.repeat(32)}\n`, { mode: 0o600 })],
    ['by a process that has ended', () => writeFileSync(join(draft(), 'maker'), '999999999\n')],
    ['by a process whose PID was reused', () => writeFileSync(join(draft(), 'maker'), `${process.ppid}\n`)],
  ])('abandoned %s is replaced', async (_, arrange) => {
    mkdirSync(draft(), { recursive: true })
    arrange()
    await initialise(places)
    expect(entries()).toEqual(COMPLETE)
    const node = await startTestNode({}, { home: places.home })
    await node.stop()
  })

  it('of a running process causes StoreLocked', async () => {
    mkdirSync(draft(), { recursive: true })
    const maker = spawn('sh', ['-c', 'exec 3>"$0"; echo $$ >&3; echo ready; exec sleep 60 3>&3', join(draft(), 'maker')])
    try {
      await new Promise((ready) => maker.stdout.once('data', ready))
      await expect(initialise(places)).rejects.toMatchObject({ pid: maker.pid })
      await expect(initialise(places)).rejects.toBeInstanceOf(StoreLocked)
      expect(entries()).toEqual(['store.new'])
    } finally {
      maker.kill()
    }
  })

  it('is completed by exactly one of several concurrent processes', async () => {
    // The lock distinguishes PIDs, so each call needs a process.
    const code = `import { initialise } from '${new URL('../../../src/server/launch/init.ts', import.meta.url)}'
      const places = JSON.parse(process.argv[1])
      await initialise(places).then(() => console.log('made'), (error) => console.log(error.constructor.name))`
    const makers = [0, 1, 2, 3].map(() => {
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code, JSON.stringify(places)])
      let output = ''
      child.stdout.on('data', (chunk) => (output += String(chunk)))
      child.stderr.on('data', (chunk) => (output += String(chunk)))
      return new Promise<string>((ended) => child.on('close', () => ended(output.trim())))
    })
    const outcomes = (await Promise.all(makers)).sort()
    expect(outcomes.filter((each) => each === 'made')).toHaveLength(1)
    expect(outcomes.filter((each) => !/^(made|StoreLocked|AlreadyInitialised)$/.test(each))).toEqual([])
    expect(entries()).toEqual(COMPLETE)
  })
})
