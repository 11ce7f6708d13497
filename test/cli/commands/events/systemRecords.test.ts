/** Events and streams of the node are left out of lists, plots and exports, unless named or asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHome, type TestHome } from '../../support/closedHome.js'

let home: TestHome
beforeAll(async () => {
  home = await testHome('ana-lovelace')
  const json = (...words: string[]): Promise<unknown> => home.json(words)
  await json('streams', 'create', 'Diary', '--id', 'diary')
  await json('streams', 'create', 'Old', '--id', 'old')
  await json('streams', 'trash', 'old')
  await json('events', 'create', '--stream', 'diary', '--type', 'note/txt', '--content', 'mine')
  await json('events', 'create', '--stream', 'diary', '--type', 'data-quantity/b', '--content', '7')
  const { event } = (await json('events', 'create', '--stream', 'diary', '--type', 'note/txt', '--content', 'trashed')) as { event: { id: string } }
  await json('events', 'trash', event.id)
  await json('api', 'streams.create', '{"id":":_cmc:apps:my-app","name":"My app","parentId":":_cmc:apps"}')
  await json('api', 'events.create', '{"streamIds":[":_cmc:apps:my-app"],"type":"note/txt","content":"message"}')
})
afterAll(() => home.remove())

const lines = async (line: string): Promise<string[]> => {
  const { code, out, err } = await home.run(line)
  if (code !== 0) throw new Error(err)
  return out.split('\n').filter((each) => each !== '')
}
const contents = async (line: string): Promise<unknown[]> =>
  ((await home.json(line))['events'] as { content: unknown }[]).map(({ content }) => content).filter((content) => typeof content === 'string' || content === 7).sort()

const fields = ['ana-lovelace@example.org', 'en']

describe('events list', () => {
  it.each([
    ['events list', [7, 'mine']],
    ['events list --state all', [7, 'mine', 'trashed']],
    ['events list --all', [7, ...fields, 'message', 'mine', 'trashed']],
    ['events list --all --state default', [7, ...fields, 'message', 'mine']],
    ['events list --stream :_system:account', fields],
    ['events list --stream :_cmc:apps', ['message']],
    ['events list --type note/txt', ['mine']],
    ['events list --from 0', [7, 'mine']],
  ])('%s', async (line, expected) => expect(await contents(line)).toEqual([...expected].sort()))

  it('applies the limit to the events that are left', async () => {
    expect(await lines('events list --limit 1 --skip 1')).toHaveLength(1)
    expect((await home.run('events list')).err).toContain('2 events')
  })

  it('leaves out account fields for an access too, which may not have them', async () => {
    await home.json(['accesses', 'create', '--name', 'Doctor', '--permission', 'diary:read'])
    for (const line of ['events list --access Doctor', 'events list --access Doctor --all --state default']) expect(await contents(line)).toEqual([7, 'mine'])
  })
})

describe('events export', () => {
  it.each([
    ['events export', 2],
    ['events export --state all', 3],
    ['events export --stream :_system:language', 1],
    ['events export --csv', 3],
  ])('%s prints %i lines', async (line, count) => expect(await lines(line)).toHaveLength(count))

  it('includes everything with --all', async () => {
    const text = (await lines('events export --all')).join('\n')
    for (const content of ['mine', 'trashed', 'message', ...fields]) expect(text).toContain(`"content":"${content}"`)
  })
})

describe('events plot', () => {
  it('leaves out the sizes of the account', async () => {
    expect((await lines('events plot --type data-quantity/b')).map((line) => line.split('\t')[2])).toEqual(['7'])
    expect((await lines('events plot --type data-quantity/b --all')).length).toBeGreaterThan(1)
  })
})

describe('streams tree', () => {
  it.each([
    ['streams tree -q', ['diary']],
    ['streams tree -q --trashed', ['diary', 'old']],
    ['streams tree -q :_cmc:apps', [':_cmc:apps', ':_cmc:apps:my-app']],
  ])('%s', async (line, expected) => expect(await lines(line)).toEqual(expected))

  it('includes everything with --all', async () => {
    const ids = await lines('streams tree -q --all')
    for (const id of ['diary', 'old', ':_system:account', ':_cmc:apps:my-app']) expect(ids).toContain(id)
  })

  it('has the filter in JSON and in counts', async () => {
    const { streams } = await home.json('streams tree --counts')
    expect(streams).toMatchObject([{ id: 'diary', events: { own: 3 } }])
    expect(streams).toHaveLength(1)
  })
})

it('users list counts the streams that streams tree lists', async () => {
  expect(await home.json('users list')).toMatchObject({ users: [{ streams: 1 }] })
  expect(await home.json('users show')).toMatchObject({ user: { streams: 1 } })
})
