/**
 * The control interface: lets the command line call a node's methods over a Unix socket, in process, or over HTTP from another
 * machine. It calls the same methods as the HTTP API, with the rights of an account's owner (`user`), of an access of the account
 * (`access`) or, for platform and node methods, of the operator.
 */
import { Failure } from '../../store/model/failure.js'
import { isJsonObject } from '../../store/model/json.js'
import { FileResult, type FileDescription } from '../base/fileResult.js'
import { callerOf } from '../auth/authenticate.js'
import { callOpen, callPlatform, assertAvailable, runRecorded, withTrail } from '../dispatch/call.js'
import type { Call, Method, PlatformMethod, Result, TokenMethod } from '../call/method.js'
import { nearest } from '../base/didYouMean.js'
import type { LoadedAccount } from '../call/accountCache.js'
import type { Node } from '../index.js'
import { failureForOperator } from '../platform/cores/wrongCore.js'
import type { Answer } from '../call/protocol.js'
import { callOperator, type OperatorMethod } from './operatorMethod.js'
import { terminalCall, terminalOrigin } from '../dispatch/terminalCaller.js'
import { limitsOf, measureFirst, assertWithinLimits } from '../dispatch/quota.js'
import { receivePaths, assertWritable, withUploads, type ReceivedFile } from '../dispatch/uploads.js'

/** The rights with which a call runs. */
export interface Authority {
  user?: string
  /** Id of an access of the user's account, whose rights apply instead of the owner's. */
  access?: string
  /** The address of the remote machine that the call comes from. */
  ip?: string
}

export interface NodeControl {
  /** Calls a method by id. Throws Failure; `unknown-user` when the user does not exist. */
  call(method: string, params: unknown, as: Authority, left?: AbortSignal): Promise<Result>
  /** Calls a method with files. `receive` reads them after the caller's permission is checked. */
  callWithFiles(method: string, params: unknown, as: Authority, receive: Receive): Promise<Result>
  /** Returns the file in the result of a method. Throws Failure `invalid-operation` if there is none. */
  file(method: string, params: unknown, as: Authority): Promise<FileDescription>
}

type Receive = () => Promise<ReceivedFile[]>

/**
 * @param operators operator methods besides `methods`
 * @param isRemote true for callers on another machine, who cannot use paths of this machine nor methods with `localCommand`
 */
