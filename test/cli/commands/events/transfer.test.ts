import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

type Event = Record<string, unknown> & { id: string }

let node: TestHome
let count = 0
/** Id of the current test's own stream. */
let stream: string

beforeAll(async () => {
  node = await testHome('ana-lovelace')
})
afterAll(() => node.remove())
beforeEach(async () => {
  stream = `s${++count}`
  await node.json(`streams create ${stream} --id ${stream}`)
})

async function add(...words: string[]): Promise<Event> {
  const { event } = await node.json(['events', 'create', '--stream', stream, ...words])
  return event as Event
}
const weight = (value: number, time: number): Promise<Event> =>
  add('--type', 'mass/kg', '--content', String(value), '--time', String(time))
const show = async (id: string): Promise<Event> => (await node.json(`events show ${id}`))['event'] as Event
const linesOf = (text: string): Event[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)

describe('events export', () => {
  it('writes one event per line ordered by time, without account fields', async () => {
    const events = [await weight(3, 300), await weight(1, 100), await weight(2, 200)]
    const { out, err } = await node.run(`events export --stream ${stream}`)
    expect(linesOf(out).map((event) => event['content'])).toEqual([1, 2, 3])
    expect(linesOf(out)[2]).toEqual(events[0])
    expect(err).toContain('✔ 3 events exported')
    const ids = linesOf((await node.run('events export')).out).map((event) => event.id)
    expect(ids).toContain(events[0]?.id)
    expect(ids.filter((id) => id.startsWith(':'))).toEqual([])
    const named = linesOf((await node.run('events export --stream :_system:language')).out)
    expect(named.map((event) => event.id)).toEqual([':_system:language'])
  })

  it('filters by time and type, and includes the trash with --all', async () => {
    const events = [await weight(1, 100), await weight(2, 200), await weight(3, 300)]
    await add('--type', 'note/txt', '--content', 'x', '--time', '250')
    await node.json(`events trash ${events[1]?.id ?? ''}`)
    const contents = async (options: string): Promise<unknown[]> =>
      linesOf((await node.run(`events export --stream ${stream} ${options}`)).out).map((event) => event['content'])
    expect(await contents('')).toEqual([1, 'x', 3])
    expect(await contents('--all')).toEqual([1, 2, 'x', 3])
    expect(await contents('--from 150')).toEqual(['x', 3])
    expect(await contents('--to 250 --type note/*')).toEqual(['x'])
  })

  it('writes CSV that import reads', async () => {
    await add('--type', 'note/txt', '--content', 'a, "b"\nc', '--time', '1.5')
    await add('--type', 'activity/plain', '--time', '2.5')
    const { out } = await node.run(`events export --stream ${stream} --csv`)
    expect(out.split('\n')[0]).toBe('time,streams,type,content,id')
    expect(out).toContain(`1.5,${stream},note/txt,"""a, \\""b\\""\\nc""",`)
    const columns = '--time-column time --stream-column streams --type-column type --content-column content --id-column id'
    const again = await node.run(`events import - --format csv ${columns} --json`, { stdin: out })
    expect(linesOf(again.out).at(-1)).toEqual({ event: 'done', created: 0, unchanged: 2, refused: 0 })
  })

  it('writes a file atomically', async () => {
    await weight(1, 100)
    const file = join(node.home, 'out.ndjson')
    await writeFile(file, 'former')
    const refused = await node.run(['events', 'export', '--stream', 'nope', '--output', file])
    expect([refused.code, await readFile(file, 'utf8')]).toEqual([5, 'former'])
    await node.run(['events', 'export', '--stream', stream, '--output', file])
    expect(linesOf(await readFile(file, 'utf8'))).toMatchObject([{ content: 1 }])
    expect((await readdir(node.home)).filter((name) => name.includes('.part'))).toEqual([])
    expect((await node.run(['events', 'export', '--output', node.home])).code).toBe(2)
    expect((await node.run(['events', 'export', '--output', join(node.home, 'no', 'file')])).code).toBe(1)
  })
})

