/**
 * The control door: the command line's way to a node's methods, over a unix socket, inside one process, or over HTTP from
 * another machine. It calls the same methods as HTTP, with the authority of an account's owner (`user`), of an access of
 * the account (`access`) or, for platform and node methods, the operator's.
 */
import { Failure } from '../store/model/failure.js'
import { FileResult } from './fileResult.js'
import { callerOf } from './guard/authenticate.js'
import { callOpen, callPlatform, runRecorded, withTrail } from './call.js'
import type { Method, PlatformMethod, Result } from './method.js'
import { nearest } from './nearest.js'
import type { LoadedAccount, Node } from './node.js'
import type { Answer } from './protocol.js'
import { ownerCall, terminalOrigin } from './owner.js'
import { receivePaths, withUploads } from './uploads.js'

/** What the operator can do beside the interface's methods, by name. `left` is aborted when whoever asked has gone. */
export type NodeMethod = (node: Node, params: Record<string, unknown>, left?: AbortSignal) => Promise<Result> | Result

/** Whose authority a call has. */
export interface Authority {
  user?: string
  /** Id of an access of the user's account, whose rights the call has in place of the owner's. */
  access?: string
  /** The address of another machine that the call comes from. */
  ip?: string
}

export interface Control {
  /** Calls a method by id. Throws Failure; `unknown-user` when the user does not exist. */
  call(method: string, params: unknown, as: Authority, left?: AbortSignal): Promise<Result>
}

/**
 * @param own what the operator can do beside `methods`
 * @param reach `machine`: callers can read the files of this machine and name them by their paths. `anywhere`: they
 * cannot, and get nothing of what lies there.
 */
export function createControl(
  node: Node,
  methods: readonly Method[],
  own: Readonly<Record<string, NodeMethod>>,
  reach: 'machine' | 'anywhere' = 'machine',
): Control {
  const byId = new Map<string, Method>()
  for (const method of methods) if (!byId.has(method.id)) byId.set(method.id, method)

  async function call(id: string, params: unknown, as: Authority, left?: AbortSignal): Promise<Result> {
    const result = await answered(id, params, as, left)
    if (reach === 'anywhere' && Object.values(result).some((value) => value instanceof FileResult)) throw filesStayHere()
    return result
  }

  async function answered(id: string, params: unknown, { user: username, access, ip }: Authority, left?: AbortSignal): Promise<Result> {
    const nodeMethod = Object.hasOwn(own, id) ? own[id] : undefined
    if (nodeMethod !== undefined) return nodeMethod(node, recordOf(params), left)
    const method = byId.get(id)
    if (method === undefined) throw unknownMethod(id, [...byId.keys(), ...Object.keys(own)])
    const origin = terminalOrigin(node, ip)
    if (method.scope === 'platform') return callPlatform({ node, origin }, method, params).then(...spokenBy(node, method))
    const loaded = await loadedAccount(username)
    const { account, user } = loaded
    if (method.scope === 'account') return callOpen({ node, origin, account, user }, method, params)
    const settling = account.settledStructure()
    if (settling !== undefined) await settling
    const caller = access === undefined ? undefined : callerOf(node, account, access)
    const call = withTrail(ownerCall(node, loaded, caller, origin), method)
    const { files, ...others } = recordOf(params)
    if (method.takesFiles === undefined || files === undefined) return runRecorded(call, method, params)
    if (reach === 'anywhere') throw filesStayHere()
    const received = await receivePaths(node, files)
    return withUploads(call, received, (withFiles) => runRecorded(withFiles, method, others))
  }

  async function loadedAccount(username: string | undefined): Promise<LoadedAccount> {
    if (username === undefined) {
      throw new Failure('invalid-operation', 'This method belongs to an account: say whose with --user.', {
        missing: 'user',
      })
    }
    const loaded = await node.accounts.find(username)
    if (loaded === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
    return loaded
  }

  return { call }
}

/** What a method of another protocol answers, as a result or as a failure. */
function spokenBy(node: Node, { protocol }: PlatformMethod): [(result: Result) => Result, (error: unknown) => Result] {
  const told = (result: Result): Result => {
    const { status, text } = result as Answer
    if (status >= 400) throw new Failure('invalid-operation', text)
    return result
  }
  const thrown = (error: unknown): Result => {
    if (protocol === undefined || error instanceof Failure) throw error
    return told(protocol.failed(node, error))
  }
  return [protocol === undefined ? (result) => result : told, thrown]
}

const filesStayHere = (): Failure =>
  new Failure('invalid-operation', 'Attached files go in and out on the machine of the node alone, or by the HTTP API with a token.')

function unknownMethod(id: string, known: readonly string[]): Failure {
  const near = nearest(id, known)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return new Failure('invalid-method', `There is no method "${id}".${hint}`)
}

function recordOf(params: unknown): Record<string, unknown> {
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? { ...params } : {}
}
