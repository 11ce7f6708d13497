import type * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { checkInput, zodItems } from '../../../store/model/validation.js'

/**
 * Parses a body of these routes, which report every error with the same id.
 * @throws Failure `invalid-parameters`; message and data name the field and never repeat a value
 */
export function sanitise<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = checkInput(schema, body ?? {})
  if (result.success) return result.data
  const [first] = zodItems(result)
  const param = String(result.issues[0]?.path[0] ?? '')
  const message = `${param === '' ? 'The body' : param}: ${first?.message ?? 'invalid'}`
  throw new Failure('invalid-parameters', message, param === '' ? undefined : { param })
}
