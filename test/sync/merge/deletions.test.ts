/** Merging of deletions: each rule as a row of a table, then random histories against a naive model. */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../src/sync/wire/entry.js'
import { dice } from '../../property/merge/copies.js'
import { NaiveReplica, withoutEdits } from './naiveDeletions.js'
import { openReplica, type Replica, type ReplicaContent } from './replica.js'

const STREAMS = ['s', 't', 'c', 'recovered']

/** History of two or three replicas, `a` to `c`: edits (`a add s`), transfers of everything (`a to b`), `sync` of all. */
interface Row {
  rule: string
  history: string[]
  /** Content of every replica after a last `sync`, except times. */
  streams: string[]
  events?: string[]
  deletedStreams?: string[]
  deletedEvents?: string[]
  /** Numbers of covered initial changes, by stream. */
  covered?: Record<string, number>
}

const rows: Row[] = [
  {
    rule: 'a deletion wins over a concurrent rename',
    history: ['a add s', 'sync', 'a delete s', 'b rename s X'],
    streams: [],
    deletedStreams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'a deletion wins over a later concurrent rename',
    history: ['a add s', 'sync', 'b delete s', 'a rename s X', 'a rename s Y'],
    streams: [],
    deletedStreams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'a stream created again elsewhere with the same id remains',
    history: ['a add s', 'a delete s', 'b add s'],
    streams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'a stream created again after its deletion remains, and the deletion is not listed',
    history: ['a add s', 'sync', 'a delete s', 'sync', 'b add s', 'b rename s X'],
    streams: ['s named X'],
    covered: { s: 1 },
  },
  {
    rule: 'the deletion of one of two first changes leaves the other with its edits',
    history: ['a add s', 'b add s', 'b rename s X', 'a delete s'],
    streams: ['s named X'],
    covered: { s: 1 },
  },
  {
    rule: 'a deletion covers both first changes that its node has',
    history: ['a add s', 'b add s', 'sync', 'a delete s', 'b rename s X'],
    streams: [],
    deletedStreams: ['s'],
    covered: { s: 2 },
  },
  {
    rule: 'an edit of two merged initial changes is deleted with either of them',
    history: ['a add s', 'b add s', 'a to c', 'b to a', 'a rename s X', 'c delete s'],
    streams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'deletions of different first changes join',
    history: ['a add s', 'b add s', 'a delete s', 'b delete s'],
    streams: [],
    deletedStreams: ['s'],
    covered: { s: 2 },
  },
  {
    rule: 'a second generation is deleted like the first',
    history: ['a add s', 'sync', 'a delete s', 'sync', 'b add s', 'sync', 'a delete s', 'b rename s X'],
    streams: [],
    deletedStreams: ['s'],
    covered: { s: 2 },
  },
  {
    rule: 'an edit of the first generation does not restore its content once a second exists',
    history: ['a add s', 'sync', 'c rename s Old', 'a delete s', 'a add s', 'a to b', 'c to b'],
    streams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'a child created elsewhere below a deleted stream becomes a root',
    history: ['a add s', 'sync', 'a delete s', 'b add c under s'],
    streams: ['c'],
    deletedStreams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'a child returns below its parent when that is created again',
    history: ['a add s', 'sync', 'a delete s', 'b add c under s', 'sync', 'a add s'],
    streams: ['c under s', 's'],
    covered: { s: 1 },
  },
  {
    rule: 'the deletion of a parent deletes the children that its node has',
    history: ['a add s', 'a add c under s', 'sync', 'a delete s', 'b rename c X'],
    streams: [],
    deletedStreams: ['c', 's'],
    covered: { c: 1, s: 1 },
  },
  {
    rule: 'a deleted child does not return with the parent',
    history: ['a add s', 'a add c under s', 'sync', 'b delete c', 'a delete s', 'a add s'],
    streams: ['s'],
    deletedStreams: ['c'],
    covered: { c: 1, s: 1 },
  },
  {
    rule: 'a deletion wins over edits of an event',
    history: ['a add s', 'a put e1 in s', 'sync', 'a drop e1', 'b edit e1 new', 'b edit e1 newer'],
    streams: ['s'],
    events: [],
    deletedEvents: ['e1'],
  },
  {
    rule: 'an event deleted twice stays deleted',
    history: ['a add s', 'a put e1 in s', 'sync', 'a drop e1', 'b drop e1'],
    streams: ['s'],
    deletedEvents: ['e1'],
  },
  {
    rule: 'a deletion wins over a move to another stream',
    history: ['a add s', 'a add t', 'a put e1 in s', 'sync', 'a drop e1', 'b move e1 to t'],
    streams: ['s', 't'],
    deletedEvents: ['e1'],
  },
  {
    rule: 'the deletion of a stream deletes the events that its node has in it',
    history: ['a add s', 'a put e1 in s', 'sync', 'a delete s', 'b edit e1 new'],
    streams: [],
    deletedStreams: ['s'],
    deletedEvents: ['e1'],
    covered: { s: 1 },
  },
  {
    rule: 'an event created on another node in a deleted stream is shown in the recovered one',
    history: ['a add s', 'sync', 'a delete s', 'b put e1 in s'],
    streams: ['recovered'],
    events: ['e1 in recovered'],
    deletedStreams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'an event of several streams stays in those that remain',
    history: ['a add s', 'a add t', 'sync', 'a delete s', 'b put e1 in s t'],
    streams: ['t'],
    events: ['e1 in t'],
    deletedStreams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'an event returns to its stream when that is created again',
    history: ['a add s', 'sync', 'a delete s', 'b put e1 in s', 'sync', 'c add s'],
    streams: ['recovered', 's'],
    events: ['e1 in s'],
    covered: { s: 1 },
  },
  {
    rule: 'an event returns from a stream that remains when its other stream is created again',
    history: ['a add s', 'a add t', 'sync', 'a delete s', 'b put e1 in s t', 'sync', 'b add s'],
    streams: ['s', 't'],
    events: ['e1 in s t'],
    covered: { s: 1 },
  },
  {
    rule: 'an event moved out of a stream survives its deletion',
    history: ['a add s', 'a add t', 'a put e1 in s', 'sync', 'b move e1 to t', 'b to a', 'a delete s'],
    streams: ['t'],
    events: ['e1 in t'],
    deletedStreams: ['s'],
    covered: { s: 1 },
  },
  {
    rule: 'the recovered stream is the same on every node that creates it, and a deletion covers it once',
    history: ['a add s', 'sync', 'a delete s', 'b put e1 in s', 'a to c', 'b to c', 'b to a', 'sync', 'c delete recovered'],
    streams: [],
    deletedStreams: ['recovered', 's'],
    deletedEvents: ['e1'],
    covered: { recovered: 1, s: 1 },
  },
  {
    rule: 'the recovered stream is created again after its deletion',
    history: ['a add s', 'sync', 'a delete s', 'b put e1 in s', 'sync', 'c put e2 in recovered', 'a delete recovered'],
    streams: ['recovered'],
    events: ['e2 in recovered'],
    deletedStreams: ['s'],
    deletedEvents: ['e1'],
    covered: { recovered: 1, s: 1 },
  },
]

