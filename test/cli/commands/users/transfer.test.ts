/** Tests of reports of account export and import, whose marked problems determine the exit code. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginArchive, openArchive } from '../../../../src/store/backup/archive.js'
import { testHome, type TestHome } from '../../support/closedHome.js'

type Json = Record<string, unknown>

let from: TestHome
let to: TestHome
let event: string
let hook: string
const exported = (): string => join(from.home, 'ana')

const textsOf = async (home: TestHome, line: string | readonly string[]): Promise<string> => {
  const { code, out, err } = await home.run(line, { tty: true })
  expect(code, err).toBe(0)
  return out + err
}
const lastOf = (out: string): Json => JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Json
const historyAt = async (home: TestHome, user: string): Promise<unknown> => {
  const { versions, from: source } = await home.json(['events', 'history', event, '--user', user])
  const plain = (versions as Json[]).map(({ version, modified, modifiedBy, event: content }) => {
    const { integrity: _, ...rest } = content as Json
    return { version, modified, modifiedBy, event: rest }
  })
  return { plain, source }
}

beforeAll(async () => {
  from = await testHome('ana-lovelace')
  to = await testHome('somebody')
  await from.json('streams create diary --id diary')
  const created = await from.json(['events', 'create', '--stream', 'diary', '--type', 'note/txt', '--content', 'one'])
  event = String((created['event'] as Json)['id'])
  for (const content of ['two', 'three']) await from.json(['events', 'update', event, '--content', content])
  const file = join(from.home, 'same.txt')
  writeFileSync(file, 'the same bytes')
  for (const _ of ['once', 'twice']) await from.json(['events', 'create', '--stream', 'diary', '--type', 'picture/attached', '--attach', file])
  await from.json(['accesses', 'create', '--name', 'reader', '--permission', 'diary:read'])
  hook = String(((await from.json(['webhooks', 'create', 'https://hooks.example.org/told', '--access', 'reader']))['webhook'] as Json)['id'])
  await from.run(['users', 'export', 'ana-lovelace', '--to', exported()])
})
afterAll(async () => {
  await from.remove()
  await to.remove()
})

describe('an account exported with default settings', () => {
  it('includes its history, has correct counts, and shows equal versions after the import', async () => {
    const texts = await textsOf(from, ['users', 'export', 'ana-lovelace', '--to', join(from.home, 'again')])
    expect(texts).toContain('\n  history: 2 versions\n')
    expect(texts).toContain('\n  files 1\n')
    const trial = await textsOf(to, ['users', 'import', exported(), '--dry-run'])
    const copied = await textsOf(to, ['users', 'import', exported()])
    for (const shown of [trial, copied]) {
      expect(shown).toMatch(/\n {2}files +1 +1\n/)
      expect(shown).toMatch(/\n {2}attachments +2 +2\n/)
      expect(shown).toMatch(/\n {2}eventVersions +2 +2\n/)
      expect(shown).not.toContain('✖')
    }
    expect(await historyAt(to, 'ana-lovelace')).toEqual(await historyAt(from, 'ana-lovelace'))
    expect(await to.json(['store', 'check'])).toMatchObject({ ok: true })
  })

  it('shows versions to an access only with the setting', async () => {
    const withHistory = { env: { COFFER_SET_VERSIONING_FORCE_KEEP_HISTORY: 'true' } }
    const call = ['api', 'events.getOne', JSON.stringify({ id: event, includeHistory: true }), '--user', 'ana-lovelace']
    expect(((await to.json(call))['history'] as Json[])).toEqual([])
    expect(((await to.json(call, withHistory))['history'] as Json[]).map(({ content }) => content)).toEqual(['one', 'two'])
  })
})

describe('a count of an archive without the data', () => {
  /** Writes a copy of the export with other counts. */
  async function withCounts(name: string, counts: Record<string, number>): Promise<string> {
    const archive = await openArchive(exported(), () => Promise.reject(new Error('sealed')))
    const target = join(from.home, name)
    const draft = await beginArchive({ folder: target })
    for (const member of archive.members) {
      const bytes = (): AsyncIterable<Uint8Array> => archive.read(member)
      if (member.file !== undefined) await draft.addNamed(member.file, bytes(), { kind: member.kind })
      else await draft.addStream(bytes, member.digest, member.bytes, { kind: member.kind })
    }
    const { kind, made, product, node, format, position, counts: own } = archive.manifest
    await draft.finish({ kind, made, product, node, format, position, counts: { ...own, ...counts } })
    return target
  }

  it.each([['files', 2], ['points', 1], ['zebras', 1]])('is marked, and the command exits 3: %s', async (noun, count) => {
    const folder = await withCounts(`counts-${noun}`, { [noun]: count })
    const other = ['--as', `ana-${noun}`, '--email', `${noun}@example.org`]
    const shown = await to.run(['users', 'import', folder, ...other, '--dry-run'], { tty: true })
    expect(shown.out).toMatch(new RegExp(`\n {2}${noun} +${count} +\\d  ✖\n`))
    expect(shown.code).toBe(3)
    const json = await to.run(['users', 'import', folder, ...other, '--json'])
    expect([json.code, lastOf(json.out)['differences']]).toEqual([3, 1])
    const verified = await to.run(['backup', 'verify', folder], { tty: true })
    expect(verified.out).toContain('✖')
    expect(verified.code).toBe(13)
  })

  it('is no difference in a dry run', async () => {
    const backups = join(from.home, 'backups')
    await from.json(['backup', 'create', '--to', backups])
    const name = readdirSync(backups).find((each) => !each.startsWith('.')) ?? ''
    const { code, out } = await to.run(['restore', join(backups, name), '--home', join(to.home, 'new'), '--dry-run'], { tty: true })
    expect(code).toBe(0)
    expect(out).not.toContain('✖')
    expect(out).toContain('1 account\n')
  })
})

