/** The urlencoded alternative to verbs, headers and JSON bodies (specification, "Conventions"; data supplement 1.5). */
import { Failure } from '../../store/model/failure.js'

export interface Form {
  /** `_method`: the verb to take in place of POST. */
  method?: string
  /** `_auth`: in place of the `Authorization` header. */
  auth?: string
  /** `_json`: the body as JSON text, not parsed yet. */
  json?: string
  /** Without `_json`, the other fields as texts; those that come more than once as lists. */
  body: unknown
}

/** Most fields of a form: no method has nearly as many parameters. */
const MAX_FIELDS = 1000

/**
 * Parses a form.
 * @throws Failure `invalid-request-structure` for more than MAX_FIELDS fields
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
  const body: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const key of new Set(fields.keys())) {
    if (key === '_method' || key === '_auth') continue
    const values = fields.getAll(key)
    body[key] = values.length === 1 ? values[0] : values
  }
  form.body = body
  return form
}

function assertFewFields(text: string): void {
  let fields = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    fields += 1
    if (fields > MAX_FIELDS) throw new Failure('invalid-request-structure', `The form has more than ${MAX_FIELDS} fields.`)
  }
}
