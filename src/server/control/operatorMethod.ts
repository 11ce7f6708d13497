/**
 * Definition of an operator method: a call by the operator of the node, outside of the HTTP API. The control interface, the types
 * of the command line's client and `coffer help` derive from the list of methods (operatorMethods.ts).
 */
import type * as z from 'zod'
import type { FailureId } from '../../store/model/failure.js'
import { parseInput } from '../../store/model/validation.js'
import type { Result } from '../call/method.js'
import type { Node } from '../index.js'
import type { RawJson } from '../call/results.js'

/** A call by the operator, at the terminal of the node's machine or with the operator key. */
export interface OperatorCall<N = Node> {
  /** The parts of the node that the method needs. */
  node: N
  /** Aborted when the client disconnects. */
  signal?: AbortSignal
}

/** A value as `run` returns it: read-only, and possibly already JSON text. */
export type Returned<T> =
  | RawJson
  | (T extends readonly (infer Item)[] ? readonly Returned<Item>[] : T extends object ? { readonly [K in keyof T]: Returned<T[K]> } : T)

interface Definition<Id extends string, I extends z.ZodType, O extends z.ZodType> {
  id: Id
  /** One line for documentation and help. */
  summary: string
  input: I
  /** Creates the schema of the result as JSON; not used by a running node. Members without a declaration fail in tests. */
  output(): O
  fails: readonly FailureId[]
  /**
   * The command to run on the machine of the node. Restricts the method to that machine: it uses paths of the machine or returns
   * secrets of the node.
   */
  localCommand?: string
}

export interface OperatorMethod<Id extends string = string, I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType, N = Node>
  extends Definition<Id, I, O> {
  scope: 'operator'
  run(call: OperatorCall<N>, input: z.output<I>): Promise<Result> | Result
}

/** Defines an operator method. `N` are the parts of the node that it needs, if not the whole node. */
export const operatorMethod = <const Id extends string, I extends z.ZodType, O extends z.ZodType, N = Node>(
  m: Definition<Id, I, O> & { run(call: OperatorCall<N>, input: z.output<I>): Promise<Returned<z.output<O>>> | Returned<z.output<O>> },
): OperatorMethod<Id, I, O, N> => ({ ...m, scope: 'operator' }) as unknown as OperatorMethod<Id, I, O, N>

/**
 * Calls a method with parameters of a client.
 * @throws Failure `invalid-parameters-format`, or a failure of the method
 */
export async function callOperator<N>(
  method: OperatorMethod<string, z.ZodType, z.ZodType, N>,
  call: OperatorCall<N>,
  params: unknown,
): Promise<Result> {
  return method.run(call, parseInput(method.input, params))
}
