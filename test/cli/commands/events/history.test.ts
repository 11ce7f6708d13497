/** Earlier versions of an event: shown with what changed, and brought back. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'
import { updateTo } from '../../../../src/cli/commands/events/versions/versions.js'

type Document = Record<string, unknown>

const KEEP = { COFFER_SET_VERSIONING_FORCE_KEEP_HISTORY: 'true' }

let node: TestHome
let id: string

const kept = (...words: string[]): ReturnType<TestHome['run']> => node.run(words, { env: KEEP })
const keptJson = (...words: string[]): Promise<Document> => node.json(words, { env: KEEP })
const event = async (): Promise<Document> => (await node.json(['events', 'show', id]))['event'] as Document
const versions = async (): Promise<Document[]> => (await keptJson('events', 'history', id))['versions'] as Document[]

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  await node.json('streams create body --id body')
  await node.json('streams create other --id other')
})
afterAll(() => node.remove())
beforeEach(async () => {
  const made = await keptJson('events', 'create', '--stream', 'body', '--type', 'mass/kg', '--content', '62.5', '--time', '1000')
  id = (made['event'] as { id: string }).id
})

/** Without what every change sets. */
const said = ({ modified: _modified, integrity: _integrity, ...rest }: Document): Document => rest
const change = (...words: string[]): Promise<Document> => keptJson('events', 'update', id, ...words)

describe('events history', () => {
  it('tells what differs, who did it and when', async () => {
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
    expect(shown.out).toContain('words     nothing → after lunch')
    expect(shown.out).toContain('streams   body → other')
    expect(shown.err).toMatch(/\n3 versions\n$/)
  })

  it('is lines in a pipe, and numbers when quiet', async () => {
    await change('--content', '70')
    const lines = (await kept('events', 'history', id)).out.trimEnd().split('\n').map((line) => line.split('\t'))
    expect(lines.map(([number, , by, fields, content]) => [number, by, fields, content])).toEqual([
      ['1', 'the terminal', '', '62.5'],
      ['2', 'the terminal', 'content', '70'],
    ])
    expect((await kept('events', 'history', id, '-q')).out).toBe('1\n2\n')
  })

  it('names the access that changed it, also one that is gone', async () => {
    const made = await node.json(['accesses', 'create', '--name', 'Dr Weber', '--permission', 'body:manage'])
    const access = (made['access'] as { id: string }).id
    await change('--content', '70', '--access', access)
    await node.json(['accesses', 'revoke', access])
    expect(await versions()).toMatchObject([{ by: 'the terminal' }, { by: 'Dr Weber' }])
  })

  it('has all that the event ever said, whatever the node keeps for others', async () => {
    for (const content of ['70', '71']) await node.json(['events', 'update', id, '--content', content])
    const { versions: said, from } = await node.json(['events', 'history', id])
    expect([from, (said as Document[]).map(({ event: each }) => (each as Document)['content'])]).toEqual(['changes', [62.5, 70, 71]])
    const withRecords = await keptJson('events', 'update', id, '--content', '72').then(() => versions())
    expect(withRecords.map(({ event: each }) => (each as Document)['content'])).toEqual([62.5, 70, 71, 72])
  })

  it('shows an access what the interface shows it, and says which setting that is', async () => {
    const made = await node.json(['accesses', 'create', '--name', 'Reader', '--permission', 'body:manage'])
    const access = (made['access'] as { id: string }).id
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
    ['nothing', plain, { ...plain, modified: 9, integrity: 'x' }, {}],
    ['a content', plain, { ...plain, content: 2 }, { content: 2 }],
    ['no content', plain, { ...plain, content: undefined }, { content: null }],
    ['no words', { ...plain, description: 'x' }, plain, { description: null }],
    ['no tags', { ...plain, tags: ['x'] }, plain, { tags: [] }],
    ['a moment', { ...plain, duration: 5 }, plain, { duration: 0 }],
    ['what goes on', plain, { ...plain, duration: null }, { duration: null }],
    ['out of the trash', { ...plain, trashed: true }, plain, { trashed: false }],
    ['data key by key', { ...plain, clientData: { a: 1, b: { c: 1 }, d: 2 } }, { ...plain, clientData: { a: 1, b: { c: 2 } } }, { clientData: { b: { c: 2 }, d: null } }],
    ['no data', { ...plain, clientData: { a: 1 } }, plain, { clientData: { a: null } }],
    ['no files', { ...plain, attachments: [{ id: 'f', fileName: 'a', size: 1 }] }, plain, {}],
  ])('says %s', (_, now, then, update) => {
    expect(updateTo(now, then)).toEqual(update)
  })
})

