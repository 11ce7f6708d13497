import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { treeLines } from '../../../../src/cli/commands/streams/tree.js'
import { placedStreams } from '../../../../src/cli/client/streams.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

let node: TestHome
let count = 0
/** Id of the current test's own root stream. */
let root: string

beforeAll(async () => {
  node = await testHome('ana-lovelace')
})
afterAll(() => node.remove())
beforeEach(async () => {
  root = `root-${++count}`
  await node.json(`streams create ${root} --id ${root}`)
  await node.json(`streams create child --id ${root}-child --parent ${root}`)
})

const addEvent = (stream: string): Promise<unknown> =>
  node.json(`events create --stream ${stream} --type mass/kg --content 1 --time 1000`)
const idsBelow = async (id: string, ...more: string[]): Promise<string[]> =>
  (await node.run(['streams', 'tree', id, '-q', ...more])).out.trim().split('\n')

describe('streams tree', () => {
  const leaf = (name: string, more: Record<string, unknown> = {}): object => ({ id: name.toLowerCase(), name, children: [], ...more })
  const streams = [
    { ...leaf('Heart'), children: [{ ...leaf('Rate'), children: [leaf('Resting')] }, leaf('Pressure', { trashed: true })] },
    leaf('Diary'),
  ]

  it('draws names, ids and trashed streams', () => {
    expect(treeLines(placedStreams(streams), 80)).toEqual([
      'Heart          heart',
      '├─ Rate        rate',
      '│  └─ Resting  resting',
      '└─ Pressure    pressure  (in the trash)',
      'Diary          diary',
    ])
  })

  it('draws a tree on a terminal, and prints tab-separated lines into a pipe, ids or JSON', async () => {
    const drawn = await node.run(`streams tree ${root}`, { tty: true })
    expect(drawn.out).toBe(`${root.padEnd(8)}  ${root}\n└─ child  ${root}-child\n`)
    expect(drawn.err).toContain('2 streams')
    const piped = await node.run(`streams tree ${root}`)
    expect(piped.out).toBe(`${root}\t\t${root}\n${root}-child\t${root}\tchild\n`)
    expect(await idsBelow(root)).toEqual([root, `${root}-child`])
    const json = await node.json(`streams tree ${root}`)
    expect(json).toEqual(await node.json(['api', 'streams.get', `{"id":"${root}"}`]))
  })

  it('shows trashed streams with --all', async () => {
    await node.json(`streams trash ${root}-child`)
    expect(await idsBelow(root)).toEqual([root])
    expect(await idsBelow(root, '--all')).toEqual([root, `${root}-child`])
  })

  it('exits 5 for an unknown stream', async () => {
    expect((await node.run('streams tree nope')).code).toBe(5)
  })
})

describe('streams create', () => {
  it('prints the id', async () => {
    const { code, out, err } = await node.run(['streams', 'create', 'Résting rate', '--id', 'Résting rate', '--parent', root])
    expect([code, out]).toEqual([0, 'Resting-rate\n'])
    expect(err).toContain('✔ Stream Résting rate created')
  })

  it('accepts client data', async () => {
    const { stream } = await node.json(['streams', 'create', 'x', '--parent', root, '--client-data', '{"a":1}'])
    expect(stream).toMatchObject({ name: 'x', parentId: root, clientData: { a: 1 } })
  })

  it.each([
    ['an id in use', (): string[] => ['x', '--id', root], 6],
    ['a name in use', (): string[] => ['child', '--parent', root], 6],
    ['an unknown parent', (): string[] => ['x', '--parent', 'nope'], 5],
    ['client data that is not an object', (): string[] => ['x', '--client-data', '[]'], 2],
    ['an unknown account', (): string[] => ['x', '--user', 'nobody'], 5],
  ])('refuses %s', async (_, words, code) => {
    expect((await node.run(['streams', 'create', ...words()])).code).toBe(code)
  })
})

describe('streams update', () => {
  it('changes the name and merges client data', async () => {
    await node.json(['streams', 'update', root, '--client-data', '{"a":1,"b":2}'])
    const { stream } = await node.json(['streams', 'update', root, '--name', `${root} anew`, '--client-data', '{"a":null}'])
    expect(stream).toMatchObject({ id: root, name: `${root} anew`, clientData: { b: 2 } })
  })

  it('restores a stream from the trash with --restore', async () => {
    await node.json(`streams trash ${root}`)
    expect(await node.json(`streams update ${root} --restore`)).not.toHaveProperty('stream.trashed')
  })

  it('requires a change', async () => {
    expect((await node.run(`streams update ${root}`)).code).toBe(2)
  })
})

describe('streams move', () => {
  it('moves a stream to another parent, and to the root', async () => {
    const { stream } = await node.json(`streams move ${root}-child --to-root`)
    expect(stream).toMatchObject({ parentId: null })
    expect(await node.json(`streams move ${root}-child --to ${root}`)).toMatchObject({ stream: { parentId: root } })
  })

  it.each([[''], ['--to x --to-root']])('requires exactly one destination: %s', async (options) => {
    expect((await node.run(`streams move ${root}-child ${options}`)).code).toBe(2)
  })

  it('refuses a descendant as the parent', async () => {
    expect((await node.run(`streams move ${root} --to ${root}-child`)).code).toBe(1)
  })
})

