import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHome, type TestHome } from '../../support/closedHome.js'

let node: TestHome

beforeAll(async () => {
  node = await testHome('ana-lovelace')
  await node.json('streams create Weight --id weight')
  await node.json(['events', 'create', '--stream', 'weight', '--type', 'my/rating', '--content', '3'])
})
afterAll(() => node.remove())

describe('an event without a stream or a type', () => {
  it.each([
    ['events create --stream weight --content 1', ['--type <class/format> is missing', '--stream weight --type mass/kg', 'Types in this account: my/rating']],
    ['events create --type mass/kg --content 1', ['--stream <id> is missing', 'Streams of this account: weight']],
    ['events create --content 1', ['--stream <id> and --type <class/format> are missing', 'weight', 'my/rating']],
  ])('is refused with examples: coffer %s', async (line, texts) => {
    const { code, err } = await node.run(line)
    expect(code).toBe(2)
    for (const text of texts) expect(err).toContain(text)
  })

  it('names common types and the command for a stream in an empty account', async () => {
    const empty = await testHome('ben-hopper')
    try {
      const { code, err } = await empty.run('events create --content 1')
      expect(code).toBe(2)
      expect(err).toContain('Create a stream first: coffer streams create Weight --id weight')
      expect(err).toContain('mass/kg, note/txt')
    } finally {
      await empty.remove()
    }
  })
})

describe('a mistyped type', () => {
  it.each([
    ['events create --stream weight --type mas/kg --content 1', 'Did you mean mass/kg?'],
    ['events create --stream weight --type mass/gk --content 1', 'Did you mean mass/g, mass/gr or mass/kg?'],
    ['events create --stream weight --type series:mas/kg', 'Did you mean series:mass/kg?'],
    ['events create --stream weight --type my/ratin --content 1', 'Did you mean my/rating?'],
    ['events list --type mas/kg', 'Did you mean mass/kg?'],
    ['events list --type mas/*', 'Did you mean mass/*?'],
    ['events export --type mas/kg', 'Did you mean mass/kg?'],
    ['events create --stream weight --type weight --content 1', '--type <class/format> takes a class and a format, such as mass/kg or note/txt'],
  ])('exits 2 with the nearest: coffer %s', async (line, text) => {
    const { code, out, err } = await node.run(line)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(text)
  })

  it.each(['my/rating', 'own/type', 'mass/lb'])('is not assumed for %s', async (type) => {
    expect((await node.run(['events', 'list', '--type', type])).code).toBe(0)
    expect((await node.run(['events', 'create', '--stream', 'weight', '--type', type, '--content', '1'])).code).toBe(0)
  })

  it('is stored when it is given as JSON', async () => {
    expect((await node.run(['events', 'create', '{"type":"mas/kg","content":1}', '--stream', 'weight'])).code).toBe(0)
    expect((await node.run(['events', 'create', '--stream', 'weight', '--type', 'mas/kg', '--content', '1'])).code).toBe(0)
  })
})

it('a missing option is named with an example', async () => {
  const { code, err } = await node.run('accesses create --permission weight:read')
  expect(code).toBe(2)
  expect(err).toContain('--name <text> is missing')
  expect(err).toContain("For example: coffer accesses create --name 'Dr Weber'")
})
