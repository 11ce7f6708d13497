/** Charts of the console, in a browser without scripts, and the data for its script. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { weeksOf } from '../../../../src/server/pages/console/charts/calendar.js'
import { keyText, parseKey, type ChartKey } from '../../../../src/server/pages/console/charts/chartKey.js'
import type { Chart } from '../../../../src/server/pages/console/charts/chartData.js'
import { lengthOf, placesOf, scaleFor } from '../../../../src/server/pages/console/charts/track.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { registerUser, request, startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { visitor, type Visitor } from '../../../support/people/visitor.js'

const DAY = 86_400
const clock = fakeClock()
let node: TestNode
let token: string
let browser: Visitor
let series: string

const call = async (path: string, body: object): Promise<Record<string, Record<string, unknown>>> => {
  const answer = await request(`${node.url}alice${path}`, { token, method: 'POST', body })
  expect(answer.status).toBeLessThan(300)
  return answer.body as Record<string, Record<string, unknown>>
}
const weights = Array.from({ length: 50 }, (_, n) => ({ time: clock.now() - n * DAY * (n > 25 ? 1.5 : 1), content: 70 + (n % 7) }))

beforeAll(async () => {
  node = await startTestNode({}, { clock })
  token = await registerUser(node, 'alice')
  for (const [id, name] of [['weight', 'Weight <i>'], ['pills', 'Pills'], ['run', 'Run'], ['walk', 'Walk'], ['heart', 'Heart'], ['empty', 'Empty']]) await call('/streams', { id, name })
  for (const { time, content } of weights) await call('/events', { streamIds: ['weight'], type: 'mass/kg', time, content })
  for (const n of [0, 1, 2]) await call('/events', { streamIds: ['pills'], type: 'boolean/bool', time: clock.now() - n * DAY, content: n !== 1 })
  await call('/events', { streamIds: ['run'], type: 'activity/plain', time: clock.now() - 7200, duration: 3600 })
  for (const n of [0, 1, 2, 3]) await call('/events', { streamIds: ['walk'], type: 'position/wgs84', time: clock.now() - n * 60, content: { latitude: 46 + n / 100, longitude: 7 } })
  const { event } = await call('/events', { streamIds: ['heart'], type: 'series:frequency/bpm', time: clock.now() - 5000 })
  series = String(event?.['id'])
  const points = Array.from({ length: 5000 }, (_, n) => [n, 60 + (n % 40)])
  await call(`/events/${series}/series`, { format: 'flatJSON', fields: ['deltaTime', 'value'], points })
  browser = visitor(node)
  await browser.open('/web/sign-in')
  await browser.submit({ name: 'alice', password: 'correct horse' })
})
afterAll(() => node.stop())

/** Opens a page, which may need a second request for values that take longer. */
async function open(path: string): Promise<Visitor['page']> {
  await expect.poll(async () => (await browser.open(path)).html, { timeout: 20_000 }).not.toContain('data-later')
  return browser.page
}

const weight: ChartKey = { kind: 'events', streamId: 'weight', type: 'mass/kg', field: '' }

describe('the list of charts', () => {
  it('names what has numbers, with the latest value, and series', async () => {
    const { text, html } = await open('/web/charts')
    expect(text).toContain('Weight <i> (kg) 50 values · latest 70 kg')
    expect(text).toContain('Pills (Boolean) 3 values · latest Yes')
    expect(text).toContain('Walk: Latitude')
    expect(html).toContain(`/web/charts?event=${series}`)
    expect(text).not.toContain('Run')
    expect(html).not.toContain('<i>')
  })

  it('shows the chosen charts together', async () => {
    await open('/web/charts')
    const keys = [weight, { kind: 'events', streamId: 'walk', type: 'position/wgs84', field: 'altitude' } as const]
    const { text } = await open(`/web/charts?${keys.map((key) => `show=${encodeURIComponent(keyText(key))}`).join('&')}`)
    expect(text).toContain('Weight <i> (kg) 50 values')
  })
})

describe('a page of charts', () => {
  it('draws a stream, with its values as a table, and keeps the span in the links', async () => {
    const { html, text } = await open('/web/charts?stream=weight&span=month')
    expect(text).toContain('Charts: Weight <i>')
    expect(text).toContain('Values as a table')
    expect(html).toMatch(/<a href="\/web\/charts\?stream=weight&amp;span=month" aria-current="page">/)
    expect(html).toMatch(/href="\/web\/charts\?stream=weight&amp;from=\d+&amp;to=\d+">Earlier/)
    expect([...html.matchAll(/<tr>/g)].length).toBeGreaterThan(20)
  })

  it('shows yes and no as a calendar, periods as bands, and positions as a track', async () => {
    const pills = await open('/web/charts?stream=pills')
    expect(pills.html).toMatch(/<td class="level-4" title="Yes, 1 value">/)
    expect(pills.html).toMatch(/<td class="level-1" title="No, 1 value">/)
    const run = await open('/web/charts?stream=run')
    expect(run.text).toContain('1 period From To')
    const walk = await open('/web/charts?stream=walk')
    expect(walk.text).toContain('4 places over 3.34 km; north is up.')
  })

  it('draws the fields of a series', async () => {
    const { text } = await open(`/web/charts?event=${series}`)
    expect(text).toContain('5000 values')
  })

  it.each([
    ['a stream without values', 'stream=empty', 200, 'No values in this span.'],
    ['an unknown stream', 'stream=nowhere', 404, 'nowhere'],
    ['an unknown event', 'event=nothing', 404, 'nothing'],
    ['a text that is no key', 'show=%7C%7C', 200, 'Weight'],
    ['a span beyond all times', 'stream=weight&from=-1e300&to=1e300', 200, '50 values'],
    ['a span of all times', 'stream=weight&from=-8e12&to=8e12', 200, '50 values'],
    ['a span that ends before it begins', 'stream=weight&from=10&to=5', 200, '50 values'],
  ])('for %s', async (_, query, status, text) => {
    const page = await open(`/web/charts?${query}`)
    expect([page.status, page.text]).toEqual([status, expect.stringContaining(text) as string])
  })
})

