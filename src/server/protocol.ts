/**
 * Methods that speak a protocol of its own, such as OAuth: statuses, headers and error answers are that protocol's, and
 * nothing of this interface, such as `meta`, is around them.
 */
import type * as z from 'zod'
import type { Node } from './node.js'

/** A whole answer. Its type, not an interface, so that it passes for the result of a method. */
export type Answer = {
  status: number
  /** Beside those that every answer of the node has; with a body, `Content-Type` among them. */
  headers: Readonly<Record<string, string>>
  /** The body. */
  text: string
}

/** One of the answers of a protocol, for documents. */
export interface AnswerKind {
  description: string
  /** Of its body; none without. */
  type?: 'application/json' | 'text/html' | 'text/plain'
  schema?: z.ZodType
}

/**
 * What makes a method one of another protocol. Its `run` resolves with an Answer. Its parameters are those of the query
 * and the path of a GET, else of the body; what is given without a value is not given, what is given more than once is a list.
 */
export interface Protocol {
  /** The answer to what was thrown: by `run`, or because the request could not be read. Has logged what nobody may be told. */
  failed(node: Node, error: unknown): Answer
  /** What pages of other origins are told, in place of the common headers; OPTIONS answers 204 with it. */
  cors?: Readonly<Record<string, string>>
  /** Bodies that are taken beside JSON. */
  form?: true
  /** Its calls are told of the `Cookie` header. */
  cookies?: true
  /** A GET of it changes something, so that a HEAD is refused. */
  getChanges?: true
  answers: Readonly<Record<number, AnswerKind>>
}
