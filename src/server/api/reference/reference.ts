/** Data for all documents on methods: the OpenAPI document, the page /web/api and the manual. */
import type { FailureId } from '../../../store/model/failure.js'
import { statusOfId } from '../../base/status.js'
import type { Method, Status } from '../../call/method.js'
import type { Protocol } from '../../call/protocol.js'
import { inputSchemaOf, routeOf, schemaOf } from './jsonSchema.js'
import { members, type Member, type Schema } from './shape.js'

/** True unless a method always fails: removed methods, and those not in this release. */
export const isServed = ({ fails }: Pick<Method, 'fails'>): boolean => !(fails.length === 1 && fails[0] === 'removed-method')

/** Returns the protocol of a method with its own response format, such as OAuth. */
export const protocolOf = (method: Method): Protocol | undefined => (method.scope === 'platform' ? method.protocol : undefined)

/** Lists the routes of a method: `GET /{username}/events`. */
export function routesOf(method: Method): string[] {
  const { verb, path, aliases = [] } = method.http
  return [path, ...aliases].map((each) => `${verb} ${routeOf(method, each)}`)
}

/** Describes the callers and transports of a method, and the setting that enables it. */
export function callersOf(method: Method): string {
  const { scope, notInBatch, requiresSetting } = method
  const isBatch = method.id === 'callBatch'
  const where = isBatch ? ' Not within a batch.' : scope === 'platform' || notInBatch === true ? ' Not within a batch or over a websocket.' : ''
  return `Caller: ${method.caller.text}.${where}${requiresSetting === undefined ? '' : ` Only if the setting ${requiresSetting} is true.`}`
}

/** Descriptions of parameters that occur only in paths. */
export const pathWords: Readonly<Record<string, string>> = {
  username: 'User name of the account.',
  otherUsername: 'User name of the other account.',
  key: 'Key of the access request.',
}

/** Lists the parameters of a method, path parameters included; without the token and files, which are sent separately. */
export function parametersOf(method: Method): Member[] {
  const all = members(inputSchemaOf(method)).filter(({ path }) => path !== 'auth')
  const further = pathParametersOf(method).filter((name) => all.every(({ path }) => path !== name))
  return [
    ...further.map((path) => ({ path, form: 'a text', isRequired: true, description: pathWords[path] ?? '', isReadOnly: false })),
    ...all,
  ]
}

/** Groups read-only members by description, for separate display. */
export function readOnlyGroups(all: readonly Member[]): Array<{ description: string; paths: string[] }> {
  const byDescription = new Map<string, string[]>()
  for (const { path, description, isReadOnly } of all) {
    if (isReadOnly) byDescription.set(description, [...(byDescription.get(description) ?? []), path])
  }
  return [...byDescription].map(([description, paths]) => ({ description, paths }))
}

/** Returns the names of a method's path parameters. */
export const pathParametersOf = ({ http }: Pick<Method, 'http'>): string[] => [...http.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')

/** True for methods whose result is JSON. */
export const answersJson = ({ http: { sendsFile, rawText } }: Method): boolean => sendsFile !== true && rawText === undefined

/** Returns the JSON schema of a result. */
export const resultSchemaOf = (method: Method): Schema => schemaOf(method.output(), 'output')

/** Returns the HTTP status of success; undefined when it depends on the result. */
export function statusOf({ http: { redirect, status } }: Method): Status | undefined {
  if (redirect !== undefined) return 302
  return typeof status === 'function' ? undefined : (status ?? 200)
}

/** Lists the failures specific to a method, with HTTP statuses, sorted by id. */
export function failuresOf(method: Method): Array<{ id: FailureId; status: number }> {
  const always = method.scope === 'token' ? (['invalid-access-token', 'forbidden'] as const) : []
  const ofBody = method.http.verb === 'GET' || method.http.verb === 'DELETE' ? [] : (['unsupported-content-type'] as const)
  return [...new Set([...method.fails, ...always, ...ofBody])].sort().map((id) => ({ id, status: statusOfId[id] }))
}
