import * as z from 'zod'

/** Returns a schema that accepts anything, with the documentation of `schema`: for bodies with their own error ids. */
export const documented = (schema: z.ZodType): z.ZodType<unknown> => {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>
  return z.unknown().meta(document)
}
