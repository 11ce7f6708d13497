/** Tests of `coffer backup` and `coffer restore`. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { scheduleOf, type Schedule } from '../../../../src/cli/commands/backup/shared/schedule.js'
import { isDue, linesOf } from '../../../../src/cli/commands/backup/shared/scheduled.js'
import { loadConfig } from '../../../../src/server/config/config.js'
import { homes } from '../../../support/nodes/home.js'
import { startTestNode } from '../../../support/nodes/node.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

type Json = Record<string, unknown>
const { folder } = homes()
let home: TestHome
/** An unsealed and a sealed backup, each in its own folder. */
let plain: { to: string; path: string }
let sealed: { to: string; path: string; passphrase: string }
let at: string

beforeAll(async () => {
  home = await testHome('ana-lovelace')
  await home.json(['streams', 'create', 'Diary', '--user', 'ana-lovelace'])
  const [to, other] = [await folder(), await folder()]
  plain = { to, path: String((await home.json(['backup', 'create', '--to', to]))['path']) }
  const passphrase = join(await folder(), 'passphrase')
  writeFileSync(passphrase, 'several words that nobody guesses\n')
  const made = await home.json(['backup', 'create', '--to', other, '--passphrase-file', passphrase])
  sealed = { to: other, path: String(made['path']), passphrase }
})
afterAll(() => home.remove())
beforeEach(async () => {
  at = await folder()
})

const backup = (...words: string[]): ReturnType<TestHome['run']> => home.run(['backup', ...words])
/** Restores into a home other than that of the backups. */
const restore = (into: string, ...words: string[]): ReturnType<TestHome['run']> => home.run(['restore', ...words, '--home', into])

describe('coffer backup create', () => {
  it('answers one stable JSON object to scripts', async () => {
    const { code, out } = await backup('create', '--to', at, '--json')
    const answer = JSON.parse(out.trim().split('\n').at(-1) ?? '') as Json
    expect(code).toBe(0)
    expect(answer).toEqual({
      event: 'done',
      path: expect.stringContaining(at) as string,
      bytes: expect.any(Number) as number,
      newBytes: expect.any(Number) as number,
      readBytes: expect.any(Number) as number,
      sealed: false,
      counts: expect.objectContaining({ users: 1, streams: 1, events: 4, attachments: 0, files: 0 }) as Json,
      problems: [],
    })
    expect(statSync(String(answer['path'])).mode & 0o077).toBe(0)
  })

  it('prints only the path into a pipe, and warns about an unsealed backup', async () => {
    const { code, out, err } = await backup('create', '--to', at)
    expect([code, out]).toEqual([0, expect.stringMatching(/^\S+Z\n$/) as string])
    expect(err).toContain('not sealed')
    expect(err).toContain('backup verify')
  })

  it('writes only new data, or all with --full', async () => {
    const first = await home.json(['backup', 'create', '--to', at])
    const second = await home.json(['backup', 'create', '--to', at])
    expect(Number(second['newBytes'])).toBeLessThan(Number(first['newBytes']))
    const full = await home.json(['backup', 'create', '--to', at, '--full'])
    expect(full['newBytes']).toBe(full['bytes'])
  })

  it('removes its checkpoint from the home of a running node', async () => {
    const node = await startTestNode({}, { home: home.home })
    try {
      const { path } = await home.json(['backup', 'create', '--to', at])
      expect((await home.json(['backup', 'verify', String(path)]))['differences']).toBe(0)
      expect(readdirSync(home.home)).not.toContain('checkpoints')
    } finally {
      await node.stop()
    }
  })

  it.each<[string, string[], number, string]>([
    ['without a folder', [], 2, '--to is missing'],
    ['with a passphrase other than that of the earlier backups', ['--passphrase-stdin'], 12, 'does not match the backups'],
    ['without the passphrase of the earlier backups', [], 2, '--passphrase-file or --passphrase-stdin is missing'],
    ['with a missing passphrase file', ['--passphrase-file', '/nowhere/at/all'], 2, 'does not exist'],
  ])('%s fails and writes nothing', async (name, words, code, text) => {
    const to = name === 'without a folder' ? [] : ['--to', sealed.to]
    const answer = await home.run(['backup', 'create', ...to, ...words], { stdin: 'another one' })
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(text) as string])
    expect(readdirSync(sealed.to)).toHaveLength(1)
  })
})

describe('coffer backup list and show', () => {
  it('describe backups without a passphrase and without usernames', async () => {
    const { backups } = (await home.json(['backup', 'list', '--to', sealed.to])) as { backups: Json[] }
    expect(backups).toEqual([expect.objectContaining({ path: sealed.path, kind: 'node', sealed: true })])
    const shown = await backup('show', sealed.path)
    expect(shown.out).toContain('sealed    with a passphrase')
    expect(JSON.stringify(backups) + shown.out).not.toContain('ana-lovelace')
    expect((await backup('list', '--to', at)).err).toContain('No backups')
    expect((await backup('show', at)).code).toBe(5)
  })
})

