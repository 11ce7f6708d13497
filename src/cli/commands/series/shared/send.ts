/** Sends the points of a file's lines, and reports refusals by line number. */
import { Failure } from '../../../../store/model/failure.js'
import { readFlatJson } from '../../../../store/model/flatJson.js'
import { CommandError } from '../../../framework/exit.js'
import { numberOf, recordOf, textOf } from '../../../client/answer.js'
import type { Authority, NodeClient } from '../../../client/nodeClient.js'
import type { SeriesDetails } from './about.js'

/** A point and its line number. */
export interface PointLine {
  line: number
  cells: unknown[]
}

/** Number of points per call. */
export const POINTS_PER_CALL = 10_000

/** Consumer of points: the node, or a local check. */
type Send = (lines: readonly PointLine[]) => Promise<void>

/**
 * Creates a function that sends points with these fields to a series.
 * @throws CommandError 1 naming the refused line
 */
export function createSender(client: NodeClient, as: Authority, id: string, fields: readonly string[]): Send {
  return async (lines) => {
    const data = { format: 'flatJSON', fields, points: lines.map(({ cells }) => cells) }
    await atLine(lines, () => client.call('series.add', { id, data }, as))
  }
}

/**
 * Creates a function that checks points like the node, and sends nothing.
 * @throws like `createSender`
 */
export function createChecker({ shape, time }: SeriesDetails, fields: readonly string[]): Send {
  return async (lines) => {
    const data = { format: 'flatJSON', fields, points: lines.map(({ cells }) => cells) }
    await atLine(lines, () => readFlatJson(data, { fields: shape, time }))
  }
}

async function atLine(lines: readonly PointLine[], work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    const data = error instanceof Failure ? recordOf(error.data) : {}
    const at = lines[numberOf(data['point']) ?? -1]
    if (at === undefined || !(error instanceof Failure)) throw error
    const field = textOf(data['field'])
    const of = field === '' ? '' : ` (${field})`
    throw lineError(at.line, `The node refused the point${of}: ${error.message}`, error)
  }
}

/** Returns the error of a refused line. */
export function lineError(line: number, why: string, cause?: unknown): CommandError {
  return new CommandError(`Line ${line}: ${why}`, { data: { line }, cause })
}
