/**
 * Compiles content schemas to functions. Loads the validator library with the first schema, because most content never
 * needs it and loading takes longer than the rest of a start.
 */
import { createRequire } from 'node:module'
import type { Ajv, ValidateFunction } from 'ajv'
import { isJsonObject } from '../json.js'
import type { Schema } from './schema.js'

const load = createRequire(import.meta.url)

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(['enum', 'const', 'default', 'examples', 'attrs'])

/**
 * Converts a schema to draft-07 for the validator: the boolean exclusive bounds of draft-04 become numbers, and the schema
 * id is dropped, since every schema of a directory is independent.
 */
function modernized(schema: Schema): Record<string, unknown> {
  const keywords = new Map(Object.entries(schema))
  for (const bound of ['Minimum', 'Maximum']) {
    const exclusive = keywords.get(`exclusive${bound}`)
    if (typeof exclusive !== 'boolean') continue
    const limit = keywords.get(bound.toLowerCase())
    keywords.delete(`exclusive${bound}`)
    if (!exclusive || limit === undefined) continue
    keywords.set(`exclusive${bound}`, limit)
    keywords.delete(bound.toLowerCase())
  }
  for (const identity of ['$schema', '$id', 'id']) {
    if (typeof keywords.get(identity) === 'string') keywords.delete(identity)
  }
  // An asynchronous validator would return a promise, which looks like a success.
  if (typeof keywords.get('$async') === 'boolean') keywords.delete('$async')
  const inner = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(inner) : isJsonObject(value) ? modernized(value) : value
  return Object.fromEntries([...keywords].map(([key, value]) => [key, dataKeywords.has(key) ? value : inner(value)]))
}

export interface Compiler {
  /**
   * Compiles a validator of contents. With `'first'` it stops at the first violation, so its cost is bounded by the schema;
   * with `'all'` it collects every one.
   * @throws Error when the schema cannot be compiled
   */
  compile(schema: Schema, errors: 'first' | 'all'): ValidateFunction
}

/**
 * Creates a compiler. `checkSchemas` validates every schema against the meta schema first, required for external documents.
 * Formats are checked; references outside the schema are refused.
 */
export function createCompiler({ checkSchemas }: { checkSchemas: boolean }): Compiler {
  const instances: { first?: Ajv; all?: Ajv } = {}
  function instance(errors: 'first' | 'all'): Ajv {
    const existing = instances[errors]
    if (existing) return existing
    const ajv = load('ajv') as typeof import('ajv')
    const formats = load('ajv-formats') as typeof import('ajv-formats')
    const fresh = new ajv.Ajv({
      strict: false,
      allErrors: errors === 'all',
      verbose: true,
      ownProperties: true,
      strictNumbers: true,
      validateSchema: checkSchemas,
      // Directories do not assume Unicode patterns: `\-` and the like stay allowed.
      unicodeRegExp: false,
      logger: false,
    })
    formats.default(fresh)
    instances[errors] = fresh
    return fresh
  }
  return {
    compile: (schema, errors) => instance(errors).compile(modernized(schema)),
  }
}
