/** Scopes of an access, asked directly: what they would tell of each change of a stage's account. */
import { authenticate } from '../../../src/server/auth/authenticate.js'
import { compileScopes, readScopes, type Holder, type ScopeMap } from '../../../src/server/notifications/scopes.js'
import { Failure } from '../../../src/store/model/failure.js'
import type { Stage } from '../http/methodTable.js'
import type { Node } from '../../../src/server/index.js'

/** The access of a token, as scopes want it. */
export async function holderOf({ node, username }: Pick<Stage, 'node' | 'username'>, token: string): Promise<Holder & { node: Node }> {
  const loaded = await node.node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no user ${username}`)
  return { node: node.node, account: loaded.account, caller: authenticate(node.node, loaded, token) }
}

/** The scopes as they were read, or the id of the failure. */
export function asked(holder: Holder, scopes: unknown): ScopeMap | string {
  try {
    return readScopes(holder, scopes)
  } catch (error) {
    if (error instanceof Failure) return error.id
    throw error
  }
}

/** What scopes are told from now on. */
export interface Told {
  /** The keys of each telling, joined by spaces, since this was asked last; tellings without keys are left out. */
  since(): Promise<string[]>
  stop(): void
}

/** Follows an account with the scopes of an access. */
export function tellingTo(holder: Holder & { node: Node }, scopes: unknown): Told {
  const compiled = compileScopes(holder, readScopes(holder, scopes))
  let told: string[] = []
  const stop = holder.node.notifier.follow(holder.account.prefix, (changes) => {
    const keys = compiled.match(changes)
    if (keys.length > 0) told.push(keys.join(' '))
  })
  return {
    async since() {
      await holder.node.store.settled()
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      const answer = told
      told = []
      return answer
    },
    stop,
  }
}