export function createControl(
  node: Node,
  methods: readonly Method<Node>[],
  operators: readonly OperatorMethod[],
  { isRemote = false }: { isRemote?: boolean } = {},
): NodeControl {
  const byId = new Map<string, Method<Node>>()
  for (const method of methods) if (!byId.has(method.id)) byId.set(method.id, method)
  const operatorById = new Map(operators.map((method) => [method.id, method]))
  /** Checks whether a method is unavailable to these callers. */
  const isLocal = ({ localCommand }: OperatorMethod): boolean => isRemote && localCommand !== undefined

  async function call(id: string, params: unknown, as: Authority, left?: AbortSignal): Promise<Result> {
    const result = await answered(id, params, as, left)
    if (isRemote && fileIn(result) !== undefined) throw returnsFile()
    return result
  }

  async function file(id: string, params: unknown, as: Authority): Promise<FileDescription> {
    const found = fileIn(await answered(id, params, as))
    if (found === undefined) throw new Failure('invalid-operation', `The method "${id}" returns no file.`)
    return found.file
  }

  async function callWithFiles(id: string, params: unknown, as: Authority, receive: Receive): Promise<Result> {
    const method = methodNamed(id)
    if (method.scope !== 'token' || method.takesFiles === undefined) throw new Failure('invalid-operation', `The method "${id}" accepts no files.`)
    return tokenCall(method, params, as, receive)
  }

  async function answered(id: string, params: unknown, as: Authority, left?: AbortSignal): Promise<Result> {
    const operator = operatorById.get(id)
    if (operator !== undefined && !isLocal(operator)) return callOperator(operator, { node, ...(left === undefined ? {} : { signal: left }) }, params ?? {})
    const method = methodNamed(id)
    if (method.scope === 'token') return tokenCall(method, params, as)
    const origin = terminalOrigin(node, as.ip)
    if (method.scope === 'platform') return callPlatform({ node, origin }, method, params).then(...protocolConverters(node, method))
    return callOpen({ node, origin, ...(await loadedAccount(as.user)) }, method, params)
  }

  async function tokenCall(method: TokenMethod<Node>, params: unknown, { user, access, ip }: Authority, receive?: Receive): Promise<Result> {
    const loaded = await loadedAccount(user)
    const { account } = loaded
    const settling = account.settledStructure()
    if (settling !== undefined) await settling
    const caller = access === undefined ? undefined : callerOf(node, account, access)
    const call = withTrail(terminalCall(node, loaded, caller, terminalOrigin(node, ip)), method)
    const { files, ...others } = recordOf(params)
    if (method.takesFiles === undefined || (files === undefined && receive === undefined)) return runRecorded(call, method, params)
    if (files !== undefined && isRemote) throw pathsNotUsable()
    const received = receive === undefined ? await receivePaths(node, files) : await receivedFor(call, method, others, receive)
    return withUploads(call, received, (withFiles) => runRecorded(withFiles, method, others))
  }

  /** Receives files for a call, after the checks that are possible before their arrival. */
  async function receivedFor(call: Call<Node>, method: TokenMethod<Node>, { id }: Record<string, unknown>, receive: Receive): Promise<ReceivedFile[]> {
    try {
      assertAvailable(node, method)
      method.assertBeforeUpload?.(call, typeof id === 'string' ? { id } : {})
      assertWritable(node)
      const limits = limitsOf(node, call.user)
      await measureFirst(call)
      if (limits !== undefined) assertWithinLimits(call, node.store.db, limits, true)
      return await receive()
    } catch (error) {
      call.trail?.failed(error)
      throw error
    }
  }

  function methodNamed(id: string): Method<Node> {
    const method = byId.get(id)
    if (method !== undefined) return method
    const operator = operatorById.get(id)
    if (operator !== undefined && isLocal(operator)) throw onlyLocal(operator)
    throw unknownMethod(id, [...byId.keys(), ...operatorById.keys()])
  }

  async function loadedAccount(username: string | undefined): Promise<LoadedAccount> {
    if (username === undefined) {
      throw new Failure('invalid-operation', 'This method requires an account: pass --user.', {
        missing: 'user',
      })
    }
    const loaded = await node.accounts.find(username)
    if (loaded === undefined) throw await failureForOperator(node, username)
    return loaded
  }

  return { call, callWithFiles, file }
}

/** Converts results and errors of a method with its own protocol into a result or a failure. */
function protocolConverters(node: Node, { protocol }: PlatformMethod<Node>): [(result: Result) => Result, (error: unknown) => Result] {
  const described = (result: Result): Result => {
    const { status, text } = result as Answer
    if (status >= 400) throw new Failure('invalid-operation', text)
    return result
  }
  const thrown = (error: unknown): Result => {
    if (protocol === undefined || error instanceof Failure) throw error
    return described(protocol.failed(node, error))
  }
  return [protocol === undefined ? (result) => result : described, thrown]
}

const fileIn = (result: Result): FileResult | undefined => Object.values(result).find((value) => value instanceof FileResult)

const returnsFile = (): Failure =>
  new Failure('invalid-operation', 'This method returns a file. Use coffer events show <event> --save-attachments <folder>, or the HTTP API with a token.')

const pathsNotUsable = (): Failure =>
  new Failure('invalid-operation', 'Paths of another machine cannot be used here. Use coffer events create --attach <file> to send the file.')

const onlyLocal = ({ id, localCommand }: OperatorMethod): Failure =>
  new Failure('forbidden', `The method "${id}" is only available on the machine of the node.`, { onItsMachine: localCommand })

function unknownMethod(id: string, known: readonly string[]): Failure {
  const near = nearest(id, known)
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return new Failure('invalid-method', `There is no method "${id}".${hint}`)
}

function recordOf(params: unknown): Record<string, unknown> {
  return isJsonObject(params) ? { ...params } : {}
}
