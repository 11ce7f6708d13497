/** Tests of transfers between this machine and a remote node: attached files and whole accounts. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FRAME, frameOf, messageFrame } from '../../../../src/server/base/frames.js'
import { FRAMES_TYPE } from '../../../../src/server/base/framesType.js'
import { filesOnDisk } from '../../../support/http/multipart.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'
import { withNode } from '../../../support/nodes/started.js'
import { seeded } from '../../../store/leveldb/fixtures.js'
import { fillAll } from '../../../server/accountTransfer/sampleAccount.js'
import { productVersion } from '../../../../src/server/base/version.js'
import { interruptAtOnce } from '../../support/interrupt.js'
import { coffer } from '../../support/testTerminal.js'

type Json = Record<string, unknown>
const KEY = 'an operator key of more than sixteen'
const settings = { 'remoteControl.active': true, 'auth.adminAccessKey': KEY, 'uploads.maxSizeMb': 1 }
const nas = withNode(settings)
const other = withNode(settings)
const closed = withNode({ 'auth.adminAccessKey': KEY })

let folder: string
let s: Stage
const at = (...names: string[]): string => join(folder, ...names)
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-nodes-files-'))
  s = await newStage(nas())
  const draw = seeded(7)
  await fillAll(s, () => draw(1 << 30) / 2 ** 30)
  for (const [name, { url }] of [['nas', nas()], ['other', other()]] as const) await run(`nodes add ${name} ${url} --key-stdin`)
  await run(`nodes add shut ${closed().url} --key-stdin --no-check`)
  writeFileSync(at('a.txt'), 'a file of this machine')
  writeFileSync(at('large.bin'), Buffer.alloc(1024 * 1024 + 1))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a command on a machine without a node. */
const run = (line: string | string[], stdin = KEY, tty = false): ReturnType<typeof coffer> =>
  coffer(line, { env: { XDG_CONFIG_HOME: at('config'), XDG_DATA_HOME: at('data'), XDG_STATE_HOME: at('state'), NO_COLOR: '1' }, stdin, tty })
const lines = (out: string): Json[] => out.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Json)
const last = (out: string): Json => lines(out).at(-1) ?? {}
const create = (...words: string[]): ReturnType<typeof coffer> =>
  run(['events', 'create', '--user', s.username, '--stream', 'diary', '--type', 'picture/attached', ...words, '--json'])

describe('attached files of a remote node', () => {
  it('are sent at creation and later, and saved unchanged', async () => {
    const { code, out } = await create('--attach', at('a.txt'), '--attach', at('a.txt'), '--node', 'nas')
    const { event } = last(out) as { event: { id: string; attachments: Json[] } }
    expect([code, event.attachments]).toMatchObject([0, [{ fileName: 'a.txt', type: 'text/plain', size: 22 }, { fileName: 'a.txt' }]])
    writeFileSync(at('b.txt'), 'one more')
    const more = await run(['events', 'update', event.id, '--attach', at('b.txt'), '--description', 'with more', '--user', s.username, '--node', 'nas', '--json'])
    expect(last(more.out)['event']).toMatchObject({ description: 'with more', attachments: [{}, {}, { fileName: 'b.txt' }] })
    const saved = await run(['events', 'show', event.id, '--save-attachments', at('saved'), '--user', s.username, '--node', 'nas', '--json'])
    expect((last(saved.out)['saved'] as Json[]).map(({ size }) => size)).toEqual([22, 22, 8])
    expect(readdirSync(at('saved')).sort()).toEqual(['a (2).txt', 'a.txt', 'b.txt'])
    expect(readFileSync(at('saved', 'b.txt'), 'utf8')).toBe('one more')
    const again = await run(['events', 'show', event.id, '--save-attachments', at('saved'), '--user', s.username, '--node', 'nas'])
    expect(again).toMatchObject({ code: 6, err: expect.stringContaining('--force') as string })
  })

  it('are sent with a progress bar on a terminal only', async () => {
    const words = ['events', 'create', '--user', s.username, '--stream', 'diary', '--type', 'picture/attached', '--attach', at('a.txt'), '--node', 'nas']
    expect((await run(words, '', true)).err).toContain('sending')
    expect((await run(words)).err).not.toContain('sending')
  })

  it.each<[string, () => string[], number, string]>([
    ['that are too large', () => ['--attach', at('large.bin'), '--node', 'nas'], 1, 'larger than 1 MB'],
    ['that do not exist', () => ['--attach', at('none'), '--node', 'nas'], 5, 'cannot be read'],
    ['for a node without remote control', () => ['--attach', at('a.txt'), '--node', 'shut'], 4, 'remoteControl.active'],
  ])('%s are reported, and nothing is stored', async (_, words, exit, message) => {
    const before = await filesOnDisk(nas())
    const { code, out, err } = await create(...words())
    expect([code, out, err]).toEqual([exit, '', expect.stringContaining(message) as string])
    await nas().node.store.blobs.settled()
    expect(await filesOnDisk(nas())).toEqual(before)
  })
})

