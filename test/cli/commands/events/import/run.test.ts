import { describe, expect, it } from 'vitest'
import { createBatches } from '../../../../../src/cli/commands/events/import/batches.js'
import { checkEvent } from '../../../../../src/cli/commands/events/import/checkEvent.js'
import { changesTo, differences } from '../../../../../src/cli/commands/events/import/compare.js'
import type { EventLine, ImportLine } from '../../../../../src/cli/commands/events/import/line.js'
import type { Counts, Outcome } from '../../../../../src/cli/commands/events/import/outcome.js'
import { runImport } from '../../../../../src/cli/commands/events/import/run.js'
import { typedClient, type NodeClient } from '../../../../../src/cli/client/nodeClient.js'
import { builtInDirectory } from '../../../../../src/store/model/eventTypes/directory.js'
import { createEventTypes } from '../../../../../src/store/model/eventTypes/types.js'
import { Failure } from '../../../../../src/store/model/failure.js'

const types = createEventTypes(builtInDirectory())
const aLine = (fields: Record<string, unknown>, isWhole = true): EventLine => ({
  line: 1,
  isWhole,
  size: 1,
  event: { id: 'cabcdefghijklmnopqrstuvwx', streamIds: ['s'], type: 'mass/kg', time: 1, content: 1, ...fields },
})

describe('the check before writing', () => {
  it.each([
    ['a valid event', {}, undefined],
    ['content of another type', { content: 'x' }, 'invalid-parameters-format'],
    ['an unknown field', { weight: 1 }, 'invalid-parameters-format'],
    ['a malformed type', { type: 'Mass' }, 'invalid-parameters-format'],
    ['an unknown series', { type: 'series:no/such', content: undefined }, 'invalid-event-type'],
    ['an unknown type', { type: 'my/type', content: [1] }, undefined],
  ])('accepts or refuses %s', (_, fields, id) => expect(checkEvent(aLine(fields), types)?.id).toBe(id))
})

describe('the comparison with an existing event', () => {
  const existing = { id: 'x', streamIds: ['s'], streamId: 's', type: 'mass/kg', time: 1, content: 1, tags: [], created: 1, modified: 2 }
  it.each([
    ['an equal event', {}, {}, []],
    ['other streams', { streamIds: ['s', 't'] }, {}, ['streamIds']],
    ['another time', { time: 2 }, {}, ['time']],
    ['a missing time', { time: undefined }, {}, []],
    ['another content', { content: 2 }, {}, ['content']],
    ['content in another order', { content: { a: 1, b: 2 } }, { content: { b: 2, a: 1 } }, []],
    ['a null content', { content: null }, { content: undefined }, []],
    ['a missing content', { content: undefined }, {}, ['content']],
    ['a zero duration', { duration: 0 }, {}, []],
    ['a running event', { duration: null }, {}, ['duration']],
    ['two running events', { duration: null }, { duration: null }, []],
    ['tags that are stored trimmed', { tags: [' a ', ''] }, { tags: ['a'] }, []],
    ['other tags', { tags: ['a'] }, {}, ['tags']],
    ['a description', {}, { description: 'd' }, ['description']],
    ['an existing event in the trash', {}, { trashed: true }, ['trashed']],
    ['trashed as false', { trashed: false }, {}, []],
    ['other client data', { clientData: { a: 1 } }, { clientData: { a: 2 } }, ['clientData']],
    ['content of a series', { type: 'series:mass/kg', content: undefined }, { type: 'series:mass/kg' }, []],
  ])('lists the differing fields for %s', (_, ours, theirs, expected) => {
    expect(differences(aLine(ours), { ...existing, ...theirs })).toEqual(expected)
  })

  it('covers only the fields of a CSV row', () => {
    expect(differences(aLine({}, false), { ...existing, description: 'd', trashed: true, tags: ['t'] })).toEqual([])
    expect(differences(aLine({ content: 2 }, false), existing)).toEqual(['content'])
  })

  it('gives an update that sets differing fields and removes missing ones', () => {
    const { event } = aLine({ clientData: { b: 2 } })
    const theirs = { ...existing, duration: 5, description: 'd', tags: ['t'], trashed: true, content: 3, clientData: { a: 1, b: 1 } }
    expect(changesTo(event, theirs, differences({ event, isWhole: true }, theirs))).toEqual({
      duration: 0,
      content: 1,
      description: null,
      tags: [],
      clientData: { a: null, b: 2 },
      trashed: false,
    })
    const { event: bare } = aLine({ content: null, duration: null })
    const found = differences({ event: bare, isWhole: true }, { ...existing, clientData: { a: 1 } })
    expect(changesTo(bare, { ...existing, clientData: { a: 1 } }, found)).toEqual({ duration: null, content: null, clientData: null })
  })
})

