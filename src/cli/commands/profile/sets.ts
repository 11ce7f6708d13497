/** Selection of a profile set by options, and calls to read and change it. */
import type { ProfileSet } from '../../../server/api/profile/sets.js'
import { usageError } from '../../framework/exit.js'
import type { NodeClient, ParamsOf } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { choice, text } from '../../framework/option.js'

export const setOptions = {
  set: choice(['public', 'private', 'app'], 'Profile set'),
  app: text('App of the profile set: the name of its accesses', { placeholder: 'name' }),
  user: userOption,
}

interface SetInput {
  set: ProfileSet | undefined
  app: string | undefined
  user: string | undefined
}

/** Profile set chosen by the options. */
type SelectedSet = { set: 'app'; app: string } | { set: Exclude<ProfileSet, 'app'> }

/**
 * Returns the set that the options choose; undefined without options.
 * @throws CommandError 2 when the options contradict each other.
 */
export function selectedSet({ set, app }: Pick<SetInput, 'set' | 'app'>): SelectedSet | undefined {
  if (app !== undefined) {
    if (set !== undefined && set !== 'app') throw usageError(`--app cannot be combined with --set ${set}`)
    return { set: 'app', app }
  }
  if (set === 'app') throw usageError('--app <name> is missing, which --set app requires', 'For example: --set app --app my-app')
  return set === undefined ? undefined : { set }
}

/** Reads a set, or changes keys of it when `update` is given; returns `{ profile }`. */
export async function callSet(
  client: NodeClient,
  wanted: SelectedSet,
  user: string | undefined,
  update?: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const as = await accountOf(client, user)
  // Only an access of the app may call profile.getApp; the owner uses a separate method.
  if (wanted.set === 'app') {
    const of = { username: as.user, app: wanted.app }
    return update === undefined ? client.call('profiles.showApp', of, {}) : client.call('profiles.updateApp', { ...of, update: update as ParamsOf<'profiles.updateApp'>['update'] }, {})
  }
  return client.call(update === undefined ? 'profile.get' : 'profile.update', { id: wanted.set, ...(update === undefined ? {} : { update }) }, as)
}
