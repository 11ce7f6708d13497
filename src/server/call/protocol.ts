/**
 * Methods with their own protocol, such as OAuth: it defines statuses, headers and errors, without `meta` and other parts of the
 * API.
 */
import type * as z from 'zod'
import type { Context } from './context.js'

/** A complete answer. A type, not an interface, so that it is assignable to the result of a method. */
export type Answer = {
  status: number
  /** Headers besides those of all answers of the node; include `Content-Type` with a body. */
  headers: Readonly<Record<string, string>>
  /** The body. */
  text: string
}

/** An answer of a protocol, for the documentation. */
export interface AnswerKind {
  description: string
  /** Media type of its body; absent without a body. */
  type?: 'application/json' | 'text/html' | 'text/plain'
  schema?: z.ZodType
}

/**
 * The protocol of a method. Its `run` resolves with an Answer. Parameters are those of query and path for a GET, otherwise of the
 * body; those without a value are omitted, repeated ones are lists.
 */
export interface Protocol {
  /** Returns the answer to an error of `run`, or of parsing the request. Logs internal errors. */
  failed(node: Context, error: unknown): Answer
  /** CORS headers for other origins, instead of the common ones; OPTIONS answers 204 with them. */
  cors?: Readonly<Record<string, string>>
  /** True when urlencoded forms are accepted besides JSON. */
  form?: true
  /** True when its calls receive the `Cookie` header. */
  cookies?: true
  /** True when a GET changes state, so that HEAD is rejected. */
  getChanges?: true
  answers: Readonly<Record<number, AnswerKind>>
}