describe('coffer backup verify', () => {
  it('restores into a scratch folder, compares, and removes the restored files', async () => {
    const answer = await home.json(['backup', 'verify', plain.path, '--scratch', at])
    expect(answer).toMatchObject({ event: 'done', differences: 0, problems: [], checked: { users: 1 } })
    expect(answer['restored']).toEqual(answer['asked'])
    expect(readdirSync(at)).toEqual([])
    const latest = await home.json(['backup', 'verify', '--latest', '--to', sealed.to, '--passphrase-file', sealed.passphrase])
    expect(latest['path']).toBe(sealed.path)
  })

  it.each<[string, (copy: string) => string[], number, string]>([
    ['a folder that is not a backup', () => [at], 5, 'no archive'],
    ['--latest in an empty folder', () => ['--latest', '--to', at], 5, 'No backups in'],
    ['a path together with --latest', () => [plain.path, '--latest'], 2, 'either the path of a backup or --latest'],
    ['a wrong passphrase', () => [sealed.path, '--passphrase-stdin'], 12, 'does not open'],
    ['a missing member', (copy) => [withoutMember(copy)], 13, 'is missing'],
    ['an withEditedManifest manifest', (copy) => [withEditedManifest(copy)], 13, 'was modified'],
  ])('reports %s', async (_, words, code, text) => {
    const copy = join(at, 'copy')
    const line = ['backup', 'verify', ...words(copy)]
    const answer = await home.run(line, { stdin: 'wrong' })
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(text) as string])
  })
})

function withoutMember(copy: string): string {
  cpSync(plain.path, copy, { recursive: true })
  const first = readdirSync(join(copy, 'members'))[0] ?? ''
  rmSync(join(copy, 'members', first), { recursive: true })
  return copy
}

function withEditedManifest(copy: string): string {
  cpSync(plain.path, copy, { recursive: true })
  const path = join(copy, 'manifest.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"events": 4', '"events": 5'))
  return copy
}

describe('coffer restore', () => {
  it('recreates the node, and answers one stable JSON object to scripts', async () => {
    const { code, out } = await restore(at, sealed.path, '--passphrase-file', sealed.passphrase, '--json')
    const answer = JSON.parse(out) as Json
    expect([code, answer]).toEqual([0, expect.objectContaining({ event: 'done', home: at, differences: 0 })])
    expect(answer['restored']).toEqual(answer['asked'])
    const again = await home.run(['users', 'show', 'ana-lovelace', '--home', at, '--json'])
    const before = await home.run(['users', 'show', 'ana-lovelace', '--json'])
    const user = ({ out: text }: { out: string }): Json => ({ ...(JSON.parse(text) as { user: Json }).user, storageUsed: 'measured anew' })
    expect(user(again)).toEqual(user(before))
  })

  it('reports its plan without changes with --dry-run', async () => {
    const { code, err } = await restore(join(at, 'new'), plain.path, '--dry-run')
    expect([code, existsSync(join(at, 'new'))]).toEqual([0, false])
    expect(err).toContain('Nothing was restored')
  })

  it.each<[string, string, number, string]>([
    ['over an existing node', 'node', 6, 'A node already exists'],
    ['over files of a node', 'files', 6, 'already exist'],
    ['from a missing backup', 'nothing', 5, 'no archive'],
    ['from a damaged backup', 'altered', 13, 'damaged'],
  ])('%s changes nothing', async (_, what, code, text) => {
    const into = join(at, 'home')
    if (what === 'node') await restore(into, plain.path)
    if (what === 'files') {
      mkdirSync(join(into, 'files'), { recursive: true })
      writeFileSync(join(into, 'files', 'kept'), '')
    }
    const before = existsSync(into) ? readdirSync(into, { recursive: true }).length : 0
    const from = what === 'nothing' ? join(at, 'none') : what === 'altered' ? withoutMember(join(at, 'copy')) : plain.path
    const answer = await restore(into, from)
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(text) as string])
    expect(existsSync(into) ? readdirSync(into, { recursive: true }).length : 0).toBe(before)
  })
})

describe('coffer restore --user', () => {
  it('restores a deleted account, and a copy of an account under another name', async () => {
    await restore(at, plain.path)
    const other = ['--user', 'ana-lovelace', '--as', 'ana-again', '--email', 'again@example.org']
    const { code, err } = await restore(at, plain.path, ...other)
    expect([code, err]).toEqual([0, expect.stringContaining('Account ana-again created') as string])
    await home.run(['users', 'delete', 'ana-lovelace', '--accept-risk=lose-data', '--home', at])
    const back = await restore(at, plain.path, '--user', 'ana-lovelace', '--json')
    expect(JSON.parse(back.out)).toMatchObject({ event: 'done', username: 'ana-lovelace', refused: 0, differences: 0 })
    const { out } = await home.run(['users', 'list', '--home', at, '-q'])
    expect(out.trim().split('\n').sort()).toEqual(['ana-again', 'ana-lovelace'])
  })

  it.each<[string, string[], number, string]>([
    ['of an existing account', ['--user', 'ana-lovelace'], 6, 'ana-lovelace'],
    ['of an account that is not in the backup', ['--user', 'nobody-here'], 5, 'Unknown user'],
    ['with --as but without --user', ['--as', 'somebody'], 2, 'require --user'],
  ])('%s changes nothing', async (_, words, code, text) => {
    await restore(at, plain.path)
    const answer = await restore(at, plain.path, ...words)
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(text) as string])
  })
})