describe('events restore', () => {
  it('takes a change back, and brings it again', async () => {
    const before = await event()
    await change('--content', '70', '--description', 'x', '--tag', 'x', '--time', '5', '--stream', 'other', '--duration', 'running')
    const changed = await event()
    await keptJson('events', 'restore', id, '--yes')
    expect(said(await event())).toEqual(said(before))
    await keptJson('events', 'restore', id, '--yes', '--to-version', '2')
    expect(said(await event())).toEqual(said(changed))
    expect(await versions()).toHaveLength(4)
  })

  it('takes it out of the trash', async () => {
    await keptJson('events', 'trash', id)
    await keptJson('events', 'restore', id, '--yes')
    expect(await event()).not.toHaveProperty('trashed')
  })

  it('finds the version of a time', async () => {
    const first = Number((await event())['modified'])
    const { event: changed } = await change('--content', '70')
    const second = Number((changed as Document)['modified'])
    await change('--content', '80')
    await keptJson('events', 'restore', id, '--yes', '--at', String(second))
    expect(await event()).toMatchObject({ content: 70 })
    const early = await kept('events', 'restore', id, '--yes', '--at', String(first - 10))
    expect(early).toMatchObject({ code: 5 })
    expect(early.err).toContain('the oldest is from')
  })

  it('shows what would change, and changes nothing then', async () => {
    await change('--content', '70')
    const shown = await kept('events', 'restore', id, '-n')
    expect(shown.err).toContain('content   70 → 62.5')
    expect(shown.err).toContain('Reverting to version 1')
    expect(await keptJson('events', 'restore', id, '-n')).toMatchObject({ restored: 1, update: { content: 62.5 }, dryRun: true })
    expect(await event()).toMatchObject({ content: 70 })
  })

  it('asks first', async () => {
    await change('--content', '70')
    const nobody = await kept('events', 'restore', id)
    expect(nobody).toMatchObject({ code: 2 })
    expect(nobody.err).toContain('--yes is missing')
    expect((await node.run(['events', 'restore', id], { tty: true, stdin: 'n\n', env: KEEP })).code).toBe(130)
    expect(await event()).toMatchObject({ content: 70 })
    expect((await node.run(['events', 'restore', id], { tty: true, stdin: 'y\n', env: KEEP })).code).toBe(0)
    expect(await event()).toMatchObject({ content: 62.5 })
  })

  it.each([
    ['without history', [], 5, 'it was never changed'],
    ['a version that is not there', ['--to-version', '9'], 5, 'no earlier version'],
    ['both ways of choosing', ['--to-version', '1', '--at', 'now'], 2, 'cannot be combined'],
    ['version 0', ['--to-version', '0'], 2, ', 1 or more'],
  ])('refuses %s', async (_, words, code, message) => {
    const refused = await kept('events', 'restore', id, '--yes', ...words)
    expect(refused.code).toBe(code)
    expect(refused.err).toContain(message)
  })

  it('goes back also where the node kept no record', async () => {
    await node.json(['events', 'update', id, '--content', '70', '--description', 'x'])
    expect((await node.run(['events', 'restore', id, '--yes'])).code).toBe(0)
    expect(await event()).toMatchObject({ content: 62.5 })
    expect(await event()).not.toHaveProperty('description')
  })

  it('cannot bring a deleted event back', async () => {
    await change('--content', '70')
    await keptJson('events', 'delete', id, '--accept-risk=lose-data')
    const { code, err } = await kept('events', 'restore', id, '--yes')
    expect(code).toBe(5)
    expect(err).toContain('deleted events cannot be restored')
    const shown = await node.run(['events', 'history', id], { tty: true, env: KEEP })
    expect(shown.out).toContain('deleted on')
  })

  it('leaves files as they are', async () => {
    await change('--content', '70')
    await writeFile(`${node.home}/a.txt`, 'a')
    await keptJson('api', 'events.addAttachment', JSON.stringify({ id, files: [{ path: `${node.home}/a.txt` }] }))
    const { err } = await kept('events', 'restore', id, '--yes', '--to-version', '1')
    expect(err).toContain('they are not changed')
    expect(await event()).toMatchObject({ content: 62.5, attachments: [{ fileName: 'a.txt' }] })
  })
})
