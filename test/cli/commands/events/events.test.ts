import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { when } from '../../../../src/cli/terminal/output/format.js'
import { isoTime } from '../../../../src/cli/terminal/output/timestamps.js'
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

describe('events create', () => {
  it('prints the id', async () => {
    const { code, out, err } = await node.run(`events create --stream ${stream} --type mass/kg --content 62.5`)
    expect(code).toBe(0)
    expect(out).toMatch(/^[a-z0-9]{24}\n$/)
    expect(err).toContain('✔ Event created')
    expect(await show(out.trim())).toMatchObject({ content: 62.5 })
  })

  it('accepts every field as an option', async () => {
    const words = ['--type', 'note/txt', '--content', '62', '--time', '2026-11-21T10:00:00Z', '--duration', '30m']
    const more = ['--description', 'd', '--tag', 'a', '--tag', 'b', '--client-data', '{"k":1}']
    expect(await add(...words, ...more)).toMatchObject({
      streamIds: [stream],
      type: 'note/txt',
      content: '62',
      time: Date.UTC(2026, 10, 21, 10) / 1000,
      duration: 1800,
      description: 'd',
      tags: ['a', 'b'],
      clientData: { k: 1 },
    })
  })

  it('reads an object from stdin, which options override', async () => {
    const stdin = JSON.stringify({ streamId: 'nope', type: 'mass/kg', content: 1, time: 5 })
    const { event } = await node.json(`events create - --stream ${stream} --content 2 --duration running`, { stdin })
    expect(event).toMatchObject({ streamIds: [stream], content: 2, time: 5, duration: null })
  })

  it.each([
    ['a number for a numeric type', ['--type', 'mass/kg', '--content', 'abc'], '--content takes a number for mass/kg'],
    ['JSON for an unknown type', ['--type', 'my/type', '--content', 'abc'], `--content '"abc"'`],
    ['an object as the argument', ['x'], '[event] takes a JSON object'],
  ])('requires %s', async (_, words, message) => {
    const { code, err } = await node.run(['events', 'create', '--stream', stream, ...words])
    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  it('exits 5 for an unknown stream', async () => {
    expect((await node.run('events create --stream nope --type mass/kg --content 1')).code).toBe(5)
  })
})

describe('events list', () => {
  it('prints a table on a terminal, and complete lines into a pipe', async () => {
    const event = await add('--type', 'note/txt', '--content', `a\tb ${'x'.repeat(100)}`, '--time', '1000')
    const shown = await node.run(`events list --stream ${stream}`, { tty: true })
    expect(shown.out.split('\n')[0]).toMatch(/^TIME {2,}STREAMS {2,}TYPE {2,}CONTENT {2,}ID$/)
    expect(shown.out).toContain(when(1000).slice(0, 16))
    expect(shown.out).toContain('…')
    expect(shown.err).toContain('1 event')
    const piped = await node.run(`events list --stream ${stream}`)
    expect(piped.out).toBe(`${isoTime(1000)}\t${stream}\tnote/txt\ta b ${'x'.repeat(100)}\t${event.id}\n`)
  })

  it('filters, sorts and limits by options', async () => {
    const events = [await weight(1, 100), await weight(2, 200), await weight(3, 300)]
    const other = await add('--type', 'note/txt', '--content', 'x', '--time', '250', '--duration', 'running')
    await node.json(`events trash ${events[1]?.id ?? ''}`)
    const ids = async (options: string): Promise<unknown> => {
      const { out } = await node.run(`events list --stream ${stream} -q ${options}`)
      return out.split('\n').filter((id) => id !== '').map((id) => (id === other.id ? 'x' : events.findIndex((each) => each.id === id) + 1))
    }
    expect(await ids('')).toEqual([3, 'x', 1])
    expect(await ids('--ascending')).toEqual([1, 'x', 3])
    expect(await ids('--limit 1 --skip 1')).toEqual(['x'])
    expect(await ids('--type mass/*')).toEqual([3, 1])
    expect(await ids('--type note/txt --type mass/kg --limit 2')).toEqual([3, 'x'])
    expect(await ids('--state trashed')).toEqual([2])
    expect(await ids('--state all')).toEqual([3, 'x', 2, 1])
    expect(await ids('--running')).toEqual(['x'])
    expect(await ids('--from 150 --type mass/kg')).toEqual([3])
    expect(await ids('--to 150')).toEqual([1])
    expect(await ids('--from 1970-01-01T00:01Z --to 1970-01-01T00:02Z')).toEqual([1])
    expect(await ids('--from -2h --type mass/*')).toEqual([])
  })

  it('lists 20 events, or all of a time range', async () => {
    const batch = Array.from({ length: 25 }, (_, n) => ({
      method: 'events.create',
      params: { streamId: stream, type: 'mass/kg', content: n, time: 1000 + n },
    }))
    await node.json(['api', 'callBatch', JSON.stringify(batch)])
    const few = await node.run(`events list --stream ${stream}`)
    expect(few.out.split('\n').length - 1).toBe(20)
    expect(few.err).toContain('20 events; use --limit to see more')
    expect((await node.run(`events list --stream ${stream} --to today`)).out.split('\n').length - 1).toBe(20)
    expect((await node.run(`events list --stream ${stream} --from 1000`)).out.split('\n').length - 1).toBe(25)
  })

  it('prints the result of the API with --json', async () => {
    await weight(1, 100)
    const params = JSON.stringify({ streams: [stream], limit: 20 })
    expect(await node.json(`events list --stream ${stream}`)).toEqual(await node.json(['api', 'events.get', params]))
  })

  it('refuses an unknown stream', async () => {
    expect((await node.run('events list --stream nope')).code).toBe(5)
  })
})

describe('events show', () => {
  it('prints all fields of an event', async () => {
    const { id } = await add('--type', 'note/txt', '--content', 'Slept well', '--time', '1000', '--duration', '60', '--tag', 't')
    const { out } = await node.run(`events show ${id}`)
    expect(out).toContain(`${id}\n  Time      ${isoTime(1000)}\n  Duration  60 s\n  Streams   ${stream}\n`)
    expect(out).toContain('  Content   Slept well\n  Tags      t\n')
  })

  it('shows earlier versions when the setting keeps them', async () => {
    const { id } = await weight(1, 100)
    const env = { COFFER_SET_VERSIONING_FORCE_KEEP_HISTORY: 'true' }
    await node.json(`events update ${id} --content 2`)
    expect(await node.json(`events show ${id} --history`, { env })).toMatchObject({ event: { content: 2 }, history: [{ content: 1 }] })
    expect((await node.run(`events show ${id} --history`, { env })).out).toContain('Versions  1')
  })

  it('exits 5 for an unknown event', async () => {
    expect((await node.run('events show cabcdefghijklmnopqrstuvwx')).code).toBe(5)
  })
})

describe('events update', () => {
  it('changes the given fields, and parses the content by the type of the event', async () => {
    const { id } = await add('--type', 'note/txt', '--content', 'a', '--time', '1000', '--description', 'd')
    const changed = await node.json(`events update ${id} --content 12`)
    expect(changed).toMatchObject({ event: { content: '12', time: 1000, description: 'd' } })
    const json = await node.json(['events', 'update', id, '{"description":null}'])
    expect(json).not.toHaveProperty('event.description')
    await node.json(`events update ${id} - --time 2000`, { stdin: '{"time":1,"tags":["x"]}' })
    expect(await show(id)).toMatchObject({ time: 2000, tags: ['x'], content: '12' })
  })

  it('restores an event from the trash with --restore', async () => {
    const { id } = await weight(1, 100)
    await node.json(`events trash ${id}`)
    expect(await node.json(`events update ${id} --restore`)).not.toHaveProperty('event.trashed')
  })

  it('requires a change', async () => {
    expect((await node.run('events update cabcdefghijklmnopqrstuvwx')).code).toBe(2)
  })
})

describe('events trash and delete', () => {
  it('trash does not delete an event in the trash', async () => {
    const { id } = await weight(1, 100)
    for (let n = 0; n < 3; n++) expect(await node.json(`events trash ${id}`)).toMatchObject({ event: { id, trashed: true } })
  })

  it('delete requires the typed id or --accept-risk', async () => {
    const { id } = await weight(62.5, 100)
    expect((await node.run(`events delete ${id}`)).err).toContain('--accept-risk=lose-data is missing')
    const no = await node.run(`events delete ${id}`, { tty: true, stdin: 'y\n' })
    expect([no.code, no.err.includes('mass/kg 62.5')]).toEqual([130, true])
    expect(await show(id)).not.toHaveProperty('trashed')
    expect((await node.run(`events delete ${id}`, { tty: true, stdin: `${id}\n` })).code).toBe(0)
    const again = await node.run(`events delete ${id} --accept-risk=lose-data`)
    expect([again.code, again.err.includes('was deleted on')]).toEqual([5, true])
  })

  it('delete accepts an event in the trash', async () => {
    const { id } = await weight(1, 100)
    await node.json(`events trash ${id}`)
    expect(await node.json(`events delete ${id} --accept-risk=lose-data`)).toEqual({ eventDeletion: { id } })
  })

  it.each(['trash', 'delete'])('%s refuses account fields', async (verb) => {
    const { code, err } = await node.run(`events ${verb} :system:email`)
    expect([code, err.includes('is an account field')]).toEqual([1, true])
  })
})
