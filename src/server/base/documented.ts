import * as z from 'zod'

/** Returns a schema that accepts anything, with the documentation and the input type of `schema`: for bodies with their own error ids. */
export const documented = <I>(schema: z.ZodType<unknown, I>): z.ZodType<unknown, I> => {
  const documented = z.unknown()
  // The document is derived when it is read: deriving all of them takes longer than a command should.
  documented._zod.toJSONSchema = () => {
    const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>
    return document
  }
  return documented as unknown as z.ZodType<unknown, I>
}
