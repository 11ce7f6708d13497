/** Tests of keys in a real keychain: stored, moved, lost, and locked without a user who unlocks it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { afterTheFile, coffer, errorOf, folder, json, start, type Outcome } from './support/coffer.js'
import { keyFileText, keyringProblem, startKeyring, type Keyring } from './support/keyring.js'

const lack = keyringProblem()
if (lack !== undefined) console.warn(`Keychains are not tested: ${lack}.`)

const ENTRY = /^\{"keptBy":"keychain","entry":"node-[0-9a-f]{16}"\}\n$/
const later = afterTheFile()
let keyring: Keyring
let root: string
let home: string
let run: (line: string, more?: Record<string, string>) => Promise<Outcome>
beforeAll(async () => {
  if (lack !== undefined) return
  keyring = await startKeyring(later)
  root = folder(later)
  home = join(root, 'home')
  writeFileSync(join(root, 'password'), 'correct horse battery')
  run = (line, more = {}) => coffer(line, { env: { ...keyring.env, COFFER_HOME: home, ...more } })
})

describe.skipIf(lack !== undefined)(`the keychain of the system${lack === undefined ? '' : ` (skipped: ${lack})`}`, () => {
  it('stores the key of a node, which can be started repeatedly', async () => {
    const created = await run(`init --keep-key keychain --user ana-lovelace --email ana@example.org --password-file ${root}/password --no-input --json`)
    expect(created.code, created.err).toBe(0)
    expect(keyFileText(home)).toMatch(ENTRY)
    const [item = '', ...more] = keyring.items()
    expect(more).toEqual([])
    expect(keyring.about(item)).toContain((JSON.parse(keyFileText(home)) as { entry: string }).entry)
    const node = await start(home, { env: keyring.env })
    expect((await run('restart')).code).toBe(0)
    const { username: authorization } = new URL(String(json(created)['apiEndpoint']))
    const { status } = await fetch(`${node.url}ana-lovelace/access-info`, { headers: { authorization } })
    expect(status).toBe(200)
    expect(json(await run('doctor key --json'))['findings']).toMatchObject([{ state: 'fine' }, { state: 'fine', says: 'the key is in the keychain of the system' }])
    expect((await node.stop()).code).toBe(0)
    expect((await run('store check')).err).not.toContain('not verified')
  })

  it('gains and loses the key by rekey, without leftovers', async () => {
    for (const [to, items, keyFile] of [
      ['file', 0, /^[0-9a-f]{64}\n$/],
      ['keychain', 1, ENTRY],
      ['keychain', 1, ENTRY],
    ] as const) {
      const { code, err } = await run(`store rekey --keep-key ${to}`)
      expect([code, keyring.items().length], err).toEqual([0, items])
      expect(keyFileText(home)).toMatch(keyFile)
    }
    expect(readdirSync(home).filter((name) => name.startsWith('node.key'))).toEqual(['node.key'])
  })

  it('stores the operator keys of remote nodes until they are removed', async () => {
    expect((await run('config set remoteControl.active true')).code).toBe(0)
    writeFileSync(join(root, 'operator'), (await run('config get auth.adminAccessKey --reveal')).out)
    const node = await start(home, { env: keyring.env })
    const added = await run(`nodes add nas ${node.url} --key-file ${root}/operator --keep-key keychain`)
    expect(added.code, added.err).toBe(0)
    expect(keyring.items()).toHaveLength(2)
    expect(readFileSync(join(String(keyring.env['XDG_CONFIG_HOME']), 'coffer/nodes.json'), 'utf8')).not.toContain('"key"')
    expect((await run('users list -q --node nas')).out).toContain('ana-lovelace')
    expect((await run('nodes remove nas')).code).toBe(0)
    expect(keyring.items()).toHaveLength(1)
    await node.stop()
  })

  it('is reported within a time limit when it does not answer or does not exist', async () => {
    keyring.hang()
    const noBus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${root}/none` }
    const [silent, nowhere] = await Promise.all([run('users list --json'), run(`init --home ${root}/nowhere --keep-key keychain --no-input`, noBus)])
    keyring.resume()
    expect([silent.code, errorOf(silent)]).toMatchObject([1, { id: 'failed', message: expect.stringContaining('it does not respond') as string }])
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('Run this in the desktop session')])
  })

  it('can lose the key of a node, which is restored from a backup', async () => {
    const node = await start(home, { env: keyring.env })
    const [item = ''] = keyring.items()
    keyring.lose(item)
    const findings = json(await run('doctor key --json'))['findings']
    expect(findings).toMatchObject([{ state: 'fine' }, { state: 'fault', next: expect.stringContaining('coffer backup create') as string }])
    expect((await run(`backup create --to ${root}/backups`)).code).toBe(0)
    await node.stop()
    const lost = await run('start --port 0')
    expect([lost.code, lost.err]).toEqual([1, expect.stringContaining(`coffer store repair --home ${home} --from`)])
    const repaired = await run(`store repair --from ${root}/backups --no-input`)
    expect(repaired.code, repaired.err).toBe(0)
    expect((await run('users list -q')).out).toContain('ana-lovelace')
    expect((await run('store rekey --keep-key keychain')).code).toBe(0)
  })

  it('is waited for while locked until the time limit, without a remaining process', async () => {
    keyring.lock()
    const another = join(root, 'another')
    const [init, start] = await Promise.all([run(`init --home ${another} --keep-key keychain --no-input`), run('start --port 0')])
    expect([init.code, init.err]).toEqual([1, expect.stringContaining('--keep-key file')])
    expect(readdirSync(another)).toEqual([])
    expect([start.code, start.err]).toEqual([1, expect.stringContaining('Unlock it')])
    expect(keyring.window()).toEqual({ isPrompting: true, isDone: false })
  })
})
