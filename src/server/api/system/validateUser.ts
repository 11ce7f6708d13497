import * as z from 'zod'
import { Failure, FormedFailure, invalidFormat, type FailureId } from '../../../store/model/failure.js'
import type { SystemStreams } from '../../../store/model/systemStreams.js'
import { coreIdOf } from '../../platform/cores/cores.js'
import { NamesTaken, type Name } from '../../platform/registry/port.js'
import { assertFieldValue } from '../shared/accountFields.js'
import { adminKey } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { isUsername } from '../register/input.js'
import { isInvited } from '../register/invitations.js'
import { takenFailure } from '../shared/names.js'
import { reserve } from '../shared/reservations.js'
import { isReservedUsername } from '../register/reserved.js'

/**
 * Checks whether a registration could succeed, and reserves its names for ten minutes (docs/interface/system.md#accounts). `core`
 * is the core of the new account, wherever it is registered within this time.
 */
export const validateUser = platformMethod({
  id: 'system.validateUser',
  summary: 'Checks a registration, and reserves its names for ten minutes.',
  http: { verb: 'POST', path: '/system/users/validate' },
  caller: adminKey,
  input: z.object({
    username: z.string().describe('User name to reserve.'),
    invitationToken: z.string().nullish().describe('Invitation token, where the node requires one.'),
    uniqueFields: z.record(z.string(), z.union([z.string(), z.number()])).nullish().describe('Values of unique fields to reserve, by field.'),
    core: z.string().nullish().describe('Id or URL of the core of the new account; ignored on a platform of one core.'),
  }),
  output: () => z.object({ reservation: z.literal(true).describe('The names are reserved for ten minutes.') }),
  notInBatch: true,
  fails: ['invalid-parameters-format', 'reservation-refused'],
  async run({ node }, { username, invitationToken, uniqueFields, core: input }) {
    const names = namesIn(node.systemStreams, username, uniqueFields ?? {})
    if (!(await isInvited(node, invitationToken ?? undefined))) throw refused(new Failure('invitationToken-invalid'))
    if (isReservedUsername(node.config, username, node.registry.cores)) throw refused(takenFailure([{ field: 'username', value: username }]))
    const core = input === undefined || input === null || !node.registry.isShared ? undefined : coreNamed(node, input)
    try {
      await reserve(node, { username, ...(core === undefined ? {} : { core }) }, names)
    } catch (error) {
      throw error instanceof NamesTaken ? refused(takenFailure(error.names)) : error
    }
    return { reservation: true }
  },
})

/** Returns the id of a core. @throws Failure `reservation-refused` when there is none with the id or URL */
function coreNamed(node: Context, idOrUrl: string): string {
  const id = coreIdOf(node, idOrUrl)
  if (id === undefined) throw refused(new Failure('INVALID_DATA', `Unknown core "${idOrUrl}".`))
  return id
}

/** Returns the user name and the values of unique fields to reserve; `username` may also be among the fields. */
function namesIn(systemStreams: SystemStreams, username: string, fields: Record<string, string | number>): Name[] {
  if (!isUsername(username)) {
    throw invalidFormat([
      { code: 'username-invalid', message: 'Username is invalid', path: '#/username', param: 'username' },
    ])
  }
  const names: Name[] = [{ field: 'username', value: username }]
  for (const [field, value] of Object.entries(fields)) {
    if (field === 'username' && value === username) continue
    const known = systemStreams.byName(field)
    if (known?.isUnique !== true) {
      const path = `#/uniqueFields/${field}`
      throw invalidFormat([{ code: 'UNKNOWN_FIELD', message: `"${field}" is not a unique field.`, path, param: field }])
    }
    assertFieldValue(known, value)
    names.push({ field, value: String(value) })
  }
  return names
}

/** Returns the failure in its HTTP form: `reservation`, and the reason as its error. */
function refused(reason: Failure): FormedFailure {
  const error: { id: FailureId } = reason.toJSON()
  return new FormedFailure('reservation-refused', reason.message, () => ({ reservation: false, error }), error)
}
