/**
 * Members of items that only the node sets, as clients send them back. Documents list them apart: `readOnly` is the keyword
 * of JSON schema for it.
 */
import * as z from 'zod'

/** A member of a new item that is ignored. */
export const ignoredMember = z.unknown().optional().meta({ description: 'Set by the node; a given value is ignored.', readOnly: true })

/** A member of an update that is refused, or ignored where the operator wants it so. */
export const protectedMember = z
  .unknown()
  .optional()
  .meta({ description: 'Set by the node; refused, or ignored if the setting updates.ignoreProtectedFields is true.', readOnly: true })
