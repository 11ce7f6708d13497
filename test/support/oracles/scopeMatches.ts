/** Scopes of an access, without a transport: the keys that match each change of a stage's account. */
import { authenticate } from '../../../src/server/auth/authenticate.js'
import { compileScopes, readScopes, type Holder, type ScopeMap } from '../../../src/server/notifications/scopes.js'
import { Failure } from '../../../src/store/model/failure.js'
import type { Stage } from '../http/methodTable.js'
import type { Node } from '../../../src/server/index.js'

/** Returns the access of a token as a holder of scopes. */
export async function holderOf({ node, username }: Pick<Stage, 'node' | 'username'>, token: string): Promise<Holder & { node: Node }> {
  const loaded = await node.node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no user ${username}`)
  return { node: node.node, account: loaded.account, caller: authenticate(node.node, loaded, token) }
}

/** Returns the parsed scopes, or the id of the failure. */
export function asked(holder: Holder, scopes: unknown): ScopeMap | string {
  try {
    return readScopes(holder, scopes)
  } catch (error) {
    if (error instanceof Failure) return error.id
    throw error
  }
}

/** Notifications of scopes. */
export interface Notifications {
  /** Returns the keys of each notification since the last call, joined by spaces; notifications without keys are omitted. */
  since(): Promise<string[]>
  stop(): void
}

/** Follows an account with the scopes of an access. */
export function notificationsOf(holder: Holder & { node: Node }, scopes: unknown): Notifications {
  const compiled = compileScopes(holder, readScopes(holder, scopes))
  let notified: string[] = []
  const stop = holder.node.notifier.follow(holder.account.prefix, (changes) => {
    const keys = compiled.match(changes)
    if (keys.length > 0) notified.push(keys.join(' '))
  })
  return {
    async since() {
      await holder.node.store.settled()
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      const answer = notified
      notified = []
      return answer
    },
    stop,
  }
}