describe('coffer backup create --user', () => {
  it('creates an archive of one account that can be verified and listed, and that prune ignores', async () => {
    const made = await home.json(['backup', 'create', '--to', at, '--user', 'ana-lovelace', '--passphrase-file', sealed.passphrase])
    expect(made).toMatchObject({ event: 'done', sealed: true, counts: { users: 1, streams: 1 }, problems: [] })
    const path = String(made['path'])
    expect(path).toMatch(/Z-ana-lovelace$/)
    expect(await home.json(['backup', 'verify', path, '--scratch', await folder(), '--passphrase-file', sealed.passphrase])).toMatchObject({
      asked: { users: 1, streams: 1 },
      differences: 0,
      checked: { users: 1 },
    })
    expect((await backup('verify', '--latest', '--to', at)).err).toContain('No backups in')
    await home.json(['backup', 'create', '--to', at])
    expect(await home.json(['backup', 'list', '--to', at])).toMatchObject({ backups: [{ kind: 'account' }, { kind: 'node' }] })
    expect(await home.json(['backup', 'prune', '--to', at, '--keep-last', '1', '--yes'])).toMatchObject({ removed: [] })
    expect(existsSync(path)).toBe(true)
  })

  it('creates an archive that fails verification after an edit', async () => {
    const { path } = await home.json(['backup', 'create', '--to', at, '--user', 'ana-lovelace', '--unsealed'])
    const file = join(String(path), 'streams.ndjson')
    writeFileSync(file, readFileSync(file, 'utf8').replace('Diary', 'Dairy'))
    expect(await backup('verify', String(path))).toMatchObject({ code: 13 })
  })

  it.each([
    ['an unknown account', ['--user', 'nobody', '--unsealed'], 5, 'Unknown user'],
    ['an option for backups of the whole node', ['--user', 'ana-lovelace', '--full'], 2, '--full requires'],
  ])('refuses %s', async (_, words, code, message) => {
    expect(await backup('create', '--to', at, ...words)).toMatchObject({ code, err: expect.stringContaining(message) as string })
    expect(readdirSync(at)).toEqual([])
  })
})

describe('coffer backup prune', () => {
  it('removes backups that no retention rule keeps, and leaves the others intact', async () => {
    for (let n = 0; n < 3; n++) await home.json(['backup', 'create', '--to', at])
    expect((await backup('prune', '--to', at)).err).toContain('No retention rule given')
    const dry = await home.json(['backup', 'prune', '--to', at, '--keep-last', '1', '-n'])
    expect([(dry['removed'] as string[]).length, readdirSync(at).length]).toEqual([2, 3])
    expect((await backup('prune', '--to', at, '--keep-last', '1')).code).toBe(2)
    const done = await home.json(['backup', 'prune', '--to', at, '--keep-last', '1', '--yes'])
    expect(readdirSync(at)).toEqual(done['kept'])
    expect((await home.json(['backup', 'verify', '--latest', '--to', at]))['differences']).toBe(0)
  })
})

describe('coffer backup schedule', () => {
  it('sets the schedule that a running node uses', async () => {
    expect((await backup('schedule')).out).toContain('Automatic backups are off')
    expect((await backup('schedule', '--every', '1d')).err).toContain('--to <folder> is missing')
    const set = await home.json(['backup', 'schedule', '--to', at, '--every', '6h', '--keep-daily', '3'])
    expect(set).toMatchObject({ changed: true, schedule: { to: at, everySeconds: 21_600, keep: { daily: 3, weekly: 4 } } })
    const config = loadConfig({ file: join(home.home, 'config.toml') })
    const schedule = scheduleOf(config) as Schedule
    expect(linesOf(schedule, '/h')).toEqual([
      ['backup', 'create', '--home', '/h', '--to', at, '--no-input', '--json', '--unsealed'],
      ['backup', 'prune', '--home', '/h', '--to', at, '--no-input', '--json', '--keep-last', '3', '--keep-daily', '3', '--keep-weekly', '4', '--keep-monthly', '12', '--yes'],
    ])
    const now = Date.now() / 1000
    expect(await isDue(schedule, now)).toBe(true)
    await home.json(['backup', 'create'])
    expect(await isDue(schedule, now + 100)).toBe(false)
    expect(await isDue(schedule, now + 21_700)).toBe(true)
    await home.json(['backup', 'schedule', '--off'])
    expect(scheduleOf(loadConfig({ file: join(home.home, 'config.toml') }))).toBeUndefined()
  })
})
