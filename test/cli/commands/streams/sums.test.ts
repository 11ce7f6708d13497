/** Tests of `coffer streams tree --counts --latest`: statistics of streams, read from indexes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isoTime } from '../../../../src/cli/terminal/output/timestamps.js'
import { sparkline } from '../../../../src/cli/terminal/plot/spark.js'
import { testHome } from '../../support/closedHome.js'
import type { TestHome } from '../../support/closedHome.js'

type Stream = { id: string; events?: unknown; last?: Record<string, unknown> | null; recent?: number[]; children: Stream[] }

let node: TestHome

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  const stream = (id: string, parentId?: string): object => ({ method: 'streams.create', params: { id, name: id, ...(parentId === undefined ? {} : { parentId }) } })
  const event = (streamIds: string[], content: number, time: number, more: object = {}): object => ({
    method: 'events.create',
    params: { streamIds, type: 'mass/kg', content, time, ...more },
  })
  const calls = [
    stream('body'), stream('weight', 'body'), stream('morning', 'weight'), stream('evening', 'weight'), stream('heart', 'body'), stream('empty'),
    ...Array.from({ length: 30 }, (_, n) => event(['morning'], 60 + (n % 7), 1000 + n)),
    event(['evening'], 70, 5000),
    event(['evening', 'morning'], 71, 5001),
    event(['evening', 'heart', 'body'], 72, 5002),
    event(['empty', 'heart'], 73, 5003, { trashed: true }),
    event(['heart'], 1, 10, { type: 'note/txt', content: 'calm\tnow' }),
  ]
  await node.json(['api', 'callBatch', JSON.stringify(calls)])
})
afterAll(() => node.remove())

async function streamsById(...words: string[]): Promise<Map<string, Stream>> {
  const { streams } = await node.json(['streams', 'tree', ...words])
  const found = new Map<string, Stream>()
  const queue = [...(streams as Stream[])]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    found.set(next.id, next)
    queue.push(...next.children)
  }
  return found
}

describe('streams tree --counts', () => {
  it('counts events of each stream alone and with its descendants, each event once', async () => {
    const streams = await streamsById('--counts', '--all')
    const counts = [...streams].filter(([id]) => !id.startsWith(':')).map(([id, { events }]) => [id, events])
    expect(Object.fromEntries(counts)).toEqual({
      body: { own: 1, total: 35 },
      weight: { own: 0, total: 33 },
      morning: { own: 31, total: 31 },
      evening: { own: 3, total: 3 },
      heart: { own: 3, total: 3 },
      empty: { own: 1, total: 1 },
    })
    expect(streams.get(':_system:account')?.events).toMatchObject({ own: 0 })
    expect(streams.get(':system:email')?.events).toEqual({ own: 1, total: 1 })
  })

  it('adds two columns in a pipe, right-aligned on a terminal', async () => {
    expect((await node.run('streams tree weight --counts')).out).toBe(
      'weight\tbody\tweight\t0\t33\nevening\tweight\tevening\t3\t3\nmorning\tweight\tmorning\t31\t31\n',
    )
    expect((await node.run('streams tree weight --counts', { tty: true })).out).toBe(
      'STREAM      ID         EVENTS  WITH BELOW\n' +
        'weight      weight          0          33\n' +
        '├─ evening  evening         3           3\n' +
        '└─ morning  morning        31          31\n',
    )
  })

  it('counts for an access only streams that it may read', async () => {
    await node.json(['accesses', 'create', '--name', 'Adder', '--permission', 'weight:read', '--permission', 'heart:create-only'])
    const streams = await streamsById('--counts', '--latest', '--access', 'Adder')
    expect(streams.get('weight')).toMatchObject({ events: { total: 33 } })
    expect(streams.get('heart')).toMatchObject({ events: { own: 0, total: 0 }, last: null })
    expect(streams.has('body')).toBe(false)
  })
})

describe('streams tree --latest', () => {
  it('returns the latest event that is not trashed, and recent numbers', async () => {
    const streams = await streamsById('--latest')
    expect(streams.get('heart')?.last).toMatchObject({ type: 'mass/kg', content: 72, time: 5002 })
    expect(streams.get('empty')).toMatchObject({ last: null })
    expect(streams.get('morning')).toMatchObject({ last: { content: 71 }, recent: [65, 66, 60, 61, 62, 63, 64, 65, 66, 60, 61, 71] })
    expect((await streamsById('--latest', '--all')).get('heart')?.last).toMatchObject({ content: 73 })
  })

  it('adds three columns in a pipe', async () => {
    expect((await node.run('streams tree evening --latest')).out).toBe(`evening\tweight\tevening\t${isoTime(5002)}\tmass/kg\t72\n`)
  })

  it('draws a sparkline of recent numbers', async () => {
    const { out } = await node.run('streams tree morning --latest', { tty: true })
    expect(out.split('\n')[1]).toMatch(/^morning +morning +71 mass\/kg +1970-01-01 \d\d:\d\d +--__\.\.\.--__\^$/)
  })
})

describe('sparkline', () => {
  it.each([
    [[1, 2, 3, 4, 5, 6, 7, 8], false, '▁▂▃▄▅▆▇█'],
    [[8, 1], true, '^_'],
    [[5, 5], false, '▄▄'],
    [[-Number.MAX_VALUE, 0, Number.MAX_VALUE], true, '___'],
    [[], false, ''],
  ])('draws %j', (values, plain, drawn) => expect(sparkline(values, plain)).toBe(drawn))
})
