/**
 * Checks the result of every operator method with its schema, in all tests that start a node: members that are missing, of another
 * type or not declared fail. The command line reads results by the types of these schemas.
 */
import { isDeepStrictEqual } from 'node:util'
import { createControl } from '../../../src/server/control/control.js'
import type { OperatorMethod } from '../../../src/server/control/operatorMethod.js'
import { operatorMethods, type OperatorMethods } from '../../../src/server/control/operatorMethods.js'
import type { Node } from '../../../src/server/index.js'
import { resultText } from '../../../src/server/call/results.js'

/** Calls an operator method of a node, as the command line does. */
export const operate = <M extends keyof OperatorMethods>(node: Node, id: M, params: OperatorMethods[M]['input']): Promise<OperatorMethods[M]['output']> =>
  createControl(node, [], operatorMethods).call(id, params, {}) as Promise<OperatorMethods[M]['output']>

const checked = new WeakSet<object>()

/** Makes each method throw for a result that differs from its schema. Idempotent. */
export function checkResults(methods: readonly OperatorMethod[] = operatorMethods): void {
  for (const method of methods) {
    if (checked.has(method)) continue
    checked.add(method)
    const { run } = method
    method.run = async (call, input) => {
      const result = await run(call, input)
      assertDeclared(method, JSON.parse(await resultText(result, Infinity)))
      return result
    }
  }
}

/** Throws for a result, as JSON, that the schema of a method does not declare. */
export function assertDeclared({ id, output }: Pick<OperatorMethod, 'id' | 'output'>, result: unknown): void {
  const parsed = output().safeParse(result)
  if (!parsed.success) throw new Error(`The result of ${id} differs from its schema: ${parsed.error.message}`)
  // Schemas drop members that they do not declare.
  const extra = differing(result, parsed.data, '')
  if (extra.length > 0) throw new Error(`The result of ${id} has members that its schema does not declare: ${extra.join(', ')}`)
}

function differing(one: unknown, other: unknown, path: string): string[] {
  if (isDeepStrictEqual(one, other)) return []
  if (!isObject(one) || !isObject(other)) return [path]
  return Object.keys(one).flatMap((key) => differing(one[key], other[key], `${path}/${key}`))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
