/** Puts the events of lines into an account, and tells what became of each. */
import { numberOf, recordOf } from '../client/answer.js'
import type { Record_ } from '../client/answer.js'
import { problemOf } from './batches.js'
import type { Batches } from './batches.js'
import { changesTo, differences } from './compare.js'
import type { Field } from './compare.js'
import type { EventLine, Problem } from './line.js'
import { refused } from './outcome.js'
import type { Outcome } from './outcome.js'

/** How lines meet events that are there. */
export interface ImportContext {
  batches: Batches
  /** Whether events that say something else are changed. */
  update: boolean
  /**
   * Whether most ids were taken lately: then to look first costs less than to create in vain. Kept up by `writeLines`.
   */
  maxAreThere?: boolean
}

type Outcomes = Map<EventLine, Outcome>

/**
 * Creates the events of the lines. An event that is there already and says the same is unchanged; one that says
 * something else is changed with `update`, else the line is refused. Outcomes come in the order of the lines.
 */
export async function writeLines(lines: readonly EventLine[], meeting: ImportContext): Promise<Outcome[]> {
  const outcomes: Outcomes = new Map()
  const left = (): EventLine[] => lines.filter((line) => !outcomes.has(line))
  if (meeting.maxAreThere === true) await meet(left(), meeting, outcomes)
  await create(left(), meeting.batches, outcomes)
  // What is left is taken.
  await meet(left(), meeting, outcomes)
  const created = [...outcomes.values()].filter((outcome) => outcome.kind === 'created')
  meeting.maxAreThere = created.length * 2 < lines.length
  return lines.map((line) => outcomes.get(line) ?? takenAndGone(line))
}

/** What `writeLines` would do with lines that are fine by themselves, as far as it can be told without doing it. */
export async function dryRunLines(lines: readonly EventLine[], { batches, update }: ImportContext): Promise<Outcome[]> {
  const standings = await standingsOf(lines, batches)
  return lines.map((line, index): Outcome => {
    const standing = standings[index] ?? { is: 'absent' }
    if (standing.is === 'other' && update) return { kind: 'updated', line }
    return outcomeOf(line, standing) ?? { kind: 'created', line }
  })
}

/** Creates what can be; lines whose id is taken get no outcome. */
async function create(lines: readonly EventLine[], batches: Batches, outcomes: Outcomes): Promise<void> {
  const results = await batches.call(lines.map(({ event }) => ({ method: 'events.create', params: event })))
  for (const [index, line] of lines.entries()) {
    const error = problemOf(results[index] ?? {})
    if (error === undefined) outcomes.set(line, { kind: 'created', line })
    else if (error.id !== 'item-already-exists' || recordOf(error.data)['id'] !== line.event.id) {
      outcomes.set(line, refused(line, error))
    }
  }
}

/** Compares with what is there, and changes it if that is asked; lines whose event is not there get no outcome. */
async function meet(lines: readonly EventLine[], { batches, update }: ImportContext, outcomes: Outcomes): Promise<void> {
  const standings = await standingsOf(lines, batches)
  const changed: EventLine[] = []
  const calls = []
  for (const [index, line] of lines.entries()) {
    const standing = standings[index] ?? { is: 'absent' }
    if (standing.is === 'other' && update) {
      const { event } = line
      changed.push(line)
      const changes = changesTo(event, standing.existing, standing.differing)
      calls.push({ method: 'events.update', params: { id: event.id, update: changes } })
    } else {
      const outcome = outcomeOf(line, standing)
      if (outcome !== undefined) outcomes.set(line, outcome)
    }
  }
  const results = await batches.call(calls)
  for (const [index, line] of changed.entries()) {
    const error = problemOf(results[index] ?? {})
    outcomes.set(line, error === undefined ? { kind: 'updated', line } : refused(line, error))
  }
}

/** What is there under the id of a line. */
type Standing =
  | { is: 'absent' | 'same' | 'deleted' }
  | { is: 'other'; existing: Record_; differing: readonly Field[] }
  | { is: 'unknown'; error: Problem }

async function standingsOf(lines: readonly EventLine[], batches: Batches): Promise<Standing[]> {
  const calls = lines.map(({ event: { id } }) => ({ method: 'events.getOne', params: { id } }))
  const results = await batches.call(calls)
  return lines.map((line, index): Standing => {
    const result = results[index] ?? {}
    const error = problemOf(result)
    if (error !== undefined) return error.id === 'unknown-resource' ? { is: 'absent' } : { is: 'unknown', error }
    const existing = recordOf(result['event'])
    if (numberOf(existing['deleted']) !== undefined) return { is: 'deleted' }
    const differing = differences(line, existing)
    return differing.length === 0 ? { is: 'same' } : { is: 'other', existing, differing }
  })
}

/** What becomes of a line by what is there; undefined when nothing is. */
function outcomeOf(line: EventLine, standing: Standing): Outcome | undefined {
  const { id } = line.event
  switch (standing.is) {
    case 'absent':
      return undefined
    case 'same':
      return { kind: 'unchanged', line }
    case 'unknown':
      return refused(line, standing.error)
    case 'deleted':
      return taken(line, `The event "${id}" was deleted, and its id is not used again.`, { id })
    case 'other': {
      const { differing } = standing
      return taken(line, `The event "${id}" is there and says something else: ${differing.join(', ')}.`, { id, differing })
    }
  }
}

function taken(line: EventLine, message: string, data: Record_): Outcome {
  return refused(line, { id: 'item-already-exists', message, data })
}

/** Nobody knows what it said. */
function takenAndGone(line: EventLine): Outcome {
  const { id } = line.event
  return taken(line, `The event "${id}" was there a moment ago.`, { id })
}