describe('batches', () => {
  /** Creates a client of a node that accepts at most `max` calls in a batch, and no batch with a call of `bad`. */
  function node(max: number, bad = 'bad'): { client: NodeClient; sizes: number[] } {
    const sizes: number[] = []
    const client: NodeClient = typedClient({
      kind: 'socket' as const,
      call: async (_: string, params: unknown): Promise<Record<string, unknown>> => {
        const calls = params as Array<{ method: string; params: { n: number } }>
        sizes.push(calls.length)
        if (calls.some((each) => each.method === bad)) throw new Failure('invalid-request-structure')
        if (calls.length > max) throw new Failure('invalid-parameters-format', 'too many')
        if (calls.some((each) => each.method === 'full')) return { results: [{ error: { id: 'storage-full', message: 'full' } }] }
        return { results: calls.map((each) => ({ n: each.params.n })) }
      },
      texts: () => {
        throw new Error('unexpected call')
      },
      close: async () => undefined,
    })
    return { client, sizes }
  }
  const calls = (count: number, method = 'x'): Array<{ method: string; params: { n: number } }> =>
    Array.from({ length: count }, (_, n) => ({ method, params: { n } }))

  it.each([
    [1000, 2500, [1000, 1000, 500]],
    [300, 1000, [1000, 500, 250, 250, 250, 250]],
  ])('of a node that accepts %i: %i calls', async (max, count, expected) => {
    const { client, sizes } = node(max)
    const results = await createBatches(client, { user: 'ana' }).call(calls(count))
    expect(results.map((result) => result['n'])).toEqual(calls(count).map((each) => each.params.n))
    expect(sizes).toEqual(expected)
  })

  it('isolate the one call that makes the node refuse a batch', async () => {
    const { client } = node(1000)
    const all = [...calls(5), ...calls(1, 'bad'), ...calls(5)]
    const results = await createBatches(client, { user: 'ana' }).call(all)
    expect(results.map((result) => ('error' in result ? 'bad' : result['n']))).toEqual([0, 1, 2, 3, 4, 'bad', 0, 1, 2, 3, 4])
  })

  it('stop at a failure that also concerns all other calls', async () => {
    const { client } = node(1000)
    await expect(createBatches(client, { user: 'ana' }).call(calls(2, 'full'))).rejects.toMatchObject({ id: 'storage-full' })
  })
})

describe('a whole import', () => {
  const noCounts = (): Counts => ({ created: 0, unchanged: 0, updated: 0, refused: 0, skipped: 0 })
  const lineAt = (line: number): EventLine => ({ ...aLine({}), line })
  const created = (lines: readonly EventLine[]): Outcome[] => lines.map((line) => ({ kind: 'created', line }))
  async function* source(count: number): AsyncGenerator<ImportLine[]> {
    for (let n = 1; n <= count; n++) {
      if (n % 7 === 0) yield [{ line: n, error: { id: 'x', message: '' } }]
      else if (n % 11 === 0) yield [{ line: n, skipped: true }]
      else yield [lineAt(n)]
    }
  }

  it('prints outcomes in the order of lines, independent of the duration of groups', async () => {
    const printed: number[] = []
    let maxRunning = 0
    let running = 0
    const counts = noCounts()
    await runImport(
      source(5500),
      {
        atOnce: 2,
        refuse: ({ line }) => (line % 13 === 0 ? { id: 'y', message: '' } : undefined),
        write: async (lines) => {
          running += 1
          maxRunning = Math.max(maxRunning, running)
          // Every second group takes longer than the next one.
          await new Promise((wake) => setTimeout(wake, (lines[0]?.line ?? 0) % 2 === 0 ? 1 : 20))
          running -= 1
          return created(lines)
        },
        print: async (outcomes) => {
          printed.push(...outcomes.map((each) => (typeof each.line === 'number' ? each.line : each.line.line)))
        },
      },
      counts,
    )
    const isSkipped = (n: number): boolean => n % 7 !== 0 && n % 11 === 0
    const expected = Array.from({ length: 5500 }, (_, index) => index + 1).filter((n) => !isSkipped(n))
    expect(printed).toEqual(expected)
    expect(maxRunning).toBe(2)
    const refused = expected.filter((n) => n % 7 === 0 || n % 13 === 0).length
    expect(counts).toEqual({ created: expected.length - refused, unchanged: 0, updated: 0, refused, skipped: 5500 - expected.length })
  })

  it('ends at an unrecoverable failure', async () => {
    const counts = noCounts()
    const running = runImport(
      source(5000),
      {
        atOnce: 2,
        refuse: () => undefined,
        write: async (lines) => {
          if ((lines[0]?.line ?? 0) > 2000) throw new Failure('storage-full')
          return created(lines)
        },
        print: async () => undefined,
      },
      counts,
    )
    await expect(running).rejects.toMatchObject({ id: 'storage-full' })
    expect(counts.created).toBeGreaterThan(1000)
  })
})
