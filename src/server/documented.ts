import * as z from 'zod'

/** Takes anything, and has the document of `schema`: for bodies whose refusals have an id of their own. */
export const documented = (schema: z.ZodType): z.ZodType<unknown> => {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>
  return z.unknown().meta(document)
}
