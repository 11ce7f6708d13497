/** Converts routes and schemas of methods to the notation of documents. */
import * as z from 'zod'
import type { Method } from '../../call/method.js'
import type { Schema } from './shape.js'

/** Formats a path of a method from the root of the node. The account precedes other parameters, and each occurs once. */
export function routeOf(method: Pick<Method, 'scope' | 'http'>, path = method.http.path): string {
  if (method.scope === 'platform') return path.replace(/:(\w+)/g, '{$1}')
  return `/{username}${path.replace(/:username\b/g, '{otherUsername}').replace(/:(\w+)/g, '{$1}')}`
}

/** Converts a schema of parameters or results to JSON schema. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<string, unknown>
  return json
}

/** Converts the parameters of a method to JSON schema, without files, which are sent separately. */
export const inputSchemaOf = ({ input }: Pick<Method, 'input'>): Schema => withoutFiles(schemaOf(input, 'input'))

function withoutFiles(schema: Schema): Schema {
  const properties = schema['properties'] as Record<string, Schema> | undefined
  if (properties === undefined) return schema
  const { files: _, ...others } = properties
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(others).map(([name, member]): [string, Schema] => [name, name === 'update' ? withoutFiles(member) : member])),
  }
}
