/** Random calls of clients, and their record in the oracle. */
import { isReservedStream } from '../../../src/store/model/cmc.js'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../../src/store/model/failure.js'
import { resultText } from '../../../src/server/call/results.js'
import type { Oracle } from './oracle.js'
import { SHARED, streamsWithin } from './share.js'
import { USER, type Machine, type Roll } from './network.js'

type Json = Record<string, unknown>

export interface Work {
  roll: Roll
  oracle: Oracle
  /** Flag of runs that delete streams. */
  deletesStreams: boolean
  /** Index of the node of another owner, if there is one. */
  guest?: number
  /** Bytes of attached files, `<event> <name>` → SHA-256. */
  files: Map<string, string>
  refused: Map<string, number>
  /** Log of operations, to analyse a failure. */
  story: string[]
  counts: { calls: number; ids: number }
}

const STREAMS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
/** Stream ids that the guest uses. */
const GUESTS = { within: ['k', 'l', 'm'], outside: ['n', 'o', 'p'] }
const NAMES = ['one', 'two', 'three', 'ONE']
const KEYS = ['x', 'y', '1', 'z:z']

/** Calls with the rights of the owner; returns the failure of a refused call. */
export async function call(machine: Machine, method: string, params: Json, access?: string): Promise<Json | Failure> {
  try {
    const as = { user: USER, ...(access === undefined ? {} : { access }) }
    return JSON.parse(await resultText(await machine.control.call(method, params, as), Infinity)) as Json
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

interface Turn extends Work {
  machine: Machine
  /** Side of the share on which the guest acts; it moves nothing across. */
  side?: 'within' | 'outside'
}

async function callAndLog(turn: Turn, method: string, params: Json, access?: string): Promise<Json | undefined> {
  turn.counts.calls += 1
  const answer = await call(turn.machine, method, params, access)
  const result = answer instanceof Failure ? answer.id : 'done'
  turn.story.push(`n${turn.machine.index} ${method} ${JSON.stringify(params)}: ${result}`)
  if (!(answer instanceof Failure)) return answer
  turn.refused.set(`${method} ${answer.id}`, (turn.refused.get(`${method} ${answer.id}`) ?? 0) + 1)
  return undefined
}

const oneOf = <T>({ roll }: Work, from: readonly T[]): T => from[roll(from.length)] as T
const someOf = <T>(work: Work, from: readonly T[], most: number): T[] =>
  Array.from({ length: work.roll(most + 1) }, () => oneOf(work, from))

async function eventsHere({ machine, side }: Turn): Promise<Json[]> {
  const answer = await call(machine, 'events.get', { state: 'all', limit: 10_000 })
  const events = answer instanceof Failure ? [] : (answer['events'] as Json[])
  const own = events.filter(({ id }) => !String(id).startsWith(':'))
  if (side === undefined) return own
  const within = streamsWithin(machine)
  return own.filter(({ streamIds }) => (streamIds as string[]).some((id) => within.has(id)) === (side === 'within'))
}

function streamsHere({ machine, side }: Turn): string[] {
  const ids = [...machine.account.tree.all()].map(({ id }) => id).filter((id) => !isReservedStream(id))
  if (side === undefined) return ids
  const within = streamsWithin(machine)
  return ids.filter((id) => within.has(id) === (side === 'within'))
}

/** Returns the streams that a client may change: the guest may not change the shared stream itself. */
const streamsToChange = (turn: Turn): string[] => streamsHere(turn).filter((id) => turn.side === undefined || id !== SHARED)

function member(turn: Turn): string {
  const here = streamsHere(turn)
  return here.length === 0 ? oneOf(turn, STREAMS) : oneOf(turn, here)
}

const members = (turn: Turn): string[] => [...new Set([member(turn), ...(turn.roll(3) === 0 ? [member(turn)] : [])])]
const time = ({ roll }: Work): number => 1_700_000_000 + roll(5)

function fields(turn: Turn): Json {
  const { roll } = turn
  return {
    ...(roll(2) === 0 ? { tags: someOf(turn, ['t', 'u', 'v'], 3) } : {}),
    ...(roll(3) === 0 ? { clientData: Object.fromEntries(someOf(turn, KEYS, 3).map((key) => [key, roll(4) === 0 ? null : roll(9)])) } : {}),
    ...(roll(3) === 0 ? { description: `d${roll(3)}` } : {}),
    ...(roll(4) === 0 ? { time: time(turn) } : {}),
    ...(roll(6) === 0 ? { duration: roll(4) } : {}),
    ...(roll(8) === 0 ? { trashed: roll(2) === 0 } : {}),
  }
}

function newEvent(turn: Turn): Json {
  turn.counts.ids += 1
  const id = `c${turn.roll(36).toString(36)}${String(turn.counts.ids).padStart(23, '0')}`
  const isCount = turn.roll(2) === 0
  const body = isCount ? { type: 'count/generic', content: turn.roll(9) } : { type: 'note/txt', content: `text ${turn.roll(99)}` }
  return { id, streamIds: members(turn), ...body, time: time(turn), ...fields(turn) }
}

async function createEvent(turn: Turn): Promise<void> {
  const event = newEvent(turn)
  if (await callAndLog(turn, 'events.create', event)) turn.oracle.created(turn.machine.index, `event ${String(event['id'])}`)
}

async function createMany(turn: Turn): Promise<void> {
  const events = Array.from({ length: 2 + turn.roll(5) }, () => newEvent(turn))
  await Promise.all(
    events.map(async (event) => {
      if (await callAndLog(turn, 'events.create', event)) turn.oracle.created(turn.machine.index, `event ${String(event['id'])}`)
    }),
  )
}

async function createHolder(turn: Turn): Promise<void> {
  const event: Json = { ...newEvent(turn), type: 'series:mass/kg' }
  for (const field of ['content', 'duration']) delete event[field]
  if (await callAndLog(turn, 'events.create', event)) turn.oracle.created(turn.machine.index, `event ${String(event['id'])}`)
}

async function anEvent(turn: Turn, choose: (event: Json) => boolean = () => true): Promise<Json | undefined> {
  const events = (await eventsHere(turn)).filter(choose)
  return events.length === 0 ? undefined : oneOf(turn, events)
}

async function updateEvent(turn: Turn): Promise<void> {
  const event = await anEvent(turn)
  if (event === undefined) return
  const { roll } = turn
  const isSeries = String(event['type']).startsWith('series:')
  const update: Json = fields(turn)
  if (isSeries) delete update['duration']
  else if (roll(2) === 0) update['content'] = event['type'] === 'count/generic' ? roll(9) : `text ${roll(99)}`
  if (roll(3) === 0) update['streamIds'] = members(turn)
  await callAndLog(turn, 'events.update', { id: event['id'], update })
}

async function deleteEvent(turn: Turn): Promise<void> {
  const event = await anEvent(turn)
  if (event === undefined) return
  const { id } = event
  let answer = await callAndLog(turn, 'events.delete', { id })
  if (answer !== undefined && !('eventDeletion' in answer) && turn.roll(2) === 0) answer = await callAndLog(turn, 'events.delete', { id })
  if (answer !== undefined && 'eventDeletion' in answer) turn.oracle.deleted(turn.machine.index, `event ${String(id)}`)
}

async function attach(turn: Turn): Promise<void> {
  const { machine, roll } = turn
  turn.counts.ids += 1
  const fileName = `f${turn.counts.ids}.txt`
  const path = join(machine.home.home, fileName)
  const bytes = roll(4) === 0 ? `shared ${roll(2)}` : `${fileName} `.repeat(1 + roll(40_000))
  writeFileSync(path, bytes)
  const files = [{ path, fileName, type: 'text/plain' }]
  const note = (id: unknown): void => {
    turn.files.set(`${String(id)} ${fileName}`, createHash('sha256').update(bytes).digest('hex'))
    turn.oracle.created(machine.index, `file ${String(id)} ${fileName}`)
  }
  if (roll(2) === 0) {
    const event = newEvent(turn)
    if (!(await callAndLog(turn, 'events.create', { ...event, files }))) return
    turn.oracle.created(machine.index, `event ${String(event['id'])}`)
    note(event['id'])
  } else {
    const event = await anEvent(turn)
    if (event !== undefined && (await callAndLog(turn, 'events.addAttachment', { id: event['id'], files }))) note(event['id'])
  }
}

async function detach(turn: Turn): Promise<void> {
  const event = await anEvent(turn, ({ attachments }) => Array.isArray(attachments))
  if (event === undefined) return
  const { id: fileId, fileName } = oneOf(turn, event['attachments'] as Json[])
  const { id } = event
  if (await callAndLog(turn, 'events.deleteAttachment', { id, fileId })) turn.oracle.deleted(turn.machine.index, `file ${String(id)} ${String(fileName)}`)
}

async function addPoints(turn: Turn): Promise<void> {
  const { roll } = turn
  const holder = await anEvent(turn, ({ type }) => String(type).startsWith('series:'))
  if (holder === undefined) return createHolder(turn)
  const points = Array.from({ length: 1 + roll(20) }, () => [roll(60), roll(1000)])
  const { id } = holder
  if (!(await callAndLog(turn, 'series.add', { id, data: { format: 'flatJSON', fields: ['deltaTime', 'value'], points } }))) return
  for (const [deltaTime = 0] of points) turn.oracle.created(turn.machine.index, `point ${String(id)} ${deltaTime}`)
}

async function createStream(turn: Turn): Promise<void> {
  const here = streamsHere(turn)
  if (here.length === 0 && turn.side === 'within') return
  const isRoot = here.length === 0 || (turn.roll(2) === 0 && turn.side !== 'within')
  const parentId = isRoot ? null : oneOf(turn, here)
  const clientData = turn.roll(3) === 0 ? { clientData: { [oneOf(turn, KEYS)]: turn.roll(5) } } : {}
  await callAndLog(turn, 'streams.create', { id: oneOf(turn, turn.side === undefined ? STREAMS : GUESTS[turn.side]), name: oneOf(turn, NAMES), parentId, ...clientData })
}

async function updateStream(turn: Turn): Promise<void> {
  const here = streamsToChange(turn)
  if (here.length === 0) return
  const { roll, side } = turn
  const update: Json = {
    ...(roll(2) === 0 ? { name: oneOf(turn, NAMES) } : {}),
    ...(roll(2) === 0 ? { parentId: roll(3) === 0 && side !== 'within' ? null : oneOf(turn, streamsHere(turn)) } : {}),
    ...(roll(4) === 0 ? { clientData: { [oneOf(turn, KEYS)]: roll(3) === 0 ? null : roll(5) } } : {}),
    ...(roll(5) === 0 ? { trashed: roll(2) === 0 } : {}),
    ...(roll(6) === 0 ? { childrenHidden: roll(2) === 0 } : {}),
  }
  await callAndLog(turn, 'streams.update', { id: oneOf(turn, here), update })
}

async function deleteStream(turn: Turn): Promise<void> {
  const here = streamsToChange(turn)
  if (here.length === 0 || !turn.deletesStreams) return
  const id = oneOf(turn, here)
  await callAndLog(turn, 'streams.update', { id, update: { trashed: true } })
  if (turn.roll(4) === 0) return
  const answer = await callAndLog(turn, 'streams.delete', { id, mergeEventsWithParent: turn.roll(2) === 0 })
  for (const { id: event, action } of (answer?.['updatedEvents'] ?? []) as Json[]) {
    if (action === 'deleted') turn.oracle.deleted(turn.machine.index, `event ${String(event)}`)
  }
}

async function profile(turn: Turn): Promise<void> {
  const id = oneOf(turn, ['public', 'private'])
  const update = Object.fromEntries(someOf(turn, KEYS, 3).map((key) => [key, turn.roll(4) === 0 ? null : turn.roll(9)]))
  await callAndLog(turn, 'profile.update', { id, update })
}

async function accessesHere({ machine }: Turn): Promise<Json[]> {
  const answer = await call(machine, 'accesses.get', { includeExpired: true })
  const all = answer instanceof Failure ? [] : (answer['accesses'] as Json[])
  return all.filter(({ type }) => type !== 'personal')
}

const permissions = (turn: Turn): Json[] => [{ streamId: turn.roll(3) === 0 ? '*' : member(turn), level: oneOf(turn, ['read', 'contribute', 'manage']) }]

async function createAccess(turn: Turn): Promise<void> {
  const type = oneOf(turn, ['app', 'shared'])
  const answer = await callAndLog(turn, 'accesses.create', { name: oneOf(turn, NAMES), type, permissions: permissions(turn) })
  const access = answer?.['access'] as Json | undefined
  if (access !== undefined) turn.oracle.created(turn.machine.index, `access ${String(access['id']).split(':')[0]}`)
}

async function changeAccess(turn: Turn): Promise<void> {
  const accesses = await accessesHere(turn)
  if (accesses.length === 0) return createAccess(turn)
  const { id, type } = oneOf(turn, accesses)
  const { roll } = turn
  const dice = roll(4)
  if (dice === 0) {
    const answer = await callAndLog(turn, 'accesses.delete', { id })
    const gone = [answer?.['accessDeletion'], ...((answer?.['relatedDeletions'] ?? []) as Json[])] as (Json | undefined)[]
    for (const one of gone) if (one !== undefined) turn.oracle.deleted(turn.machine.index, `access ${String(one['id']).split(':')[0]}`)
  } else if (dice === 1 && type === 'app') {
    const access = String(id).split(':')[0]
    await callAndLog(turn, 'profile.updateApp', { update: { [oneOf(turn, KEYS)]: roll(9) } }, access)
  } else {
    const update: Json = {
      ...(roll(2) === 0 ? { name: oneOf(turn, NAMES) } : {}),
      ...(roll(2) === 0 ? { permissions: permissions(turn) } : {}),
      ...(roll(3) === 0 ? { clientData: { [oneOf(turn, KEYS)]: roll(9) } } : {}),
      ...(roll(4) === 0 ? { expireAfter: 100_000 + roll(9) } : {}),
      ...(roll(6) === 0 ? { expires: null } : {}),
    }
    if ('expireAfter' in update) delete update['expires']
    await callAndLog(turn, 'accesses.update', { id, update })
  }
}

const STEPS: [number, (turn: Turn) => Promise<void>][] = [
  [14, createEvent],
  [5, createMany],
  [16, updateEvent],
  [6, deleteEvent],
  [7, attach],
  [3, detach],
  [8, addPoints],
  [2, createHolder],
  [12, createStream],
  [9, updateStream],
  [6, deleteStream],
  [4, profile],
  [4, createAccess],
  [9, changeAccess],
]
const TOTAL = STEPS.reduce((sum, [weight]) => sum + weight, 0)

/** Performs one random call or a few, on one node. */
export async function step(work: Work, machine: Machine): Promise<void> {
  let dice = work.roll(TOTAL)
  const side = machine.index === work.guest && work.roll(3) === 0 ? 'outside' : 'within'
  for (const [weight, run] of STEPS) {
    if (dice < weight) return run({ ...work, machine, ...(machine.index === work.guest ? { side } : {}) })
    dice -= weight
  }
}
