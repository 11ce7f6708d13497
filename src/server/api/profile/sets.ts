/** Profile sets of an account, and their access rules (docs/interface/profile.md#sets). */
import * as z from 'zod'
import { profileJson, findProfileToEdit, putProfile } from '../../../store/accounts/profiles.js'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { mergeKeys } from '../../../store/model/clientData.js'
import type { ClientData } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { isJsonObject } from '../../../store/model/json.js'
import { mapOfText, mapTextOf } from '../../../store/model/jsonText.js'
import { publicEnrolment } from '../../../store/model/mfa.js'
import { appProfileId, hasAppProfile, protectedIn, withoutProtected } from '../../../store/model/profile.js'
import type { Account, Transaction } from '../../../store/engine/account.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'
import { writeAccount, writeWithinQuota } from '../../dispatch/accountWrite.js'
import { anyAccess, appOnly, personalOnly, type AccessCaller } from '../../call/callers.js'
import type { Call, Result } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { RawJson } from '../../call/results.js'

export type ProfileSet = 'public' | 'private' | 'app'

/** Schema of changed keys. Not copied: a copy by zod would lose a key named __proto__. */
export const ProfileUpdate = z
  .custom<ClientData>(isJsonObject, { error: 'Expected an object.', params: { code: 'INVALID_TYPE' } })
  .meta({ type: 'object' })

export const ProfileView = z.object({ profile: z.record(z.string(), z.unknown()).describe('The profile set: values by key.') })

/** Returns the set named in a path or a batch call. */
export function setNamed(id: string): ProfileSet {
  if (id === 'public' || id === 'private' || id === 'app') return id
  throw new Failure('unknown-resource', `Unknown profile set "${id}".`)
}

/**
 * Returns the id of an app's profile set, by the name of its accesses.
 * @throws Failure `invalid-operation` for names that cannot have one
 */
export function appSetId(name: string): string {
  if (!hasAppProfile(name)) throw new Failure('invalid-operation', `An app named "${name}" has no profile set.`)
  return appProfileId(name)
}

/** The accesses that may read a set. */
export const profileReaders: Readonly<Record<ProfileSet, AccessCaller>> = { public: anyAccess, private: personalOnly, app: appOnly }

/** The accesses that may change a set. */
export const profileWriters: Readonly<Record<ProfileSet, AccessCaller>> = { public: personalOnly, private: personalOnly, app: appOnly }

const appSetOf = ({ caller }: Call): string => appSetId(caller.access.name)

/** Reads a set for a call by one of its readers. */
export function readSet(call: Call, set: ProfileSet): Result {
  return profileSetResult(call.account, set === 'app' ? appSetOf(call) : set)
}

/** Changes keys of a set for a call by one of its writers; returns the whole set. */
export function changeSet(call: Call, set: ProfileSet, update: ClientData): Promise<Result> {
  const id = set === 'app' ? appSetOf(call) : set
  if (set === 'private') {
    const [key] = protectedIn(update)
    if (key !== undefined) throw new Failure('invalid-operation', `The key "${key}" cannot be set here.`, { key })
  }
  // Removing keys is allowed beyond the quota.
  const write = Object.values(update).every((value) => value === null) ? writeAccount : writeWithinQuota
  return write(call, (t) => edited(call.node, t, id, update))
}

/** Returns a set as shown to its readers. */
export function profileSetResult({ db, prefix }: Account, id: string): { profile: RawJson } {
  const profile = profileJson(db, prefix, id)
  if (id !== 'private') return { profile: new RawJson(profile) }
  return { profile: new RawJson(mapTextOf(withFactor({ get: (key) => db.get(key) }, prefix, mapOfText(profile) as ClientData))) }
}

/** Adds the second factor, which is stored elsewhere, to the owner's private set. */
function withFactor(reader: RecordReader, account: string, keys: ClientData): ClientData {
  const enrolment = readEnrolment(reader, account)
  const own = withoutProtected(keys)
  return enrolment === undefined ? own : { ...own, mfa: publicEnrolment(enrolment) }
}

/** Stages changed keys: null removes one, others stay. Creates a missing set. */
export function edited(node: Context, t: Transaction, id: string, update: ClientData): { profile: RawJson } {
  const former = findProfileToEdit(t, node.store.recorder, id)
  const keys = mergeKeys(former?.profile.keys, update) ?? {}
  putProfile(t, former, { id, keys, modified: node.clock.now() })
  return { profile: new RawJson(mapTextOf(id === 'private' ? withFactor(t, t.account, keys) : keys)) }
}
