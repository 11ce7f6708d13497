import * as z from 'zod'
import { isSameAddress, type EmailEntry } from '../../../store/model/emails.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import type { AccountField } from '../../../store/model/systemStreams.js'
import type { User } from '../../../store/accounts/users.js'
import { trailOf } from '../../dispatch/call.js'
import { presentUser, replaceUser } from '../shared/updateUser.js'
import { assertFieldValue, writeField, type FieldValue } from '../shared/accountFields.js'
import { adminKey } from '../../call/callers.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import { platformMethod, type PlatformCall, type Result } from '../../call/method.js'
import { atHome } from '../../platform/cores/atHome.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import type { Context } from '../../call/context.js'

/** Author of the operator's changes (docs/interface/audit.md#calls-without-an-access). */
export const BY_OPERATOR = 'admin'

const Fields = z.record(z.string(), z.union([z.string(), z.number()]))

/**
 * Sets account fields of the platform, visible to their owner or not (docs/interface/system.md#accounts). Value, claim and event
 * of a field change together; the primary e-mail address counts as verified. Deleted values become free for others if this
 * account holds exactly that value; the owner's event of it stays. User names do not change.
 */
export const updateUser = platformMethod({
  id: 'system.updateUser',
  summary: 'Sets or frees registered fields of an account.',
  http: { verb: 'PUT', path: '/system/users' },
  caller: adminKey,
  input: z.object({
    username: z.string().describe('User name of the account.'),
    user: Fields.nullish().describe('Values to set, by field.'),
    fieldsToDelete: Fields.nullish().describe('Values of unique fields to free, by field; only those that the account has.'),
  }),
  output: () => z.object({ user: z.literal(true).describe('The fields were changed.') }),
  notInBatch: true,
  fails: ['invalid-parameters-format', 'invalid-operation', 'unknown-resource', 'item-already-exists'],
  run(call: PlatformCall<CoreCallDeps>, body) {
    const { username } = body
    return atHome(call, { username, route: { verb: 'PUT', path: '/system/users', body } }, (loaded) => update(call, loaded, body))
  },
})

interface Changes {
  user?: Record<string, FieldValue> | null | undefined
  fieldsToDelete?: Record<string, FieldValue> | null | undefined
}

async function update({ node, origin }: PlatformCall, { account }: LoadedAccount, { user, fieldsToDelete }: Changes): Promise<Result> {
  const set = fieldsIn(node, user ?? {}, 'user')
  for (const { field, value } of set) assertFieldValue(field, value)
  const freed = fieldsIn(node, fieldsToDelete ?? {}, 'fieldsToDelete')
  const trail = trailOf({ node, origin, account }, 'system.updateUser', BY_OPERATOR)
  await account.exclusively(async (write) => {
    const before = presentUser(account)
    const after = planned(before, set, freed, node.clock.now())
    await replaceUser(node, write, before, after, (t) => {
      for (const { field, value } of set) if (field.isShown) writeField(node, account, t, field, value, 'system')
      trail?.stage(t)
    })
  })
  trail?.succeeded()
  return { user: true }
}

interface FieldChange {
  field: AccountField
  value: FieldValue
}

/**
 * Parses the fields in a part of the body.
 * @throws Failure `invalid-parameters-format` for fields that the platform does not have
 */
function fieldsIn(node: Context, input: Record<string, FieldValue>, part: string): FieldChange[] {
  const changes: FieldChange[] = []
  for (const [name, value] of Object.entries(input)) {
    if (name === 'username') continue
    const field = node.systemStreams.byName(name)
    const isStored = field !== undefined && !field.isContainer && (field.isIndexed || field.isUnique)
    const isText = typeof value === 'string' && value.length > 0 && value.length <= (name === 'email' ? 300 : 1000)
    if (isStored && (isText || (typeof value === 'number' && name !== 'email'))) changes.push({ field, value })
    else throw invalidFormat([{ code: `${name}-invalid`, message: `${name} is invalid`, path: `#/${part}/${name}`, param: name }])
  }
  return changes
}

const isSame = (field: string, a: string | undefined, b: string): boolean =>
  a !== undefined && (field === 'email' ? isSameAddress(a, b) : a === b)

/** Returns the user after the changes. */
function planned(user: User, set: FieldChange[], freed: FieldChange[], now: number): User {
  const next: User = { ...user, hidden: { ...user.hidden }, unique: { ...user.unique } }
  for (const { field, value } of freed) {
    if (field.isUnique) free(next, field.id, String(value))
    else if (!field.isShown) delete next.hidden[field.id]
    else throw new Failure('invalid-operation', `Every account requires a ${field.id}: set another value.`, { field: field.id })
  }
  for (const { field, value } of set) {
    if (field.isUnique) next.unique[field.id] = String(value)
    if (!field.isShown) next.hidden[field.id] = value
    if (field.id === 'email') next.emails = withPrimary(next.emails, String(value), now)
  }
  return next
}

/** Removes a unique value, if the user holds it. */
function free(user: User, field: string, value: string): void {
  if (!isSame(field, user.unique[field], value)) return
  if (field === 'email') {
    if (user.emails?.some((entry) => !entry.primary) === true) {
      throw new Failure('invalid-operation', 'The account has other e-mail addresses: make one of them the primary first.')
    }
    delete user.emails
  }
  delete user.unique[field]
}

/** Returns the addresses with this one as the primary, replacing the former primary. */
function withPrimary(entries: EmailEntry[] = [], value: string, now: number): EmailEntry[] {
  const others = entries.filter((entry) => !entry.primary && !isSameAddress(entry.value, value))
  return [{ value, primary: true, status: 'verified', verifiedAt: now, verificationMethod: 'operator' }, ...others]
}
