/**
 * Imports of an account into a node that is killed: nothing of it remains after the next start, and its names are free; or it
 * is complete once acknowledged. `LONG=1` kills a node many times, at other times of an import.
 */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSocket } from '../../src/cli/client/socket.js'
import { openNode } from '../../src/server/index.js'
import { createLog } from '../../src/server/base/log.js'
import { loadConfig } from '../../src/server/config/config.js'
import { addStream } from '../../src/store/streams/streams.js'
import { each } from '../../src/store/engine/database.js'
import { nodeKeys, under } from '../../src/store/engine/keys.js'
import { coffer } from '../cli/support/testTerminal.js'
import { expectSound } from '../support/store/check.js'
import { callAll } from '../support/people/fillAccount.js'
import { homes } from '../support/nodes/home.js'
import { startTestNode } from '../support/nodes/node.js'
import { newStage } from '../support/http/methodTable.js'
import { fillAll } from '../server/accountTransfer/sampleAccount.js'
import { seeded } from '../store/leveldb/fixtures.js'
import { nodeProcesses } from './process.js'

const ROUNDS = 12
const EVENTS = 4000
const SEED = Number(process.env['SEED'] ?? 1 + (Date.now() % 1_000_000))

const { home, folder } = homes()
const startProcess = nodeProcesses()

describe('an account being imported', () => {
  it('by a killed process is erased by the next one', async () => {
    const places = await home()
    const open = (): ReturnType<typeof openNode> =>
      openNode({ store: places.store, key: places.key, config: loadConfig({ file: places.config }), log: createLog('error', () => 0, () => {}) })
    const first = await open()
    const account = await first.store.createHiddenAccount()
    const stream = { id: 'left', name: 'Left', parentId: null, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
    await account.write((t) => addStream(account, t, first.store.recorder, stream))
    const bytes = (async function* () {
      yield await Promise.resolve(Buffer.from('left behind'))
    })()
    await first.store.blobs.keep(account.prefix, await first.store.blobs.receive(bytes, 1, 'sha256'))
    await first.close()
    expect(existsSync(join(places.files, account.prefix))).toBe(true)
    // A check before the next start recognises the pending import.
    await expectSound(places)
    const second = await open()
    for await (const key of each(second.store.db.keys(under(nodeKeys.arrivings)))) expect(key).toBe('')
    for await (const key of each(second.store.db.keys(under(`${account.prefix}/`)))) expect(key).toBe('')
    expect(existsSync(join(places.files, account.prefix))).toBe(false)
    await second.close()
    await expectSound(places)
  })

  it.runIf(process.env['LONG'] === '1')(`is complete or absent after a kill at any time (seed ${SEED})`, async () => {
    const draw = seeded(SEED)
    const from = await startTestNode()
    const s = await newStage(from)
    await fillAll(s, () => draw(1 << 30) / 2 ** 30)
    await callAll(s, Array.from({ length: EVENTS }, (_, n): [string, Record<string, unknown>] => ['events.create', { streamIds: ['body'], type: 'mass/kg', content: n }]))
    const exported = join(await folder(), 'all')
    expect(await coffer(['users', 'export', s.username, '--to', exported], { env: { COFFER_HOME: from.places.home } })).toMatchObject({ code: 0 })
    await from.stop()
    const places = await home()
    let made = 0
    for (let round = 0; round < ROUNDS; round++) {
      const node = await startProcess(places.home)
      await node.open()
      const door = await openSocket(join(places.home, `${node.pid}.sock`))
      const as = `round-${round}`
      const { id } = await door!.call('users.import', { folder: exported, as, email: `${as}@example.org` }, {})
      const ended = door!.call('users.importState', { id, waitMs: 60_000 }, {}).then(
        ({ state }) => state === 'done',
        () => false,
      )
      const killed = new Promise<void>((done) => setTimeout(done, 50 + draw(1500))).then(() => node.kill())
      const isMade = await Promise.race([ended, killed.then(() => false)])
      await killed
      await door!.close()
      await expectSound(places)
      const { out } = await coffer(['users', 'list', '--json'], { env: { COFFER_HOME: places.home } })
      const there = (JSON.parse(out) as { users: { username: string }[] }).users.map(({ username }) => username)
      if (isMade) expect(there).toContain(as)
      if (there.includes(as)) {
        made += 1
        const again = join(exported, `../again-${round}`)
        const { out: output } = await coffer(['users', 'export', as, '--to', again, '--json'], { env: { COFFER_HOME: places.home } })
        const { counts } = JSON.parse(output) as { counts: { events: number; files: number } }
        expect(counts.events).toBeGreaterThan(EVENTS)
        expect(counts.files).toBe(2)
      }
      await expectSound(places)
      expect((await readdir(places.files).catch(() => [])).filter((name) => !name.startsWith('.'))).toHaveLength(made)
    }
  }, 600_000)
})
