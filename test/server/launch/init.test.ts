import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/server/config/config.js'
import { AlreadyInitialised, initialise, StoreGone, type HomePlaces } from '../../../src/server/launch/init.js'
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

/** What is in the home, names only. */
const held = (): string[] => readdirSync(places.home).sort()
const whole = ['config.toml', 'files', 'node.key', 'store']

describe('making a node', () => {
  it('makes everything, readable by its owner only', async () => {
    expect(await initialise(places)).toEqual({})
    expect(held()).toEqual(whole)
    expect(readdirSync(places.store).sort()).toEqual(['HEAD', 'db'])
    for (const path of [places.home, places.files, places.store]) expect(statSync(path).mode & 0o077).toBe(0)
    for (const path of [places.config, places.key]) expect(statSync(path).mode & 0o777).toBe(0o600)
    const { get } = configOf()
    expect(get('auth.adminAccessKey')).not.toBe(get('auth.filesReadTokenSecret'))
    expect(get('auth.adminAccessKey')?.length).toBeGreaterThan(20)
  })

  it('writes settings, and keeps what the file says already', async () => {
    mkdirSync(places.home)
    writeFileSync(places.config, '# mine\n[auth]\nadminAccessKey = "my own key"\n')
    await initialise(places, { settings: { 'http.port': '8080', 'dns.domain': 'ana.example.org' } })
    expect(readFileSync(places.config, 'utf8')).toContain('# mine\n')
    const { get } = configOf()
    expect([get('http.port'), get('dns.domain'), get('auth.adminAccessKey')]).toEqual([8080, 'ana.example.org', 'my own key'])
  })

  it('makes the first account, whose token works', async () => {
    const config = configOf()
    const made = await initialise(places, { first: { account, config } })
    expect(made).toMatchObject({ user: { username: 'ana-lovelace', email: 'ana@example.org' } })
    expect(held()).toEqual(whole)
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
    ['a name of another form', { username: 'ana' }],
    ['a reserved name', { username: 'coffer-shop' }],
    ['a short password', { password: 'abc' }],
    ['a password against the rules', {}, { 'auth.passwordComplexityMinLength': 50 }],
    ['no e-mail address', { email: undefined }],
  ] as Array<[string, object, object?]>)('makes nothing for %s', async (_, wrong, flags = {}) => {
    const first = { account: { ...account, ...wrong }, config: configOf(flags) }
    await expect(initialise(places, { first })).rejects.toBeInstanceOf(Failure)
    expect(existsSync(places.home)).toBe(false)
  })

  it('leaves no beginning behind when it fails on the way', async () => {
    // A wrong invitation is refused only once the account is being made.
    const first = { account: { ...account, invitationToken: 'none of ours' }, config: configOf({ invitationTokens: [] }) }
    await expect(initialise(places, { first })).rejects.toMatchObject({ id: 'invalid-operation' })
    expect(held()).toEqual(['config.toml', 'files'])
    await initialise(places)
    expect(held()).toEqual(whole)
  })

  it('refuses a home that has a node', async () => {
    await initialise(places)
    await expect(initialise(places)).rejects.toBeInstanceOf(AlreadyInitialised)
    expect(held()).toEqual(whole)
  })

  it('never begins anew where a store was lost', async () => {
    await initialise(places)
    rmSync(places.store, { recursive: true })
    await expect(initialise(places)).rejects.toBeInstanceOf(StoreGone)
  })
})

describe('a draft', () => {
  it.each([
    ['before it was named', () => undefined],
    ['with a store in it', () => mkdirSync(join(draft(), 'db'))],
    ['with the key made', () => writeFileSync(places.key, `${'ab'.repeat(32)}\n`, { mode: 0o600 })],
    ['by a process that is gone', () => writeFileSync(join(draft(), 'maker'), '999999999\n')],
    ['by a number that another process has now', () => writeFileSync(join(draft(), 'maker'), `${process.ppid}\n`)],
  ])('abandoned %s is taken over', async (_, left) => {
    mkdirSync(draft(), { recursive: true })
    left()
    await initialise(places)
    expect(held()).toEqual(whole)
    const node = await startTestNode({}, { home: places.home })
    await node.stop()
  })

  it('that a living process makes is left alone', async () => {
    mkdirSync(draft(), { recursive: true })
    const maker = spawn('sh', ['-c', 'exec 3>"$0"; echo $$ >&3; echo ready; exec sleep 60 3>&3', join(draft(), 'maker')])
    try {
      await new Promise((ready) => maker.stdout.once('data', ready))
      await expect(initialise(places)).rejects.toMatchObject({ pid: maker.pid })
      await expect(initialise(places)).rejects.toBeInstanceOf(StoreLocked)
      expect(held()).toEqual(['store.new'])
    } finally {
      maker.kill()
    }
  })

  it('is made by one of many that begin at once', async () => {
    // Within one process they cannot tell each other by number, so they meet as processes.
    const code = `import { initialise } from '${new URL('../../../src/server/launch/init.ts', import.meta.url)}'
      const places = JSON.parse(process.argv[1])
      await initialise(places).then(() => console.log('made'), (error) => console.log(error.constructor.name))`
    const makers = [0, 1, 2, 3].map(() => {
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code, JSON.stringify(places)])
      let told = ''
      child.stdout.on('data', (chunk) => (told += String(chunk)))
      child.stderr.on('data', (chunk) => (told += String(chunk)))
      return new Promise<string>((ended) => child.on('close', () => ended(told.trim())))
    })
    const outcomes = (await Promise.all(makers)).sort()
    expect(outcomes.filter((each) => each === 'made')).toHaveLength(1)
    expect(outcomes.filter((each) => !/^(made|StoreLocked|AlreadyInitialised)$/.test(each))).toEqual([])
    expect(held()).toEqual(whole)
  })
})
