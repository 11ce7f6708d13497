/** What a client sent with a message: taken as JSON is taken from other doors, bounded, and without binary parts. */
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { MAX_JSON_DEPTH } from '../../store/model/jsonDepth.js'

const invalid = (message: string): Failure => new Failure('invalid-parameters-format', `Invalid data: ${message}`)

/** The one parameter of a large message, which was parsed, and bounded, in the thread. */
export class ParsedParameter {
  constructor(readonly value: unknown) {}
}

/** What came with a message. */
export type Content = readonly unknown[] | ParsedParameter

/**
 * The one parameter of a message.
 * @throws Failure `invalid-parameters-format`; `invalid-request-structure` for what JSON over HTTP could not be either
 */
export function onlyParameter(content: Content): unknown {
  if (content instanceof ParsedParameter) return content.value
  if (content.length !== 1) throw invalid('a message has one parameter and a callback.')
  const [value] = content
  assertWellFormed(value)
  return value
}

/** The parameters of a method. Throws what `onlyParameter` throws, and refuses what is no object. */
export function parametersOf(content: Content): object {
  const value = onlyParameter(content)
  if (typeof value === 'object' && value !== null) return value
  throw invalidFormat([{ code: 'INVALID_TYPE', message: 'The parameters are an object or an array.', path: '#/' }])
}

function assertWellFormed(value: unknown): void {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) {
      throw new Failure('invalid-request-structure', `The parameters are nested more than ${MAX_JSON_DEPTH} levels deep.`)
    }
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'number' && !Number.isFinite(item)) {
        throw new Failure('invalid-request-structure', 'The parameters hold a number that is too large.')
      }
      if (typeof item !== 'object' || item === null) continue
      if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) throw invalid('parameters have no binary parts.')
      for (const key in item) next.push((item as Record<string, unknown>)[key])
    }
    level = next
  }
}