describe('the webhooks of an imported account', () => {
  it('are inactive under another name, and the command suggests webhooks activate', async () => {
    const words = ['users', 'import', exported(), '--as', 'ana-elsewhere', '--email', 'elsewhere@example.org']
    const trial = lastOf((await to.run([...words, '--dry-run', '--json'])).out)
    expect(trial).toMatchObject({ activeWebhooks: [], pausedWebhooks: [hook] })
    const texts = await textsOf(to, words)
    const activate = `webhooks activate ${hook} --user ana-elsewhere`
    expect(texts).toContain('1 webhook is inactive: the account has another name')
    expect(texts).toContain(`coffer ${activate}`)
    const stateOf = async (): Promise<unknown> => ((await to.json('webhooks list --user ana-elsewhere'))['webhooks'] as Json[])[0]?.['state']
    expect(await stateOf()).toBe('inactive')
    await to.json(activate)
    expect(await stateOf()).toBe('active')
  })

  it('stay active under the same name, and the command warns that both nodes call them', async () => {
    const place = await testHome()
    try {
      expect(await textsOf(place, ['users', 'import', exported(), '--dry-run'])).toContain('1 webhook is active. While the account also exists on its old node, both nodes call them')
      const { code, out } = await place.run(['users', 'import', exported(), '--json'])
      expect([code, lastOf(out)]).toEqual([0, expect.objectContaining({ activeWebhooks: [hook], pausedWebhooks: [] })])
      expect(await place.json('webhooks list --user ana-lovelace')).toMatchObject({ webhooks: [{ state: 'active' }] })
    } finally {
      await place.remove()
    }
  })
})

it('the problem mark is printed only in sources that also set an exit code', () => {
  const marked: string[] = []
  const search = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) search(path)
      else if (readFileSync(path, 'utf8').includes('✖')) marked.push(path)
    }
  }
  search('src')
  expect(marked.map((path) => path.replaceAll('\\', '/')).filter((path) => !path.startsWith('src/cli/screens/')).sort()).toEqual([
    'src/cli/commands/backup/shared/comparison.ts',
    'src/cli/commands/node/doctor.ts',
    'src/cli/commands/store/check.ts',
    'src/cli/commands/sync/verify.ts',
    'src/cli/terminal/output/failure.ts',
    'src/cli/terminal/terminal.ts',
  ])
})