describe('streams trash', () => {
  it('hides a stream, and does not delete a trashed one', async () => {
    expect(await node.json(`streams trash ${root}`)).toMatchObject({ stream: { trashed: true } })
    expect(await node.json(`streams trash ${root}`)).toMatchObject({ stream: { trashed: true } })
    expect(await idsBelow(root, '--all')).toEqual([root, `${root}-child`])
  })
})

describe('streams delete', () => {
  it('requires a confirmation', async () => {
    const no = await node.run(`streams delete ${root}`, { tty: true, stdin: 'n\n' })
    expect(no.code).toBe(130)
    expect(no.err).toContain('and the stream below it')
    expect((await node.run(`streams delete ${root}`)).err).toContain('--yes is missing')
    expect(await idsBelow(root)).toEqual([root, `${root}-child`])
    const yes = await node.run(`streams delete ${root}`, { tty: true, stdin: 'y\n' })
    expect(yes.code).toBe(0)
    expect((await node.run(`streams tree ${root} --all`)).code).toBe(5)
  })

  it('requires no confirmation for a trashed stream', async () => {
    await node.json(`streams trash ${root}-child`)
    expect(await node.json(`streams delete ${root}-child`)).toMatchObject({ streamDeletion: { id: `${root}-child` } })
  })

  it('requires an option for events, also for trashed ones', async () => {
    const event = await node.json(`events create --stream ${root}-child --type mass/kg --content 1`)
    await node.json(`events trash ${String((event['event'] as { id: string }).id)}`)
    const { code, err } = await node.run(`streams delete ${root} --yes`)
    expect(code).toBe(2)
    expect(err).toContain('--merge-events-with-parent or --delete-events is required')
  })

  it('moves events to the parent', async () => {
    await addEvent(`${root}-child`)
    const answer = await node.json(`streams delete ${root}-child --merge-events-with-parent --yes`)
    expect(answer).toMatchObject({ updatedEvents: [{ action: 'mergedToParent' }] })
    expect(await node.json(`events list --stream ${root}`)).toMatchObject({ events: [{ streamIds: [root] }] })
  })

  it('deletes events only after the name is typed', async () => {
    await addEvent(`${root}-child`)
    const line = `streams delete ${root} --delete-events`
    expect((await node.run(`${line} --yes`)).code).toBe(2)
    expect((await node.run(line, { tty: true, stdin: 'yes\n' })).code).toBe(130)
    expect(await idsBelow(root)).toEqual([root, `${root}-child`])
    const typed = await node.run(line, { tty: true, stdin: `${root}\n` })
    expect(typed.code).toBe(0)
    expect(typed.err).toContain('1 event deleted with it')
  })

  it('deletes events with --accept-risk', async () => {
    await addEvent(root)
    const answer = await node.json(`streams delete ${root} --delete-events --accept-risk=lose-data`)
    expect(answer).toMatchObject({ updatedEvents: [{ action: 'deleted' }], streamDeletion: { id: root } })
  })

  it('refuses invalid combinations before any change', async () => {
    expect((await node.run(`streams delete ${root} --merge-events-with-parent --yes`)).code).toBe(2)
    expect((await node.run(`streams delete ${root} --merge-events-with-parent --delete-events`)).code).toBe(2)
    expect((await node.run('streams delete nope --yes')).code).toBe(5)
    expect(await idsBelow(root)).toEqual([root, `${root}-child`])
  })
})

describe('--user', () => {
  it('is required with two accounts, and optional with one', async () => {
    expect((await node.run(['api', 'streams.get', '{}'])).code).toBe(0)
    const file = join(node.home, 'params.json')
    writeFileSync(file, '{"state":"all"}')
    expect(await node.json(['api', 'streams.get', '--input', file])).toEqual(await node.json(['api', 'streams.get', '{"state":"all"}']))
    expect(await node.run(['api', 'streams.get', '{}', '--input', file])).toMatchObject({ code: 2, err: expect.stringContaining('given twice') as string })
    expect((await node.run(['api', 'streams.get', '--input', join(node.home, 'nothing')])).code).toBe(5)
    const two = await testHome('ana-lovelace', 'ben-bitdiddle')
    const { code, err } = await two.run('streams tree')
    expect(code).toBe(2)
    expect(err).toContain('Choose one: ana-lovelace, ben-bitdiddle')
    expect((await two.run(['api', 'streams.get', '{}'])).code).toBe(2)
    expect((await two.run('streams tree --user ben-bitdiddle')).code).toBe(0)
    await two.remove()
  })

  it('is replaced by a suggestion to create an account when there is none', async () => {
    const none = await testHome()
    const { code, err } = await none.run('streams tree')
    expect(code).toBe(5)
    expect(err).toContain('coffer users create')
    await none.remove()
  })
})
