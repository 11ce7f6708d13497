/**
 * Content schemas as functions. The validator library is loaded when the first schema is compiled, because most
 * content never needs it and loading takes longer than the rest of a start.
 */
import { createRequire } from 'node:module'
import type { Ajv, ValidateFunction } from 'ajv'
import { isObject } from './schema.js'
import type { Schema } from './schema.js'

const load = createRequire(import.meta.url)

/** Keywords whose values are data: nothing in them is a schema. */
const dataKeywords = new Set(['enum', 'const', 'default', 'examples', 'attrs'])

/**
 * The same conditions in draft-07, which the validator speaks: the boolean exclusive bounds of draft-04 become numbers,
 * and the identity of a schema is dropped, since every schema of a directory stands alone.
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
  // An asynchronous validator would answer with a promise, which looks like a success.
  if (typeof keywords.get('$async') === 'boolean') keywords.delete('$async')
  const inner = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(inner) : isObject(value) ? modernized(value) : value
  return Object.fromEntries([...keywords].map(([key, value]) => [key, dataKeywords.has(key) ? value : inner(value)]))
}

export interface Compiler {
  /**
   * A validator of contents. With `'first'` it stops at the first violation, so its cost is bounded by the schema;
   * with `'all'` it collects every one. Throws an `Error` when the schema cannot be compiled.
   */
  compile(schema: Schema, errors: 'first' | 'all'): ValidateFunction
}

/**
 * Makes a compiler. `checkSchemas` examines every schema against the meta schema before compiling it, which a document
 * from elsewhere needs and a known one does not. Formats are checked; references outside the schema are refused.
 */
export function createCompiler({ checkSchemas }: { checkSchemas: boolean }): Compiler {
  const instances: { first?: Ajv; all?: Ajv } = {}
  function instance(errors: 'first' | 'all'): Ajv {
    const made = instances[errors]
    if (made) return made
    const ajv = load('ajv') as typeof import('ajv')
    const formats = load('ajv-formats') as typeof import('ajv-formats')
    const fresh = new ajv.Ajv({
      strict: false,
      allErrors: errors === 'all',
      verbose: true,
      ownProperties: true,
      strictNumbers: true,
      validateSchema: checkSchemas,
      // Directories are written without Unicode patterns in mind: `\-` and the like stay allowed.
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