describe('events import', () => {
  const csv = (text: string, options = ''): ReturnType<TestHome['run']> =>
    node.run(
      `events import - --format csv --time-column t --value-column v --stream ${stream} --type mass/kg --json ${options}`,
      { stdin: text },
    )

  it('creates events once, and reports refused lines by number', async () => {
    const text = 't,v\n1,10\nx,11\n2,12\n2,12\n'
    const first = await csv(text)
    expect(first.code).toBe(3)
    expect(linesOf(first.out)).toEqual([
      { event: 'refused', line: 3, error: { id: 'invalid-parameters-format', message: '"x" in column t is not a time.' } },
      { event: 'done', created: 3, unchanged: 0, refused: 1 },
    ])
    expect(linesOf((await csv(text)).out).at(-1)).toEqual({ event: 'done', created: 0, unchanged: 3, refused: 1 })
  })

  it('ignores changes of fields outside the row, and reports changes of fields in it', async () => {
    await csv('t,v\n1,10\n2,20\n')
    const [first, second] = (await node.run(`events list --stream ${stream} -q --ascending`)).out.split('\n')
    await node.json(['events', 'update', first ?? '', '--description', 'd'])
    await node.json(['events', 'update', second ?? '', '--content', '21'])
    const again = await csv('t,v\n1,10\n2,20\n')
    expect(again.code).toBe(3)
    expect(linesOf(again.out)).toMatchObject([
      { event: 'refused', line: 3, error: { id: 'item-already-exists', data: { id: second, differing: ['content'] } } },
      { event: 'done', created: 0, unchanged: 1, refused: 1 },
    ])
    const updated = await csv('t,v\n1,10\n2,20\n', '--update')
    expect(linesOf(updated.out)).toEqual([{ event: 'done', created: 0, unchanged: 1, refused: 0, updated: 1 }])
    expect([await show(first ?? ''), await show(second ?? '')]).toMatchObject([{ description: 'd' }, { content: 20 }])
  })

  it('imports exported events with equal fields', async () => {
    await add('--type', 'note/txt', '--content', 'é\u2028', '--time', '-1.5', '--duration', '60', '--tag', 't', '--description', 'd')
    await add('--type', 'mass/kg', '--content', '1', '--time', '2', '--client-data', '{"a":null,"b":[1]}', '--duration', 'running')
    const { id } = await weight(3, 3)
    await node.json(`events trash ${id}`)
    const { out } = await node.run(`events export --state all --stream ${stream}`)
    const other = await testHome('ben-bitdiddle')
    const given = { stdin: out }
    const dry = await other.run('events import - --format ndjson --json --create-streams -n', given)
    expect(linesOf(dry.out)).toEqual([{ event: 'done', created: 3, unchanged: 0, refused: 0, dryRun: true }])
    expect((await other.run('events export --state all')).out).toBe('')
    const done = await other.run('events import - --format ndjson --json --create-streams', given)
    expect(linesOf(done.out)).toEqual([{ event: 'done', created: 3, unchanged: 0, refused: 0 }])
    const tracking = ['created', 'createdBy', 'modified', 'modifiedBy', 'integrity']
    const untracked = (text: string): unknown[] =>
      linesOf(text).map((event) => Object.fromEntries(Object.entries(event).filter(([key]) => !tracking.includes(key))))
    expect(untracked((await other.run('events export --state all')).out)).toEqual(untracked(out))
    // A line states the whole event: fields added since count as differences.
    await other.json(['events', 'update', id, '--description', 'later', '--restore'])
    const again = linesOf((await other.run('events import - --format ndjson --json', given)).out)
    expect(again).toMatchObject([
      { event: 'refused', line: 3, error: { data: { differing: ['description', 'trashed'] } } },
      { event: 'done', created: 0, unchanged: 2, refused: 1 },
    ])
    await other.run('events import - --format ndjson --update', given)
    expect(untracked((await other.run('events export --state all')).out)).toEqual(untracked(out))
    await other.remove()
  })

  it('does not restore deleted events', async () => {
    await csv('t,v\n1,10\n')
    const id = (await node.run(`events list --stream ${stream} -q`)).out.trim()
    await node.json(`events delete ${id} --accept-risk=lose-data`)
    for (const options of ['', '--update', '-n']) {
      expect(linesOf((await csv('t,v\n1,10\n', options)).out)).toMatchObject([
        { event: 'refused', line: 2, error: { id: 'item-already-exists' } },
        { created: 0, unchanged: 0, refused: 1 },
      ])
    }
  })

  it('reports its effect without writing with -n', async () => {
    await csv('t,v\n1,10\n2,20\n')
    const text = 't,v\n1,10\n3,30\n4,x\n'
    expect(linesOf((await csv(text, '-n')).out).at(-1)).toEqual({ event: 'done', created: 1, unchanged: 1, refused: 1, dryRun: true })
    const strange = JSON.stringify({ streamId: stream, type: 'mass/kg', content: 'x', time: 1 })
    const unknown = JSON.stringify({ streamId: 'nope', type: 'mass/kg', content: 1, time: 1 })
    const dry = await node.run('events import - --format ndjson --json -n', { stdin: `${strange}\n${unknown}\n` })
    expect(linesOf(dry.out)).toMatchObject([
      { line: 1, error: { id: 'invalid-parameters-format' } },
      { line: 2, error: { id: 'unknown-referenced-resource' } },
      { refused: 2 },
    ])
    expect((await node.run(`events list --stream ${stream} -q`)).out.trim().split('\n').length).toBe(2)
  })

  it('creates missing streams with --create-streams, and names them without', async () => {
    const missing = `${stream}-made`
    const line = (id: string): string => `${JSON.stringify({ streamId: id, type: 'mass/kg', content: 1, time: 1 })}\n`
    const stdin = line(missing) + line('no id!')
    const without = await node.run('events import - --format ndjson', { stdin })
    expect(without.code).toBe(3)
    expect(without.err).toContain(`! Line 1: `)
    expect(without.err).toContain(`Missing streams: ${missing}, no id!.`)
    const withThem = await node.run('events import - --format ndjson --create-streams --json', { stdin })
    expect(linesOf(withThem.out)).toMatchObject([{ line: 2, error: { id: 'invalid-item-id' } }, { created: 1, refused: 1 }])
    expect(await node.json(`streams tree ${missing}`)).toMatchObject({ streams: [{ id: missing, name: missing, parentId: null }] })
  })

  it('prints a summary with the first refused lines', async () => {
    const file = join(node.home, 'm.csv')
    await writeFile(file, `t,v\n${Array.from({ length: 30 }, (_, n) => `x,${n}`).join('\n')}\n1,\n2,5\n`)
    const words = ['events', 'import', file, '--time-column', 't', '--value-column', 'v', '--stream', stream, '--type', 'mass/kg']
    const shown = await node.run([...words, '--skip-empty'], { tty: true })
    expect(shown.code).toBe(3)
    expect(shown.err).toContain('Line 21: "x" in column t is not a time.')
    expect(shown.err).not.toContain('Line 22:')
    expect(shown.err).toContain('… and 10 more')
    expect(shown.err).toContain('! 1 created, 0 unchanged, 1 skipped, 30 refused')
    const quiet = await node.run([...words, '-q'])
    expect([quiet.code, quiet.err, quiet.out]).toEqual([3, '', ''])
  })

  it('adapts to the maximum number of calls in a batch of the node', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => `${n},${n}`).join('\n')
    const words = `events import - --format csv --time-column t --value-column v --stream ${stream} --type mass/kg --json`
    const { out } = await node.run(words, { stdin: `t,v\n${rows}\n`, env: { COFFER_SET_LIMITS_BATCH_MAX_CALLS: '7' } })
    expect(linesOf(out)).toEqual([{ event: 'done', created: 50, unchanged: 0, refused: 0 }])
  })

  it.each([
    ['a missing file', '/no/such.csv', 5],
    ['a folder', '/tmp', 2],
  ])('refuses %s', async (_, file, code) => {
    const options = `--format csv --time-column t --value-column v --stream ${stream} --type mass/kg`
    expect((await node.run(`events import ${file} ${options}`)).code).toBe(code)
  })

  it('reports an unknown column before it opens the store', async () => {
    const { code, err } = await csv('t,w\n1,2\n')
    expect(code).toBe(2)
    expect(JSON.parse(err)).toMatchObject({ error: { message: 'There is no column v' } })
  })
})
