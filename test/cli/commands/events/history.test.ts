/** Tests of `coffer events history` and `coffer events restore`. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'
import { updateTo } from '../../../../src/cli/commands/events/versions/versions.js'

type Document = Record<string, unknown>

const KEEP = { COFFER_SET_VERSIONING_FORCE_KEEP_HISTORY: 'true' }

let node: TestHome
let id: string

const runKeeping = (...words: string[]): ReturnType<TestHome['run']> => node.run(words, { env: KEEP })
const jsonKeeping = (...words: string[]): Promise<Document> => node.json(words, { env: KEEP })
const event = async (): Promise<Document> => (await node.json(['events', 'show', id]))['event'] as Document
const versions = async (): Promise<Document[]> => (await jsonKeeping('events', 'history', id))['versions'] as Document[]

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  await node.json('streams create body --id body')
  await node.json('streams create other --id other')
})
afterAll(() => node.remove())
beforeEach(async () => {
  const created = await jsonKeeping('events', 'create', '--stream', 'body', '--type', 'mass/kg', '--content', '62.5', '--time', '1000')
  id = (created['event'] as { id: string }).id
})

/** Omits the fields that every change sets. */
const withoutTracking = ({ modified: _modified, integrity: _integrity, ...rest }: Document): Document => rest
const change = (...words: string[]): Promise<Document> => jsonKeeping('events', 'update', id, ...words)

describe('events history', () => {
  it('shows the changes of each version, with author and time', async () => {
    await change('--content', '70', '--description', 'after lunch')
    await change('--stream', 'other', '--client-data', '{"a":1}')
    expect(await versions()).toMatchObject([
      { version: 1, by: 'the terminal', changes: [] },
      {
        version: 2,
        modifiedBy: 'system',
        changes: [
          { field: 'content', before: 62.5, after: 70 },
          { field: 'description', after: 'after lunch' },
        ],
      },
      { version: 3, changes: [{ field: 'streamIds', before: ['body'], after: ['other'] }, { field: 'clientData', after: { a: 1 } }] },
    ])
    const shown = await node.run(['events', 'history', id], { tty: true, env: KEEP })
    expect(shown.out).toMatch(/ {4}1 {2}[-0-9]+ [:0-9]+ by the terminal\n {7}mass\/kg 62\.5\n/)
    expect(shown.out).toContain('content   62.5 → 70')
    expect(shown.out).toContain('details   none → after lunch')
    expect(shown.out).toContain('streams   body → other')
    expect(shown.err).toMatch(/\n3 versions\n$/)
  })

  it('prints lines into a pipe, and version numbers with -q', async () => {
    await change('--content', '70')
    const lines = (await runKeeping('events', 'history', id)).out.trimEnd().split('\n').map((line) => line.split('\t'))
    for (const [, time = ''] of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/)
    expect(lines.map(([number, , by, fields, content]) => [number, by, fields, content])).toEqual([
      ['1', 'the terminal', '', '62.5'],
      ['2', 'the terminal', 'content', '70'],
    ])
    expect((await runKeeping('events', 'history', id, '-q')).out).toBe('1\n2\n')
  })

  it('names the access that changed the event, also after its revocation', async () => {
    const created = await node.json(['accesses', 'create', '--name', 'Dr Weber', '--permission', 'body:manage'])
    const access = (created['access'] as { id: string }).id
    await change('--content', '70', '--access', access)
    await node.json(['accesses', 'revoke', access])
    expect(await versions()).toMatchObject([{ by: 'the terminal' }, { by: 'Dr Weber' }])
  })

  it('lists all versions to the owner, also those without stored records', async () => {
    for (const content of ['70', '71']) await node.json(['events', 'update', id, '--content', content])
    const { versions: listed, from } = await node.json(['events', 'history', id])
    expect([from, (listed as Document[]).map(({ event: each }) => (each as Document)['content'])]).toEqual(['changes', [62.5, 70, 71]])
    const withRecords = await jsonKeeping('events', 'update', id, '--content', '72').then(() => versions())
    expect(withRecords.map(({ event: each }) => (each as Document)['content'])).toEqual([62.5, 70, 71, 72])
  })

  it('shows an access only the stored records, and suggests the setting that keeps them', async () => {
    const created = await node.json(['accesses', 'create', '--name', 'Reader', '--permission', 'body:manage'])
    const access = (created['access'] as { id: string }).id
    await node.json(['events', 'update', id, '--content', '70'])
    const { err } = await node.run(['events', 'history', id, '--access', access])
    expect(err).toContain('1 version\n')
    expect(err).toContain('config set versioning.forceKeepHistory true')
    expect(await node.json(['events', 'history', id, '--access', access])).toMatchObject({ from: 'records', versions: [{ version: 1 }] })
    const refused = await node.run(['events', 'restore', id, '--yes', '--access', access])
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('the API shows none to accesses') as string })
    expect(refused.err).toContain('config set versioning.forceKeepHistory true')
  })
})