describe('Ctrl-C during an upload', () => {
  it.each([
    [['events', 'create', '--stream', 'diary', '--type', 'picture/attached'], 'No event was created.'],
    [['events', 'update', 'ckq2v8x0a0000abcd1234efgh'], 'Nothing was attached.'],
  ])('is reported, and nothing is stored: %j', async (words, message) => {
    const before = await filesOnDisk(nas())
    interruptAtOnce(1)
    const { code, err } = await run([...words, '--user', s.username, '--attach', at('a.txt'), '--node', 'nas'])
    expect([code, err]).toEqual([130, expect.stringContaining(`Interrupted after 0 B of 22 B. ${message}\n  → Run the same command again`) as string])
    await nas().node.store.blobs.settled()
    expect(await filesOnDisk(nas())).toEqual(before)
  })
})

/** Removes counts of calls, which the node stores some time after the calls. */
const withoutUsage = (lines: string): string => lines.replace(/,"usage":\{"calls":\{[^}]*\},"lastUsed":[\d.]+\}/g, '')

describe('an account of a remote node', () => {
  const done = { refused: 0, differences: 0, restored: { attachments: 5 } }
  beforeEach(() => rmSync(at('out'), { recursive: true, force: true }))

  it('is exported to this machine, and imported to another node, sealed or not', async () => {
    const local = await coffer(['users', 'export', s.username, '--to', at('local'), '--json'], { env: { COFFER_HOME: nas().places.home } })
    writeFileSync(at('passphrase'), 'a good passphrase\n')
    for (const [name, words] of [['plain', []], ['sealed', ['--passphrase-file', at('passphrase')]]] as const) {
      const { code, out, err } = await run(['users', 'export', s.username, '--to', at('out', name), ...words, '--node', 'nas', '--json'])
      expect({ code, err, result: last(out) }).toMatchObject({ code: 0, err: '', result: { sealed: name === 'sealed', problems: [], counts: last(local.out)['counts'] as Json } })
      const trial = await run(['users', 'import', at('out', name), '--as', `ana-${name}`, '--email', `${name}@example.org`, ...words, '--dry-run', '--node', 'other', '--json'])
      expect(last(trial.out)).toMatchObject({ event: 'done', dryRun: true, refused: 0 })
      const imported = await run(['users', 'import', at('out', name), '--as', `ana-${name}`, '--email', `${name}@example.org`, ...words, '--node', 'other', '--json'])
      expect({ code: imported.code, err: imported.err, result: last(imported.out) }).toMatchObject({ code: 0, err: '', result: { username: `ana-${name}`, ...done, restored: {} } })
    }
    for (const file of readdirSync(at('local')).filter((each) => each.endsWith('.ndjson'))) {
      expect(withoutUsage(readFileSync(at('out', 'plain', file), 'utf8')), file).toBe(withoutUsage(readFileSync(at('local', file), 'utf8')))
    }
    expect((await run('users list -q --node other')).out.split('\n').sort().join(' ').trim()).toBe('ana-plain ana-sealed')
    await other().node.store.blobs.settled()
    expect(readdirSync(join(other().places.files, '.incoming'))).toEqual([])
  })

  it('is not transferred when unknown, existing or damaged', async () => {
    expect(await run(['users', 'export', 'nobody', '--to', at('out', 'x'), '--node', 'nas'])).toMatchObject({ code: 5 })
    expect(await run(['users', 'import', at('none'), '--node', 'other'])).toMatchObject({ code: 5, err: expect.stringContaining('coffer users export') as string })
    expect(await run(['users', 'import', at('local'), '--node', 'nas'])).toMatchObject({ code: 6, err: expect.stringMatching(/--as[\s\S]*--node nas/) as string })
    expect(existsSync(at('out'))).toBe(false)
    mkdirSync(at('damaged'))
    for (const name of readdirSync(at('local'))) if (name !== 'members') writeFileSync(at('damaged', name), readFileSync(at('local', name)))
    expect(await run(['users', 'import', at('damaged'), '--as', 'ana-damaged', '--node', 'other'])).toMatchObject({ code: 13, err: expect.stringContaining(at('damaged')) as string })
    expect((await run('users list -q --node other')).out).not.toContain('ana-damaged')
  })

  it('is downloaded from another server by this command, and created on the remote node', async () => {
    const endpoint = `${nas().url.replace('//', `//${s.owner}@`)}${s.username}/`
    const { code, out, err } = await run(['users', 'import', '--from', '-', '--as', 'ana-moved', '--node', 'other', '--json'], endpoint)
    expect({ code, err, result: last(out) }).toMatchObject({ code: 0, err: '', result: { username: 'ana-moved', refused: 0, differences: 0 } })
    expect(readdirSync(at('state', 'coffer', 'moving'))).toEqual([])
    expect(existsSync(at('data'))).toBe(false)
  })
})