describe('the data of a chart', () => {
  const columns = async (query: string): Promise<{ status: number; x: number[]; min: (number | null)[]; max: (number | null)[]; mean: (number | null)[] }> => {
    const { status, html } = await browser.open(`/web/charts/data?${query}`)
    return { status, ...(JSON.parse(html) as { x: number[]; min: number[]; max: number[]; mean: number[] }) }
  }
  const show = `show=${encodeURIComponent(keyText(weight))}`

  it('has the extremes and the mean of each bucket', async () => {
    const { x, min, max, mean } = await columns(`${show}&points=10`)
    const times = weights.map(({ time }) => time)
    const [from, to] = [Math.min(...times), Math.max(...times)]
    const bucketOf = (time: number): number => Math.min(9, Math.floor(((time - from) / (to - from)) * 10))
    for (const [at, time] of x.entries()) {
      const within = weights.filter((each) => bucketOf(each.time) === bucketOf(time)).map(({ content }) => content)
      expect([min[at], max[at]]).toEqual([Math.min(...within), Math.max(...within)])
      expect(mean[at]).toBeCloseTo(within.reduce((sum, value) => sum + value, 0) / within.length, 9)
    }
    expect(x.length).toBe(new Set(times.map(bucketOf)).size)
  })

  it('has a gap where values are missing', async () => {
    await call('/events', { streamIds: ['weight'], type: 'mass/kg', time: clock.now() - 400 * DAY, content: 90 })
    const { mean } = await columns(`${show}&points=1000`)
    expect(mean).toContain(null)
    expect(mean[0]).toBe(90)
  })

  it('has at most 4,000 points, and only those of the span', async () => {
    const key = keyText({ kind: 'series', eventId: series, field: 'value' })
    const { x } = await columns(`show=${encodeURIComponent(key)}&points=1000000`)
    expect(x.length).toBeLessThanOrEqual(4000)
    const from = clock.now() - 4000
    const part = await columns(`show=${encodeURIComponent(key)}&from=${from}&to=${from + 100}`)
    expect(part.x.length).toBe(100)
    expect(Math.min(...part.x)).toBeGreaterThanOrEqual(from)
  })

  it.each(['', 'show=%00', `${'show=e%7Ca%7Cb%7C'}&points=x`, 'show=s%7C%7C'])('is refused for %j', async (query) => {
    expect((await columns(query)).status).toBe(400)
  })
})

describe('parts of charts', () => {
  it('have keys that survive an address', () => {
    const keys: ChartKey[] = [weight, { kind: 'events', streamId: 'a|b%', type: 'x/y', field: 'é|' }, { kind: 'series', eventId: 'e', field: 'value' }]
    for (const key of keys) expect(parseKey(keyText(key))).toEqual(key)
    for (const text of ['', 'e|a', 'e|a|b|c|d', 's|', 'x|a|b|c', 'e|%|b|c', 'e'.repeat(2000)]) expect(parseKey(text)).toBeUndefined()
  })

  it('have months of whole weeks, Monday first', () => {
    // February 2021 began on a Monday, and had 28 days.
    expect(weeksOf(2021, 2, 28)).toHaveLength(4)
    expect(weeksOf(2026, 11, 30)[0]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, 1])
  })

  it('have one line across 180°', () => {
    const chart = (values: readonly (readonly number[])[]) => ({
      buckets: { index: values.map((_, n) => n), min: values.map((all) => Math.min(...all)), max: values.map((all) => Math.max(...all)), mean: values.map((all) => all.reduce((sum, value) => sum + value, 0) / all.length) },
    }) as unknown as Chart
    const places = placesOf(chart([[0], [0], [0], [0], [0]]), chart([[178], [179, -179], [-178], [-177], [179]]))
    expect(places.map(({ longitude }) => longitude)).toEqual([178, 179, 182, 183, 179])
    expect(lengthOf(places)).toBeLessThan(1200)
  })

  it('have round scales, and lengths by great circles', () => {
    expect([10, 3, 0.05, 1000].map(scaleFor)).toEqual([2, 1, 0.01, 200])
    expect(lengthOf([{ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 1 }])).toBeCloseTo(111.195, 2)
  })
})
