/** Tests of the commands for files of events: with a running node, and on a closed store. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { distinctNames, safeName } from '../../../../src/cli/commands/events/files/save.js'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { filesOnDisk, sha256 } from '../../../support/http/multipart.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

interface Event {
  id: string
  attachments: { id: string; fileName: string; type: string; size: number }[]
}

let home: TestHome
let photo: string
let data: string
const BYTES = Buffer.from([0xff, 0xd8, 0, 1, 2, 13, 10, 255])

beforeAll(async () => {
  home = await testHome('ana-lovelace')
  await home.json('streams create s --id s')
  photo = join(home.home, 'hé llo.jpg')
  data = join(home.home, 'unknown.ending')
  writeFileSync(photo, BYTES)
  writeFileSync(data, 'x')
})
afterAll(() => home.remove())

const create = async (...files: string[]): Promise<Event> => {
  const words = ['events', 'create', '--stream', 's', '--type', 'picture/attached']
  const { event } = await home.json([...words, ...files.flatMap((file) => ['--attach', file])])
  return event as Event
}

describe.each(['a closed store', 'a running node'])('files of events, with %s', (how) => {
  let node: TestNode | undefined
  let folder: string
  beforeAll(async () => {
    if (how === 'a running node') node = await startTestNode({}, { home: home.home })
    folder = join(home.home, `saved ${how}`)
  })
  afterAll(() => node?.stop())

  it('are attached in order with media types by their names, and saved unchanged', async () => {
    const event = await create(photo, data, photo)
    expect(event.attachments).toMatchObject([
      { fileName: 'hé llo.jpg', type: 'image/jpeg', size: 8 },
      { fileName: 'unknown.ending', type: 'application/octet-stream', size: 1 },
      { fileName: 'hé llo.jpg', type: 'image/jpeg', size: 8 },
    ])
    const { saved } = await home.json(['events', 'show', event.id, '--save-attachments', folder])
    const paths = (saved as { path: string }[]).map(({ path }) => path)
    expect(paths).toEqual(['hé llo.jpg', 'unknown.ending', 'hé llo (2).jpg'].map((name) => join(folder, name)))
    expect(paths.map((path) => sha256(readFileSync(path)))).toEqual([BYTES, 'x', BYTES].map((bytes) => sha256(bytes)))
    const { user } = await home.json('users show ana-lovelace')
    expect(user).toMatchObject({ storageUsed: { attachedFiles: how === 'a running node' ? 34 : 17 } })
  })

  it('are listed by name in place of the content, after a text on a terminal', async () => {
    const plain = await create(photo, data)
    const { event } = await home.json(['events', 'create', '--stream', 's', '--type', 'note/txt', '--content', 'Boat', '--attach', data])
    const { id } = event as Event
    const cells = async (of: string): Promise<string | undefined> => (await home.run('events list --stream s')).out.split('\n').map((line) => line.split('\t')).find((line) => line[4] === of)?.[3]
    expect([await cells(plain.id), await cells(id)]).toEqual(['hé llo.jpg, unknown.ending', 'Boat'])
    expect((await home.run('events list --stream s', { tty: true })).out).toContain('Boat (unknown.en')
    for (const each of [plain.id, id]) await home.json(['events', 'delete', each, '--accept-risk', 'lose-data'])
  })

  it('are not saved over existing files without --force', async () => {
    const event = await create(photo)
    const taken = join(folder, 'taken')
    mkdirSync(taken, { recursive: true })
    writeFileSync(join(taken, 'hé llo.jpg'), 'mine')
    const words = ['events', 'show', event.id, '--save-attachments', taken]
    const { code, err } = await home.run(words)
    expect([code, readFileSync(join(taken, 'hé llo.jpg'), 'utf8')]).toEqual([6, 'mine'])
    expect(err).toContain('--force')
    expect((await home.run([...words, '--force'])).code).toBe(0)
    expect(readFileSync(join(taken, 'hé llo.jpg')).equals(BYTES)).toBe(true)
    await home.json(['events', 'delete', event.id, '--accept-risk', 'lose-data'])
  })

  it('are not saved when damaged', async () => {
    const file = join(home.home, `${how}.txt`)
    writeFileSync(file, `sound: ${how}`)
    const event = await create(file)
    const places = { places: { files: join(home.home, 'files') } as TestNode['places'] }
    const [blob = ''] = (await filesOnDisk(places)).filter((path) => path.endsWith(sha256(`sound: ${how}`, 'hex')))
    writeFileSync(blob, `wrong: ${how}`)
    const { code } = await home.run(['events', 'show', event.id, '--save-attachments', join(folder, 'damaged')])
    expect([code, existsSync(join(folder, 'damaged', `${how}.txt`))]).toEqual([13, false])
    await home.json(['events', 'delete', event.id, '--accept-risk', 'lose-data'])
  })

  it('that cannot be read are reported, and no event is created', async () => {
    const before = await home.json('events list --limit 100')
    for (const [file, exit] of [[join(home.home, 'gone'), 5], [home.home, 2]] as const) {
      const { code } = await home.run(['events', 'create', '--stream', 's', '--type', 'a/b', '--attach', file])
      expect(code).toBe(exit)
    }
    expect((await home.run(['events', 'create', '--stream', 'no-such', '--type', 'a/b', '--attach', photo])).code).toBe(5)
    const params = { streamIds: ['s'], type: 'a/b', files: [{ path: photo }, { path: join(home.home, 'gone') }] }
    const missing = await home.run(['api', 'events.create', JSON.stringify(params), '--user', 'ana-lovelace'])
    expect([missing.code, missing.err]).toEqual([5, expect.stringContaining('cannot be read by the node')])
    expect(await home.json('events list --limit 100')).toEqual(before)
  })
})

describe('names of saved files', () => {
  it.each([
    ['../../etc/passwd', '__.._etc_passwd'],
    ['.bashrc', '_bashrc'],
    ['a\u0000b\u001b[31m\u202e.txt', 'a_b_[31m_.txt'],
    ['C:\\x', 'C__x'],
    ['', 'file'],
    ['..', 'file'],
    ['con.txt', '_con.txt'],
    ['trailing. ', 'trailing'],
    ['日本.txt', '日本.txt'],
  ])('%j becomes %j', (given, name) => expect(safeName(given)).toBe(name))

  it('have a bounded length, and keep their extension', () => {
    const name = safeName(`${'é'.repeat(300)}.tar.gz`)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
    expect(name.endsWith('.gz')).toBe(true)
  })

  it('are distinct also on case-insensitive file systems', () => {
    expect(distinctNames(['a.txt', 'A.TXT', 'a.txt', 'b', 'b'])).toEqual(['a.txt', 'A (2).TXT', 'a (3).txt', 'b', 'b (2)'])
  })
})
