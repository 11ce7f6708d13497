/** Types of the parameters and results of methods, by id, for clients that import no code of the server. */
import type * as z from 'zod'

interface Typed {
  id: string
  input: z.ZodType
  output: z.ZodType
}

/** The parameters and the result of each method in a list, by method id, without methods whose id has no literal type. Results are as in JSON. */
export type MethodTypes<List extends readonly Typed[]> = {
  [M in List[number] as string extends M['id'] ? never : M['id']]: { input: z.input<M['input']>; output: z.output<M['output']> }
}
