import * as z from 'zod'

/** Returns a schema that accepts anything, with the documentation and the input type of `schema`: for bodies with their own error ids. */
export const documented = <I>(schema: z.ZodType<unknown, I>): z.ZodType<unknown, I> => {
  const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>
  return z.unknown().meta(document) as unknown as z.ZodType<unknown, I>
}
