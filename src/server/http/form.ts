/** The urlencoded alternative to verbs, headers and JSON bodies (specification, "Conventions"; data supplement 1.5). */
import { readJson } from './json.js'

export interface Form {
  /** `_method`: the verb to take in place of POST. */
  method?: string
  /** `_auth`: in place of the `Authorization` header. */
  auth?: string
  /** `_json`, or the other fields as texts; those that come more than once as lists. */
  body: unknown
}

/** Reads a form. Throws `invalid-request-structure` when `_json` is not JSON. */
export function readForm(text: string): Form {
  const fields = new URLSearchParams(text)
  const form: Form = { body: undefined }
  const method = fields.get('_method')
  if (method !== null && method !== '') form.method = method.toUpperCase()
  const auth = fields.get('_auth')
  if (auth !== null) form.auth = auth
  const json = fields.get('_json')
  if (json !== null) {
    form.body = readJson(json)
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
