/**
 * Parses urlencoded forms, the alternative to verbs, headers and JSON bodies (docs/interface/conventions.md#forms).
 */
import { Failure } from '../../store/model/failure.js'
import { MAX_INDEXED_ITEMS, readFields } from '../base/fields.js'

interface Form {
  /** `_method`: the verb to use instead of POST. */
  method?: string
  /** `_auth`: used instead of the `Authorization` header. */
  auth?: string
  /** `_json`: the body as JSON text, not yet parsed. */
  json?: string
  /** Without `_json`, the other fields as texts, lists and objects (fields.ts). */
  body: unknown
}

/** Maximum number of fields: one list of maximum length, and more fields than any method has parameters. */
const MAX_FIELDS = MAX_INDEXED_ITEMS + 100

/**
 * Parses a form.
 * @throws Failure `invalid-request-structure` for more than MAX_FIELDS fields, `invalid-parameters-format` for invalid field
 *   names
 */
export function readForm(text: string): Form {
  assertFewFields(text)
  const fields = new URLSearchParams(text)
  const form: Form = { body: undefined }
  const method = fields.get('_method')
  if (method !== null && method !== '') form.method = method.toUpperCase()
  const auth = fields.get('_auth')
  if (auth !== null) form.auth = auth
  const json = fields.get('_json')
  if (json !== null) {
    form.json = json
    return form
  }
  form.body = readFields(fields, (_, key) => key !== '_method' && key !== '_auth')
  return form
}

function assertFewFields(text: string): void {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    fields += 1
    if (fields > MAX_FIELDS) throw new Failure('invalid-request-structure', `The form has more than ${MAX_FIELDS} fields.`)
  }
}
