/**
 * Keeps what the present version writes: `npm run build && npx tsx test/formats/make.ts <name>` makes `kept/<name>` with
 * a home, a backup, a sealed one and the folder of an account. To be run for each release that writes another format.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { initialise } from '../../src/server/launch/init.js'
import { eventPart, filePart, sendParts } from '../support/http/multipart.js'
import { placesOf, registerUser, request, startTestNode } from '../support/nodes/node.js'
import { PASSPHRASE, REMOVED, shownBy, USER, type Kept } from './reading.js'

const [name = ''] = process.argv.slice(2)
if (name === '') throw new Error('Say under which name to keep it, such as 0.1.0.')
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
// The node notes the duration of a series a while after its points.
for (let event: { duration?: number } = {}; event.duration === undefined; await new Promise((resolve) => setTimeout(resolve, 100))) {
  event = (await request(`${node.url}${USER}/events/${series}`, { token })).body['event'] as typeof event
}
// What is removed or replaced in profile sets is to go: formats.test.ts looks for these texts.
for (const [id, by] of [['public', owner], ['private', owner], ['app', token]] as const) {
  for (const update of [{ kept: `kept in ${id}`, gone: REMOVED, changed: REMOVED }, { gone: null, changed: { at: [1, id] }, more: 1.5 }]) {
    await call('PUT', `/profile/${id}`, update, by)
  }
}
const kept: Kept = { token, shown: await shownBy(node.url, token) }
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