interface Group {
  replicas: Map<string, Replica>
  now: number
  streams: string[]
  events: string[]
}

const opened = async (): Promise<Group> => {
  const replicas = await Promise.all([1, 2, 3].map(openReplica))
  return { replicas: new Map(['a', 'b', 'c'].map((name, i) => [name, replicas[i] as Replica])), now: 1, streams: STREAMS, events: [] }
}

async function send(group: Group, from: string, to: string): Promise<Outcome[]> {
  const entries = await group.replicas.get(from)?.read(group.streams, group.events)
  return (await group.replicas.get(to)?.merge(entries ?? [], ++group.now)) ?? []
}

/** Sends everything to every replica until none changes. */
async function sync(group: Group): Promise<void> {
  for (let round = 0, isNews = true; isNews; round++) {
    expect(round).toBeLessThan(6)
    isNews = false
    for (const from of group.replicas.keys()) {
      for (const to of group.replicas.keys()) {
        if (from === to) continue
        const outcomes = await send(group, from, to)
        expect(outcomes.filter(({ is }) => is === 'refused' || is === 'incomplete')).toEqual([])
        isNews ||= outcomes.some(({ is }) => is === 'applied')
      }
    }
  }
}

async function perform(group: Group, step: string): Promise<void> {
  if (step === 'sync') return sync(group)
  const [actor = '', ...rest] = step.split(' ')
  if (rest[0] === 'to') return void (await send(group, actor, rest[1] ?? ''))
  if (rest[0] === 'put') group.events.push(rest[1] ?? '')
  await group.replicas.get(actor)?.edit(rest.join(' '), ++group.now)
}

async function closeAll(group: Group): Promise<Map<string, ReplicaContent>> {
  const contents = new Map<string, ReplicaContent>()
  for (const [name, replica] of group.replicas) {
    contents.set(name, await replica.readContent(group.streams))
    await replica.end()
  }
  return contents
}