describe('updateTo', () => {
  const plain = { type: 'mass/kg', streamIds: ['a'], time: 1, tags: [], content: 1 }
  it.each<[string, Document, Document, Document]>([
    ['no difference', plain, { ...plain, modified: 9, integrity: 'x' }, {}],
    ['another content', plain, { ...plain, content: 2 }, { content: 2 }],
    ['a version without content', plain, { ...plain, content: undefined }, { content: null }],
    ['a version without description', { ...plain, description: 'x' }, plain, { description: null }],
    ['a version without tags', { ...plain, tags: ['x'] }, plain, { tags: [] }],
    ['a version without duration', { ...plain, duration: 5 }, plain, { duration: 0 }],
    ['a running event', plain, { ...plain, duration: null }, { duration: null }],
    ['an event in the trash', { ...plain, trashed: true }, plain, { trashed: false }],
    ['client data, key by key', { ...plain, clientData: { a: 1, b: { c: 1 }, d: 2 } }, { ...plain, clientData: { a: 1, b: { c: 2 } } }, { clientData: { b: { c: 2 }, d: null } }],
    ['a version without client data', { ...plain, clientData: { a: 1 } }, plain, { clientData: { a: null } }],
    ['files, which it omits', { ...plain, attachments: [{ id: 'f', fileName: 'a', size: 1 }] }, plain, {}],
  ])('returns an update for %s', (_, now, then, update) => {
    expect(updateTo(now, then)).toEqual(update)
  })
})

describe('events restore', () => {
  it('reverts a change, and applies it again', async () => {
    const before = await event()
    await change('--content', '70', '--description', 'x', '--tag', 'x', '--time', '5', '--stream', 'other', '--duration', 'running')
    const changed = await event()
    await jsonKeeping('events', 'restore', id, '--yes')
    expect(withoutTracking(await event())).toEqual(withoutTracking(before))
    await jsonKeeping('events', 'restore', id, '--yes', '--to-version', '2')
    expect(withoutTracking(await event())).toEqual(withoutTracking(changed))
    expect(await versions()).toHaveLength(4)
  })

  it('restores the event from the trash', async () => {
    await jsonKeeping('events', 'trash', id)
    await jsonKeeping('events', 'restore', id, '--yes')
    expect(await event()).not.toHaveProperty('trashed')
  })

  it('restores the version at a given time', async () => {
    const first = Number((await event())['modified'])
    const { event: changed } = await change('--content', '70')
    const second = Number((changed as Document)['modified'])
    await change('--content', '80')
    await jsonKeeping('events', 'restore', id, '--yes', '--at', String(second))
    expect(await event()).toMatchObject({ content: 70 })
    const early = await runKeeping('events', 'restore', id, '--yes', '--at', String(first - 10))
    expect(early).toMatchObject({ code: 5 })
    expect(early.err).toContain('the oldest is from')
  })

  it('shows the changes without applying them with -n', async () => {
    await change('--content', '70')
    const shown = await runKeeping('events', 'restore', id, '-n')
    expect(shown.err).toContain('content   70 → 62.5')
    expect(shown.err).toContain('Reverting to version 1')
    expect(await jsonKeeping('events', 'restore', id, '-n')).toMatchObject({ restored: 1, update: { content: 62.5 }, dryRun: true })
    expect(await event()).toMatchObject({ content: 70 })
  })

  it('requires a confirmation', async () => {
    await change('--content', '70')
    const unconfirmed = await runKeeping('events', 'restore', id)
    expect(unconfirmed).toMatchObject({ code: 2 })
    expect(unconfirmed.err).toContain('--yes is missing')
    expect((await node.run(['events', 'restore', id], { tty: true, stdin: 'n\n', env: KEEP })).code).toBe(130)
    expect(await event()).toMatchObject({ content: 70 })
    expect((await node.run(['events', 'restore', id], { tty: true, stdin: 'y\n', env: KEEP })).code).toBe(0)
    expect(await event()).toMatchObject({ content: 62.5 })
  })

  it.each([
    ['an event without earlier versions', [], 5, 'it was never changed'],
    ['an unknown version', ['--to-version', '9'], 5, 'no earlier version'],
    ['--to-version together with --at', ['--to-version', '1', '--at', 'now'], 2, 'cannot be combined'],
    ['version 0', ['--to-version', '0'], 2, ', 1 or more'],
  ])('refuses %s', async (_, words, code, message) => {
    const refused = await runKeeping('events', 'restore', id, '--yes', ...words)
    expect(refused.code).toBe(code)
    expect(refused.err).toContain(message)
  })

  it('restores a version without a stored record', async () => {
    await node.json(['events', 'update', id, '--content', '70', '--description', 'x'])
    expect((await node.run(['events', 'restore', id, '--yes'])).code).toBe(0)
    expect(await event()).toMatchObject({ content: 62.5 })
    expect(await event()).not.toHaveProperty('description')
  })

  it('refuses a deleted event', async () => {
    await change('--content', '70')
    await jsonKeeping('events', 'delete', id, '--accept-risk=lose-data')
    const { code, err } = await runKeeping('events', 'restore', id, '--yes')
    expect(code).toBe(5)
    expect(err).toContain('deleted events cannot be restored')
    const shown = await node.run(['events', 'history', id], { tty: true, env: KEEP })
    expect(shown.out).toContain('deleted on')
  })

  it('keeps the attached files', async () => {
    await change('--content', '70')
    await writeFile(`${node.home}/a.txt`, 'a')
    await jsonKeeping('api', 'events.addAttachment', JSON.stringify({ id, files: [{ path: `${node.home}/a.txt` }] }))
    const { err } = await runKeeping('events', 'restore', id, '--yes', '--to-version', '1')
    expect(err).toContain('they are not changed')
    expect(await event()).toMatchObject({ content: 62.5, attachments: [{ fileName: 'a.txt' }] })
  })
})
