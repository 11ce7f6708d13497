/**
 * Reference entries of operator methods, generated from the method values. Only the command line calls them, over the control
 * interface.
 */
import { schemaOf } from '../../../server/api/reference/jsonSchema.js'
import { members, notation } from '../../../server/api/reference/shape.js'
import { lifecycleMethods } from '../../../server/control/lifecycleMethods.js'
import type { OperatorMethod } from '../../../server/control/operatorMethod.js'
import { operatorMethods } from '../../../server/control/operatorMethods.js'
import { statusOfId } from '../../../server/base/status.js'
import type { Block } from '../blocks.js'
import { parameterBlocks } from './entries.js'

const never = (): never => {
  throw new Error('Methods are only described here.')
}

/** All operator methods, by id. */
export const describedOperatorMethods: readonly OperatorMethod[] = [...operatorMethods, ...lifecycleMethods({ stop: never, restart: never })].sort((a, b) =>
  a.id < b.id ? -1 : 1,
)

/** Returns the entry of a method id under a heading; undefined for an unknown id. */
export function operatorEntry(id: string): Block[] | undefined {
  const method = describedOperatorMethods.find((each) => each.id === id)
  return method === undefined ? undefined : entry(method)
}

/** Returns the entries of all methods. */
export const operatorEntries = (): Block[] => [{ heading: 'Methods' }, ...describedOperatorMethods.flatMap(entry)]

function entry({ id, summary, localCommand, input, output, fails }: OperatorMethod): Block[] {
  const where = localCommand === undefined ? '' : ` Only on the machine of the node, where ${localCommand.replace(/ <.*/, '')} calls it.`
  const errors = [...fails].sort().map((each) => `${each} (${statusOfId[each]})`).join(', ')
  return [
    { heading: id, sub: true },
    { text: `${summary}${where}` },
    ...parameterBlocks(members(schemaOf(input, 'input'))),
    { text: 'Result:' },
    { code: notation(schemaOf(output(), 'output')) },
    { text: `Errors: ${errors === '' ? 'only those common to all calls' : errors}.` },
  ]
}
