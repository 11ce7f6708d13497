/**
 * Stores data in the current format: `npm run build && npx tsx test/formats/make.ts <name>` creates `kept/<name>` with a home,
 * a backup, a sealed one and an exported account. Run it for each release that changes a format.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { initialise } from '../../src/server/launch/init.js'
import { eventPart, filePart, sendParts } from '../support/http/multipart.js'
import { placesOf, registerUser, request, startTestNode } from '../support/nodes/node.js'
import { PASSPHRASE, REMOVED, readContent, USER, type StoredFormat } from './reading.js'

const [name = ''] = process.argv.slice(2)
if (name === '') throw new Error('Usage: make.ts <name>, such as 0.1.0.')
const target = fileURLToPath(new URL(`kept/${name}/`, import.meta.url))
const binary = fileURLToPath(new URL('../../bin/coffer.js', import.meta.url))
const at = mkdtempSync(join(tmpdir(), 'coffer-kept-'))
const places = placesOf(join(at, 'home'))
mkdirSync(target, { recursive: true })
await initialise(places)
const node = await startTestNode({ 'versioning.forceKeepHistory': true }, { home: places.home })
const owner = await registerUser(node, USER)

async function call(method: string, path: string, body: unknown, token = owner): Promise<Record<string, unknown>> {
  const answer = await request(`${node.url}${USER}${path}`, { method, token, body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const create = async (event: unknown): Promise<string> =>
  ((await call('POST', '/events', event))['event'] as { id: string }).id

await call('POST', '/streams', { id: 'diary', name: 'Diary ✎' })
await call('POST', '/streams', { id: 'weight', name: 'Weight', clientData: { unit: 'kg' } })
await call('POST', '/streams', { id: 'inner', name: 'Inner', parentId: 'diary' })
const changed = await create({ streamIds: ['diary', 'weight'], type: 'note/txt', content: 'first', time: 1_700_000_000.5, tags: ['a', 'b'] })
await call('PUT', `/events/${changed}`, { content: 'second', streamIds: ['inner'] })
const gone = await create({ streamIds: ['diary'], type: 'note/txt', content: 'to be deleted' })
for (let times = 0; times < 2; times++) await call('DELETE', `/events/${gone}`, undefined)
const trashed = await create({ streamIds: ['weight'], type: 'mass/kg', content: 72.4, time: 1_700_000_100, duration: 60 })
await call('DELETE', `/events/${trashed}`, undefined)
const series = await create({ streamIds: ['weight'], type: 'series:mass/kg', time: 1_700_001_000 })
const points = Array.from({ length: 500 }, (_, i) => [i * 10, 70 + Math.sin(i) / 3])
await call('POST', `/events/${series}/series`, { format: 'flatJSON', fields: ['deltaTime', 'value'], points })
await sendParts({ node, username: USER, owner }, '/events', [
  eventPart({ streamIds: ['diary'], type: 'file/attached', time: 1_700_000_200 }),
  filePart('ünï.txt', 'the bytes of a file '.repeat(1000)),
])
const permissions = [{ streamId: '*', level: 'manage' }]
const { token } = (await call('POST', '/accesses', { name: 'reader', type: 'app', permissions }))['access'] as { token: string }
// The node updates the duration of a series some time after its points are written.
for (let event: { duration?: number } = {}; event.duration === undefined; await new Promise((resolve) => setTimeout(resolve, 100))) {
  event = (await request(`${node.url}${USER}/events/${series}`, { token })).body['event'] as typeof event
}
// Removed and replaced values of profile sets are to be erased: formats.test.ts searches for these texts.
for (const [id, by] of [['public', owner], ['private', owner], ['app', token]] as const) {
  for (const update of [{ kept: `kept in ${id}`, gone: REMOVED, changed: REMOVED }, { gone: null, changed: { at: [1, id] }, more: 1.5 }]) {
    await call('PUT', `/profile/${id}`, update, by)
  }
}
const kept: StoredFormat = { token, shown: await readContent(node.url, token) }
await node.stop()

const coffer = (...line: string[]): void => void execFileSync(process.execPath, [binary, ...line, '--home', places.home, '--no-input'])
const passphrase = join(at, 'passphrase')
writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 })
coffer('backup', 'create', '--to', join(at, 'backup'), '--unsealed')
coffer('backup', 'create', '--to', join(at, 'sealed'), '--passphrase-file', passphrase)
coffer('users', 'export', USER, '--to', join(at, 'account'))
for (const each of ['home', 'backup', 'sealed', 'account']) execFileSync('tar', ['-czf', join(target, `${each}.tar.gz`), '-C', at, each])
writeFileSync(join(target, 'kept.json'), `${JSON.stringify(kept, null, 1)}\n`)
rmSync(at, { recursive: true, force: true })
