/**
 * The profile set of an app, for the owner at the terminal: over HTTP it is reached by an access of that app only, and
 * the owner's own access is none.
 */
import { listAccesses } from '../../store/accesses/accesses.js'
import { hasProfile } from '../../store/accounts/profiles.js'
import type { ClientData } from '../../store/model/event.js'
import { Failure } from '../../store/model/failure.js'
import { parseInput } from '../../store/model/validation.js'
import type { Result } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'
import { appSetId, edited, ProfileUpdate, displayed } from './sets.js'

/** Reads the profile set of the app that has accesses named `name`. */
export async function readAppSet(node: Node, { account }: LoadedAccount, name: string): Promise<Result> {
  return displayed(account, await knownSetId(node, { account }, name))
}

/** Changes keys of it; `update` as in `profile.updateApp`. */
export async function changeAppSet(node: Node, { account }: LoadedAccount, name: string, update: unknown): Promise<Result> {
  const keys: ClientData = parseInput(ProfileUpdate, update)
  const id = await knownSetId(node, { account }, name)
  return account.write((t) => edited(node, t, id, keys))
}

/** The id of the set. An app that has neither accesses nor a set is taken for a slip of the pen. */
async function knownSetId(node: Node, { account }: Pick<LoadedAccount, 'account'>, name: string): Promise<string> {
  const id = appSetId(name)
  if (hasProfile(node.store.db, account.prefix, id)) return id
  const accesses = await listAccesses(account, node.store.seal)
  if (accesses.some(({ access }) => access.type === 'app' && access.name === name)) return id
  throw new Failure('unknown-resource', `No app "${name}" has an access to this account.`)
}
