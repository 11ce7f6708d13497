import { Failure } from '../../../store/model/failure.js'
import type { AccountField } from '../../../store/model/systemStreams.js'
import type { Context } from '../../call/context.js'

/** Returns an account field that its owner may change. @throws Failure `invalid-operation` with `field` for others */
export function editableField(node: Context, name: string): AccountField {
  const field = node.systemStreams.byName(name)
  if (field?.isEditable === true && !field.isContainer) return field
  throw new Failure('invalid-operation', `The account field "${name}" cannot be changed.`, { field: name })
}
