/**
 * Access to an app's profile set for the owner at the terminal: over HTTP only an access of that app reaches it, not the
 * owner's own.
 */
import { listAccesses } from '../../../store/accesses/accesses.js'
import { hasProfile } from '../../../store/accounts/profiles.js'
import type { ClientData } from '../../../store/model/event.js'
import { Failure } from '../../../store/model/failure.js'
import { parseInput } from '../../../store/model/validation.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Context } from '../../call/context.js'
import { RawJson } from '../../call/results.js'
import { appSetId, edited, ProfileUpdate, profileSetResult } from './sets.js'

/** Reads the profile set of the app with accesses named `name`. */
export async function readAppSet(node: Context, { account }: LoadedAccount, name: string): Promise<{ profile: RawJson }> {
  return profileSetResult(account, await knownSetId(node, { account }, name))
}

/** Changes keys of an app's set; `update` as in `profile.updateApp`. */
export async function changeAppSet(node: Context, { account }: LoadedAccount, name: string, update: unknown): Promise<{ profile: RawJson }> {
  const keys: ClientData = parseInput(ProfileUpdate, update)
  const id = await knownSetId(node, { account }, name)
  return account.write((t) => edited(node, t, id, keys))
}

/** Returns the id of the set. Refuses an app with neither accesses nor a set, which is probably a typing error. */
async function knownSetId(node: Context, { account }: Pick<LoadedAccount, 'account'>, name: string): Promise<string> {
  const id = appSetId(name)
  if (hasProfile(node.store.db, account.prefix, id)) return id
  const accesses = await listAccesses(account, node.store.seal)
  if (accesses.some(({ access }) => access.type === 'app' && access.name === name)) return id
  throw new Failure('unknown-resource', `No app "${name}" has an access to this account.`)
}