describe('a failed transfer', () => {
  let server: Server
  let answer: (method: string) => { headers: Json; body: Buffer; isTruncated?: boolean }
  let onRequest: (() => void) | undefined
  beforeAll(async () => {
    server = createServer((request, response) => {
      const method = request.url?.split('/').at(-1) ?? ''
      request.resume()
      onRequest?.()
      const { headers, body, isTruncated } = answer(method)
      // Sends the current version, because partial results of another version cause other errors.
      response.writeHead(200, { 'coffer-door': 'control', 'coffer-version': productVersion(), ...(headers as Record<string, string>) })
      response.write(body, () => {
        if (isTruncated === true) response.destroy()
        else if (isTruncated === false) response.end()
      })
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    await run(`nodes add false http://127.0.0.1:${(server.address() as AddressInfo).port} --key-stdin --no-check`)
  })
  afterAll(() => server.close())

  const member = Buffer.concat([messageFrame(FRAME.file, { kind: 'lines', file: 'streams.ndjson' }), frameOf(FRAME.data, Buffer.from('x'))])
  const json = (value: Json): ReturnType<typeof answer> => ({ headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(value)), isTruncated: false })
  const fake = (method: string, own: ReturnType<typeof answer>): ReturnType<typeof answer> =>
    method.startsWith('users.show') ? json({ user: { username: 'ana' } }) : method === 'events.getOne' ? json({ event: { id: 'e', attachments: [{ id: 'f', fileName: 'f.txt', size: 5 }] } }) : own

  it.each<[string, ReturnType<typeof answer>, number, string]>([
    ['is truncated', { headers: {}, body: member, isTruncated: true }, 7, 'connection to the node was lost'],
    ['ends early', { headers: {}, body: member, isTruncated: false }, 7, 'ended early'],
    ['has a wrong checksum', { headers: {}, body: Buffer.concat([member, messageFrame(FRAME.end, { bytes: 1, sha256: '0' })]), isTruncated: false }, 13, 'different bytes'],
    ['contains a path', { headers: {}, body: messageFrame(FRAME.file, { kind: 'lines', file: '../../evil' }), isTruncated: false }, 13, 'unknown format'],
    ['reports a failure of the node', { headers: {}, body: Buffer.concat([member, messageFrame(FRAME.end, { bytes: 1, sha256: '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881' }), messageFrame(FRAME.failed, { id: 'storage-full', message: 'No room.' })]), isTruncated: false }, 75, 'No room.'],
  ])('of an account leaves no folder: the response %s', async (_, own, exit, message) => {
    answer = (method) => fake(method, { ...own, headers: { 'content-type': FRAMES_TYPE } })
    const { code, err } = await run(['users', 'export', 'ana', '--to', at('broken', 'ana'), '--node', 'false'])
    expect([code, err]).toEqual([exit, expect.stringContaining(message) as string])
    expect(existsSync(at('broken')) ? readdirSync(at('broken')) : []).toEqual([])
  })

  it.each<[string, Json, Buffer, boolean, number, string]>([
    ['is truncated', { 'repr-digest': 'sha-256=:AAAA:', 'content-length': '5' }, Buffer.from('by'), true, 7, 'connection to the node was lost'],
    ['has a wrong checksum', { 'repr-digest': 'sha-256=:AAAA:' }, Buffer.from('bytes'), false, 13, 'differ from those that were attached'],
    ['has no checksum', {}, Buffer.from('bytes'), false, 7, 'did not send the digest'],
  ])('of an attached file leaves no file: the response %s', async (_, headers, body, isTruncated, exit, message) => {
    answer = (method) => fake(method, { headers, body, isTruncated })
    const { code, err } = await run(['events', 'show', 'e', '--save-attachments', at('kept'), '--user', 'ana', '--node', 'false'])
    expect([code, err]).toEqual([exit, expect.stringContaining(message) as string])
    expect(readdirSync(at('kept'))).toEqual([])
  })

  it('cancelled by Ctrl-C leaves no files, and exits 130', async () => {
    answer = (method) => fake(method, { headers: { 'content-type': FRAMES_TYPE, 'repr-digest': 'sha-256=:AAAA:' }, body: member })
    for (const line of [['users', 'export', 'ana', '--to', at('broken', 'ana')], ['events', 'show', 'e', '--save-attachments', at('kept'), '--user', 'ana']]) {
      const before = process.listenerCount('SIGINT')
      const running = run([...line, '--node', 'false'])
      for (let tries = 0; tries < 500 && process.listenerCount('SIGINT') === before; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
      process.emit('SIGINT')
      expect(await running, line[0]).toMatchObject({ code: 130, err: expect.stringMatching(/Interrupted\. Nothing was written to|Cancelled; .* was not saved/) as string })
    }
    expect([readdirSync(at('kept')), existsSync(at('broken')) ? readdirSync(at('broken')) : []]).toEqual([[], []])
  })
})
