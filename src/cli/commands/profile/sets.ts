/** Which profile set a command means, and the way to it. */
import { usageError } from '../../framework/exit.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { choice, text } from '../../framework/option.js'

export type SetName = 'public' | 'private' | 'app'

export const setOptions = {
  set: choice(['public', 'private', 'app'], 'The set: public, private, or that of an app'),
  app: text('The app whose set it is: the name of its accesses', { placeholder: 'name' }),
  user: userOption,
}

export interface SetInput {
  set: SetName | undefined
  app: string | undefined
  user: string | undefined
}

/** A set, as a person names it. */
export interface Chosen {
  set: SetName
  app?: string
}

/**
 * The set that the options name; undefined when they name none.
 * @throws CommandError 2 when they contradict each other.
 */
export function chosen({ set, app }: Pick<SetInput, 'set' | 'app'>): Chosen | undefined {
  if (app !== undefined) {
    if (set !== undefined && set !== 'app') throw usageError(`--app does not go with --set ${set}`)
    return { set: 'app', app }
  }
  if (set === 'app') throw usageError('--app <name> is missing: it says whose set is meant')
  return set === undefined ? undefined : { set }
}

/** Reads a set, or changes keys of it when there is an `update`; answers `{ profile }`. */
export async function callSet(
  client: NodeClient,
  { set, app }: Chosen,
  user: string | undefined,
  update?: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const as = await accountOf(client, user)
  const params = update === undefined ? {} : { update }
  // Only an access of the app may call profile.getApp: the owner has a way of his own.
  if (set === 'app') {
    const method = update === undefined ? 'profiles.showApp' : 'profiles.updateApp'
    return client.call(method, { username: as.user, app, ...params }, {})
  }
  return client.call(update === undefined ? 'profile.get' : 'profile.update', { id: set, ...params }, as)
}
