/** What was not taken in: each thing with its place and the reason, so that nothing is dropped silently. */

export interface Place {
  file: string
  /** From 1 on. */
  line: number
  id?: string
}

export type Refusal = Place & { message: string }

/** How many are named; all are counted. */
const MAX_NAMED = 1000
const MAX_ID_LENGTH = 256

export class Report {
  /** The first ones. */
  readonly refusals: Refusal[] = []
  /** How many there are. */
  refused = 0

  refuse(place: Place, message: string): void {
    this.refused += 1
    if (this.refusals.length >= MAX_NAMED) return
    const { file, line, id } = place
    this.refusals.push({ file, line, ...(id === undefined ? {} : { id: id.slice(0, MAX_ID_LENGTH) }), message })
  }
}

/** The id in a value that may hold anything. */
export function idIn(value: unknown): { id?: string } {
  const { id } = Object(value) as { id?: unknown }
  return typeof id === 'string' ? { id } : {}
}
