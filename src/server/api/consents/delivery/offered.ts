/** Permissions of an offer, and their comparison with those that a person grants (docs/interface/consents.md#grants). */
import type { Permission } from '../../../../store/model/access.js'
import { scopeOf } from '../../../../store/model/cmc.js'
import { checkGrant, type GrantReason, type OfferedPermission } from '../../../../store/model/consent.js'
import { Failure } from '../../../../store/model/failure.js'
import { isInternal } from '../../../../store/model/permission.js'
import { checkInput } from '../../../../store/model/validation.js'
import { assertPermissionsPossible, storedPermissions } from '../../accesses/permissions.js'
import { PermissionInput, type AskedPermission } from '../../accesses/schema.js'
import { namedScope } from '../channels.js'
import { OfferedPermissions, type OfferedEntry } from '../content.js'
import { objectOf } from '../objects.js'
import type { Call } from '../../../call/method.js'
import { failed, type Outcome } from './jobTypes.js'

type Content = Record<string, unknown>

/** Returns the scope of the relationship: the offer's, so that both sides use the same; else that of the accept event. */
export const scopeFor = (offer: Content, streamIds: readonly string[]): string | undefined =>
  namedScope(offer['originStreamId']) ?? scopeOf(streamIds)

/** Returns a permission as in a request for an access, without members specific to offers. */
function plain(entry: OfferedEntry): unknown {
  if ('streamId' in entry) {
    const { streamId, level, defaultName } = entry
    return { streamId, level, ...(defaultName === undefined ? {} : { defaultName }) }
  }
  const { feature, setting, ['streams']: streams } = entry as { feature: unknown; setting: unknown; streams?: unknown }
  return { feature, setting, ...(streams === undefined ? {} : { streams }) }
}

function readEntries(value: unknown): { entry: OfferedEntry; asked: AskedPermission }[] | undefined {
  const entries = checkInput(OfferedPermissions, value)
  if (!entries.success) return undefined
  const read = entries.data.flatMap((entry) => {
    const input = checkInput(PermissionInput, plain(entry))
    return input.success ? [{ entry, asked: input.data }] : []
  })
  return read.length === entries.data.length ? read : undefined
}

/** Rejects permissions that grant nothing, and those reserved for the node. */
const isGrantable = (input: AskedPermission): boolean =>
  !('streamId' in input) || (input.level !== 'none' && !isInternal(input.streamId ?? '*'))

const REASONS: Partial<Record<GrantReason, string>> = {
  'choice-not-allowed': 'cmc-consent-user-choice-not-allowed',
  'mandatory-refused': 'cmc-mandatory-permission-refused',
}

/** Returns the permissions that a person grants of an offer (all without `granted`), or the reason for rejection. */
export function grantedOf(call: Call, offer: Content, granted: unknown): AskedPermission[] | Outcome {
  const { permissions, allowUserChoice } = objectOf(offer['request'])
  if (!Array.isArray(permissions) || permissions.length === 0) return failed('cmc-offer-empty-permissions')
  const offered = readEntries(permissions)
  if (offered === undefined || !offered.every(({ asked: input }) => isGrantable(input))) return failed('cmc-offer-invalid-permissions')
  try {
    assertPermissionsPossible(call, offered.map(({ asked: input }) => input))
  } catch (error) {
    if (error instanceof Failure) return failed('cmc-offer-invalid-permissions', { message: error.message })
    throw error
  }
  const chosen = granted === undefined ? offered : readEntries(granted)
  if (chosen === undefined) return failed('cmc-granted-permissions-not-subset')
  const fits: OfferedPermission[] = offered.map(({ entry, asked: input }) => ({ permission: stored(input), isMandatory: entry.mandatory === true }))
  const grantable = chosen.map(({ asked: input }) => stored(input))
  const refusal = checkGrant(grantable, fits, allowUserChoice === true, call.account.tree)
  if (refusal !== undefined) {
    const detail = refusal.offending === undefined ? undefined : { offending: refusal.offending }
    return failed(REASONS[refusal.reason] ?? 'cmc-granted-permissions-not-subset', detail)
  }
  // Stream names come from the offer.
  const held = new Set(grantable.map((permission) => JSON.stringify(permission)))
  return offered.map(({ asked: input }) => input).filter((input) => held.has(JSON.stringify(stored(input))))
}

const stored = (input: AskedPermission): Permission => storedPermissions([input])[0] ?? { streamId: '*', level: 'none' }