describe('merging of deletions', () => {
  it.each(rows)('$rule', async ({ history, streams, events = [], deletedStreams = [], deletedEvents = [], covered = {} }) => {
    const group = await opened()
    for (const step of [...history, 'sync']) await perform(group, step)
    const contents = await closeAll(group)
    const [first] = contents.values()
    for (const one of contents.values()) expect(one).toEqual(first)
    expect({
      streams: first?.streams,
      events: first?.events,
      deletedStreams: Object.keys(first?.deletedStreams ?? {}).sort(),
      deletedEvents: Object.keys(first?.deletedEvents ?? {}),
      covered: Object.fromEntries(Object.entries(first?.tombstones ?? {}).map(([id, [, count]]) => [id, count])),
    }).toEqual({ streams, events, deletedStreams, deletedEvents, covered })
  })

  it('the later of two deletions determines the time, in any order of arrival', async () => {
    for (const arrival of [['a to c', 'b to c'], ['b to c', 'a to c']]) {
      const group = await opened()
      const history = ['a add s', 'a add t', 'a put e1 in t', 'sync', 'a delete s', 'a drop e1', 'b delete s', 'b drop e1']
      for (const step of history) await perform(group, step)
      const later = group.now
      for (const step of arrival) await perform(group, step)
      const { deletedStreams, deletedEvents, tombstones } = (await closeAll(group)).get('c') as ReplicaContent
      expect([deletedStreams['s'], deletedEvents['e1'], tombstones['s']]).toEqual([later - 1, later, [later - 1, 1]])
    }
  })

  it('a repeated deletion is known, and a deletion of an unknown item is stored', async () => {
    const group = await opened()
    for (const step of ['a add s', 'a add t', 'a put e1 in t', 'a delete s', 'a drop e1']) await perform(group, step)
    const deletions = (await group.replicas.get('a')?.read(['s'], ['e1'])) ?? []
    const other = group.replicas.get('b')
    expect(await other?.merge(deletions, 50)).toEqual([{ is: 'applied' }, { is: 'applied' }])
    expect(await other?.merge(deletions, 51)).toEqual([{ is: 'known' }, { is: 'known' }])
    const contents = await closeAll(group)
    expect(contents.get('b')?.tombstones).toEqual({ s: contents.get('a')?.tombstones['s'] })
    expect(contents.get('b')?.deletedEvents).toEqual(contents.get('a')?.deletedEvents)
  })
})

const SEED = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const RUNS = Number(process.env['RUNS'] ?? (process.env['LONG'] === undefined ? 8 : 400))

/** Returns a step that the model allows at random; events stay in one stream, and `c` is always below `s`. */
function randomStep(roll: (below: number) => number, models: ReadonlyMap<string, NaiveReplica>, events: readonly string[]): string | undefined {
  const any = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  const [actor, model] = any([...models])
  const stream = any(STREAMS)
  const event = any(events)
  switch (roll(8)) {
    case 0:
    case 1:
      if (model.hasStream(stream) || stream === 'recovered' || (stream === 'c' && !model.hasStream('s'))) return undefined
      return stream === 'c' ? `${actor} add c under s` : `${actor} add ${stream}`
    case 2:
      return model.hasStream(stream) ? `${actor} delete ${stream}` : undefined
    case 3:
      return model.hasStream(stream) ? `${actor} rename ${stream} ${stream}${roll(99)}` : undefined
    case 4:
      return model.hasStream(stream) ? `${actor} put e${events.length + 1} in ${stream}` : undefined
    case 5:
      if (event === undefined || !model.hasEvent(event)) return undefined
      return roll(2) === 0 ? `${actor} drop ${event}` : `${actor} edit ${event} n${roll(99)}`
    default: {
      const to = any(['a', 'b', 'c'])
      return to === actor ? undefined : `${actor} to ${to}`
    }
  }
}

function performNaive(models: ReadonlyMap<string, NaiveReplica>, step: string, now: number): void {
  const [actor = '', verb, name = '', , place] = step.split(' ')
  const model = models.get(actor) as NaiveReplica
  if (verb === 'add') model.add(name, place)
  else if (verb === 'delete') model.delete(name, now)
  else if (verb === 'put') model.put(name, place ?? '')
  else if (verb === 'drop') model.drop(name, now)
  else if (verb === 'to') models.get(name)?.merge(model)
}

describe('random histories of deletions', () => {
  it(`equal a naive model (SEED=${SEED})`, { timeout: RUNS * 10_000 }, async () => {
    for (let run = 0; run < RUNS; run++) {
      const roll = dice(SEED + run)
      const group = await opened()
      const models = new Map([...group.replicas.keys()].map((name) => [name, new NaiveReplica(name)]))
      const history: string[] = []
      for (let tries = 0; tries < 120; tries++) {
        const step = randomStep(roll, models, group.events)
        if (step === undefined) continue
        history.push(step)
        await perform(group, step)
        performNaive(models, step, group.now)
        const actor = step.includes(' to ') ? (step.split(' ')[2] ?? '') : step.charAt(0)
        const contents = await group.replicas.get(actor)?.readContent(STREAMS)
        expect(withoutEdits(contents as ReplicaContent), `SEED=${SEED + run} RUNS=1: ${history.join('; ')}`).toEqual(models.get(actor)?.readContent())
      }
      await closeAll(group)
    }
  })
})
