/** Direct calls of methods of a node in this process, without a transport: for tests with thousands of calls. */
import type { Account } from '../../../src/store/engine/account.js'
import type { Access, StreamPermission } from '../../../src/store/model/access.js'
import { Failure } from '../../../src/store/model/failure.js'
import { compileScope } from '../../../src/store/model/permission.js'
import { Secret } from '../../../src/store/model/secret.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { parseInput } from '../../../src/store/model/validation.js'
import { addStream } from '../../../src/store/streams/streams.js'
import type { User } from '../../../src/store/accounts/users.js'
import { writeField } from '../../../src/server/api/shared/accountFields.js'
import { runAllowed } from '../../../src/server/dispatch/call.js'
import type { Call, TokenMethod } from '../../../src/server/call/method.js'
import type { Node } from '../../../src/server/index.js'
import { resultText } from '../../../src/server/call/results.js'

type Json = Record<string, unknown>

const user: User = { id: 'u', username: 'u', passwordHash: '', created: 1, passwordChanged: 1, hidden: {}, unique: {} }

/** Creates an account without a user, with these streams and the language of its account fields. */
export async function newAccount(node: Node, streams: readonly Stream[]): Promise<Account> {
  const account = await node.store.createAccount((t, made) => {
    for (const stream of streams) addStream(made, t, node.store.recorder, stream)
    const language = node.systemStreams.byName('language')
    if (language !== undefined) writeField(node, made, t, language, 'en', 'system')
    return made
  })
  await node.store.settled()
  return account
}

/** Returns a call by a personal token (null), or by an app with these permissions. */
export function callBy(node: Node, account: Account, permissions: StreamPermission[] | null, id = 'x'): Call<Node> {
  const tracking = { created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
  const access: Access =
    permissions === null
      ? { id, type: 'personal', name: 'n', ...tracking }
      : { id, type: 'app', name: 'n', permissions, ...tracking }
  const caller = { access, token: new Secret(''), scope: compileScope(access) }
  return { node, account, user, caller, author: id, origin: { transport: 'batch', source: 'http', base: '' } }
}

/** Returns the result of a method as in a batch, or the id of its failure. */
export async function result(call: Call<Node>, method: TokenMethod<Node>, params: unknown): Promise<Json | string> {
  try {
    const answer = await runAllowed(call, method, parseInput(method.input, params))
    return JSON.parse(await resultText(answer, Infinity)) as Json
  } catch (error) {
    if (error instanceof Failure) return error.id
    throw error
  }
}
