/**
 * Aliases of accesses on a platform of several cores: claimed in the registry, so that every core finds the core of an alias.
 * On a platform of one core, the store alone has them.
 */
import type { LiveAccess } from '../../../store/accesses/accesses.js'
import { accountOfAlias } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import { NamesTaken } from '../../platform/registry/port.js'
import { newAlias } from '../../base/ids.js'
import { noteDeferral } from '../../call/json/largeJsonThread.js'
import type { Call } from '../../call/method.js'
import type { Context } from '../../call/context.js'

/** Attempts to find a free alias; one is enough, as long as few of the 10^12 are in use. */
const MAX_ATTEMPTS = 8
/** Aliases released in one transaction. */
const RELEASED_AT_ONCE = 50

/** Alias for an access to be created, and the function that its transaction calls first. */
export interface ClaimedAlias {
  alias: string
  enter(t: Transaction): void
}

/**
 * Runs `work` with an alias that belongs to the account when it resolves.
 * @throws Failure `platform-unavailable`
 */
export async function withClaimedAlias<T>({ node, user }: Call, work: (claimed: ClaimedAlias) => Promise<T>): Promise<T> {
  // Later calls of a batch wait for this one, which asks the registry before it stages anything.
  noteDeferral()
  for (let attempt = 1; ; attempt++) {
    const alias = newAlias(node.newId)
    try {
      return await node.registry.transfer({ account: user.id, take: [{ field: 'alias', value: alias }] }, (enter) => work({ alias, enter }))
    } catch (error) {
      const isTaken = error instanceof NamesTaken && error.names.every(({ field }) => field === 'alias')
      if (!isTaken || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/**
 * Releases aliases of accesses that were deleted, in the background. One that is not released, because the registry does not
 * answer, leads to the account, which does not know it.
 */
export function releaseAliases({ registry, store, log }: Context, account: string, accesses: readonly Pick<LiveAccess, 'access'>[]): void {
  if (!registry.isShared) return
  const aliases = accesses.flatMap(({ access: { alias } }) => (alias === undefined || accountOfAlias(store.db, alias) !== undefined ? [] : [alias]))
  const release = async (): Promise<void> => {
    for (let at = 0; at < aliases.length; at += RELEASED_AT_ONCE) {
      const leave = aliases.slice(at, at + RELEASED_AT_ONCE).map((value) => ({ field: 'alias', value }))
      await registry.transfer({ account, leave }, (enter) => store.platform.write(enter))
    }
  }
  release().catch((error: unknown) => log.debug('aliases of deleted accesses could not be released', { error: String(error) }))
}
