/** Parameters of a message: validated like JSON over HTTP, with limits, and without binary parts. */
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { MAX_JSON_DEPTH } from '../../store/model/jsonDepth.js'

const invalid = (message: string): Failure => new Failure('invalid-parameters-format', `Invalid data: ${message}`)

/** Parameter of a large message, already parsed and checked in the worker thread. */
export class ParsedParameter {
  constructor(readonly value: unknown) {}
}

/** Content of a message. */
export type Content = readonly unknown[] | ParsedParameter

/**
 * Returns the single parameter of a message.
 * @throws Failure `invalid-parameters-format`; `invalid-request-structure` for values that JSON over HTTP cannot have
 */
export function onlyParameter(content: Content): unknown {
  if (content instanceof ParsedParameter) return content.value
  if (content.length !== 1) throw invalid('a message must have one parameter and a callback.')
  const [value] = content
  assertWellFormed(value)
  return value
}

/**
 * Returns the parameters of a method, which must be an object.
 * @throws errors of `onlyParameter`
 */
export function parametersOf(content: Content): object {
  const value = onlyParameter(content)
  if (typeof value === 'object' && value !== null) return value
  throw invalidFormat([{ code: 'INVALID_TYPE', message: 'The parameters must be an object or an array.', path: '#/' }])
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
        throw new Failure('invalid-request-structure', 'The parameters contain a number that is too large.')
      }
      if (typeof item !== 'object' || item === null) continue
      if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) throw invalid('parameters must not have binary parts.')
      for (const key in item) next.push((item as Record<string, unknown>)[key])
    }
    level = next
  }
}
