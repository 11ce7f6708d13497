/**
 * Schemas of members that only the node sets, but that clients send back. The documentation lists them separately by the JSON
 * schema keyword `readOnly`.
 */
import * as z from 'zod'

/** A member of a new item that is ignored. */
export const ignoredMember = z.unknown().optional().meta({ description: 'Set by the node; a given value is ignored.', readOnly: true })

/** A member of an update that is rejected, or ignored if the operator configures so. */
export const protectedMember = z
  .unknown()
  .optional()
  .meta({ description: 'Set by the node; rejected, or ignored if the setting updates.ignoreProtectedFields is true.', readOnly: true })
