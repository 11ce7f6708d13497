/** Writes the events of lines to an account and returns the outcome of each. */
import { numberOf, recordOf } from '../../../client/answer.js'
import type { Record_ } from '../../../client/answer.js'
import { problemOf } from './batches.js'
import type { Batches } from './batches.js'
import { changesTo, differences } from './compare.js'
import type { Field } from './compare.js'
import type { EventLine, Problem } from './line.js'
import { refused } from './outcome.js'
import type { Outcome } from './outcome.js'

/** State shared by the groups of an import. */
interface ImportContext {
  batches: Batches
  /** True when existing events with other content are updated. */
  update: boolean
  /**
   * True when most ids of the last group existed: then looking up events is cheaper than creating them and failing. Set
   * by `writeLines`.
   */
  mostExist?: boolean
}

type Outcomes = Map<EventLine, Outcome>

/**
 * Creates the events of the lines. An existing event with the same content is unchanged; one with other content is
 * updated with `update`, else the line is refused. Outcomes are in the order of the lines.
 */
export async function writeLines(lines: readonly EventLine[], context: ImportContext): Promise<Outcome[]> {
  const outcomes: Outcomes = new Map()
  const remaining = (): EventLine[] => lines.filter((line) => !outcomes.has(line))
  if (context.mostExist === true) await compareExisting(remaining(), context, outcomes)
  await create(remaining(), context.batches, outcomes)
  // The ids of the remaining lines exist.
  await compareExisting(remaining(), context, outcomes)
  const created = [...outcomes.values()].filter((outcome) => outcome.kind === 'created')
  context.mostExist = created.length * 2 < lines.length
  return lines.map((line) => outcomes.get(line) ?? deletedMeanwhile(line))
}

/** Predicts the outcomes of `writeLines` for valid lines, as far as possible without writing. */
export async function dryRunLines(lines: readonly EventLine[], { batches, update }: ImportContext): Promise<Outcome[]> {
  const states = await existingStates(lines, batches)
  return lines.map((line, index): Outcome => {
    const state = states[index] ?? { is: 'absent' }
    if (state.is === 'other' && update) return { kind: 'updated', line }
    return outcomeOf(line, state) ?? { kind: 'created', line }
  })
}

/** Creates new events; lines whose id exists get no outcome. */
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

/**
 * Compares lines with existing events and updates those if requested; lines without an existing event get no outcome.
 */
async function compareExisting(lines: readonly EventLine[], { batches, update }: ImportContext, outcomes: Outcomes): Promise<void> {
  const states = await existingStates(lines, batches)
  const changed: EventLine[] = []
  const calls = []
  for (const [index, line] of lines.entries()) {
    const state = states[index] ?? { is: 'absent' }
    if (state.is === 'other' && update) {
      const { event } = line
      changed.push(line)
      const changes = changesTo(event, state.existing, state.differing)
      calls.push({ method: 'events.update', params: { id: event.id, update: changes } })
    } else {
      const outcome = outcomeOf(line, state)
      if (outcome !== undefined) outcomes.set(line, outcome)
    }
  }
  const results = await batches.call(calls)
  for (const [index, line] of changed.entries()) {
    const error = problemOf(results[index] ?? {})
    outcomes.set(line, error === undefined ? { kind: 'updated', line } : refused(line, error))
  }
}

/** State of the event with the id of a line. */
type ExistingState =
  | { is: 'absent' | 'same' | 'deleted' }
  | { is: 'other'; existing: Record_; differing: readonly Field[] }
  | { is: 'unknown'; error: Problem }

async function existingStates(lines: readonly EventLine[], batches: Batches): Promise<ExistingState[]> {
  const calls = lines.map(({ event: { id } }) => ({ method: 'events.getOne', params: { id } }))
  const results = await batches.call(calls)
  return lines.map((line, index): ExistingState => {
    const result = results[index] ?? {}
    const error = problemOf(result)
    if (error !== undefined) return error.id === 'unknown-resource' ? { is: 'absent' } : { is: 'unknown', error }
    const existing = recordOf(result['event'])
    if (numberOf(existing['deleted']) !== undefined) return { is: 'deleted' }
    const differing = differences(line, existing)
    return differing.length === 0 ? { is: 'same' } : { is: 'other', existing, differing }
  })
}

/** Returns the outcome of a line for the state of its event; undefined when there is no event. */
function outcomeOf(line: EventLine, state: ExistingState): Outcome | undefined {
  const { id } = line.event
  switch (state.is) {
    case 'absent':
      return undefined
    case 'same':
      return { kind: 'unchanged', line }
    case 'unknown':
      return refused(line, state.error)
    case 'deleted':
      return idExists(line, `The event "${id}" was deleted; its id cannot be reused.`, { id })
    case 'other': {
      const { differing } = state
      return idExists(line, `The event "${id}" already exists with different content: ${differing.join(', ')}.`, { id, differing })
    }
  }
}

function idExists(line: EventLine, message: string, data: Record_): Outcome {
  return refused(line, { id: 'item-already-exists', message, data })
}

/** Returns the refusal of a line whose event was deleted between the failed create and the comparison. */
function deletedMeanwhile(line: EventLine): Outcome {
  const { id } = line.event
  return idExists(line, `The event "${id}" was deleted in the meantime.`, { id })
}
