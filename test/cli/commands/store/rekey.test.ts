/** Tests of node keys protected by a passphrase: init, rekey, backup and restore. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyStorageOf } from '../../../../src/store/keyring/nodeKey.js'
import { placesOf, startTestNode } from '../../../support/nodes/node.js'
import { coffer } from '../../support/testTerminal.js'

let folder: string
let home: string
let first: string
let second: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coffer-rekey-'))
  home = join(folder, 'home')
  ;[first, second] = [join(folder, 'first.txt'), join(folder, 'second.txt')]
  await writeFile(first, 'the first passphrase\n')
  await writeFile(second, 'the second passphrase\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (line: string, passphrase?: string): ReturnType<typeof coffer> =>
  coffer(`${line} --home ${home} --no-input`, { env: passphrase === undefined ? {} : { COFFER_PASSPHRASE_FILE: passphrase } })

describe('a node key with a passphrase', () => {
  it('is created by init, and opens only with the passphrase', async () => {
    const created = await run(`init --keep-key passphrase --new-passphrase-file ${first} --user ana-lovelace --email a@example.org --password-file ${second}`)
    expect(created.code, created.err).toBe(0)
    expect(await keyStorageOf(placesOf(home).key)).toBe('passphrase')
    expect((await run('users list -q', first)).out).toContain('ana-lovelace')
    const wrong = await run('users list', second)
    expect([wrong.code, wrong.err]).toEqual([12, expect.stringContaining('The passphrase does not open the node key')])
    const none = await run('users list')
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('COFFER_PASSPHRASE_FILE')])
    expect((await run(`start --port 0 --passphrase-file ${second}`)).code).toBe(12)
    expect((await run('start --port 0')).code).toBe(2)
  })

  it('is not required by store check', async () => {
    const { code, err } = await run('store check')
    expect([code, err]).toEqual([0, expect.stringContaining('is protected by a passphrase')])
    expect((await run('store check', second)).code).toBe(12)
  })

  it('requires the current passphrase for a new one', async () => {
    const file = await readFile(placesOf(home).key, 'utf8')
    const line = `store rekey --keep-key passphrase --new-passphrase-file ${second}`
    expect((await run(line, second)).code).toBe(12)
    expect((await run(line)).code).toBe(2)
    expect((await run('store rekey --keep-key passphrase', first)).code).toBe(2)
    expect((await run('store rekey', first)).code).toBe(2)
    expect(await readFile(placesOf(home).key, 'utf8')).toBe(file)
    expect((await run(line, first)).code).toBe(0)
    expect((await run('users list', first)).code).toBe(12)
    expect((await run('users list', second)).code).toBe(0)
  })

  it('is included in backups, and restored to a key file', async () => {
    const archives = join(folder, 'archives')
    const created = await run(`backup create --to ${archives} --json`, second)
    expect(created.code, created.err).toBe(0)
    const { path } = JSON.parse(created.out.trim().split('\n').at(-1) ?? '') as { path: string }
    const back = join(folder, 'back')
    const restored = await coffer(`restore ${path} --home ${back} --no-input`, { env: { COFFER_PASSPHRASE_FILE: second } })
    expect(restored.code, restored.err).toBe(0)
    expect(await keyStorageOf(placesOf(back).key)).toBe('file')
    expect((await coffer(`users list -q --home ${back}`)).out).toContain('ana-lovelace')
  })

  it('is moved to a key file, but not while the node runs', async () => {
    const moved = await run('store rekey --keep-key file --json', second)
    expect([moved.code, JSON.parse(moved.out)]).toEqual([0, { from: 'passphrase', to: 'file' }])
    expect((await run('users list')).code).toBe(0)
    const node = await startTestNode({}, { home })
    expect((await run(`store rekey --keep-key passphrase --new-passphrase-file ${first}`)).code).toBe(11)
    await node.stop()
    expect(await keyStorageOf(placesOf(home).key)).toBe('file')
  })
})
