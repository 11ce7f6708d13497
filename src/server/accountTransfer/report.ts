/** Items refused by an import, with place and reason, so that nothing is dropped silently. */

export interface LineRef {
  file: string
  /** Starting at 1. */
  line: number
  id?: string
}

export type Refusal = LineRef & { message: string }

/** Maximum number of refusals listed; all are counted. */
const MAX_NAMED = 1000
const MAX_ID_LENGTH = 256

export class Report {
  /** The first refusals. */
  readonly refusals: Refusal[] = []
  /** Total number of refusals. */
  refused = 0

  refuse(place: LineRef, message: string): void {
    this.refused += 1
    if (this.refusals.length >= MAX_NAMED) return
    const { file, line, id } = place
    this.refusals.push({ file, line, ...(id === undefined ? {} : { id: id.slice(0, MAX_ID_LENGTH) }), message })
  }
}

/** Returns the id in an arbitrary value. */
export function idIn(value: unknown): { id?: string } {
  const { id } = Object(value) as { id?: unknown }
  return typeof id === 'string' ? { id } : {}
}
