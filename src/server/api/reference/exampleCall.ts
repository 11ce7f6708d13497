/** Formats example calls as HTTP requests and shell commands. */
import type { Method } from '../../call/method.js'
import type { Example } from './examples/example.js'
import { pathParametersOf, protocolOf } from './reference.js'

/** Username in examples. */
export const EXAMPLE_USER = 'ana-lovelace'

/** Base addresses of example calls. */
export interface ExamplePlaces {
  /** URL of the node, without a trailing slash. */
  node: string
  /** URL of the account, without a trailing slash. */
  account: string
}

interface ExampleRequest {
  verb: string
  url: string
  /** Value of the Authorization header; absent when none is required. */
  authorization?: string
  /** JSON body of a POST or PUT. */
  body?: unknown
}

/** The `Authorization` of examples that state none, by the credential of the caller. */
const implicitCredential: Readonly<Partial<Record<Method['caller']['credential'], string>>> = { access: '<token>', adminKey: '<admin key>' }

type Params = Readonly<Record<string, unknown>>

/** Builds the HTTP request of an example; `params` replace those of the example. */
export function requestOf(method: Method, example: Example, places: ExamplePlaces, params = example.params ?? {}): ExampleRequest {
  const { scope, http } = method
  const { verb, body } = http
  const base = scope === 'platform' ? places.node : places.account
  const authorization = example.authorization ?? implicitCredential[method.caller.credential]
  const auth = authorization === undefined ? {} : { authorization }
  if (Array.isArray(params)) return { verb, url: base + http.path, ...auth, body: params }
  const named = params as Params
  const inPath = pathParametersOf(method)
  const url = base + http.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(textOf(named[name])))
  const rest = Object.fromEntries(Object.entries(named).filter(([name]) => !inPath.includes(name)))
  if (verb === 'GET' || verb === 'DELETE') return { verb, url: url + queryOf(rest), ...auth }
  return { verb, url, ...auth, body: body === undefined ? rest : rest[body] }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

/** Formats parameters as a query string: lists as `name[]=…`. */
function queryOf(params: Params): string {
  const pairs = Object.entries(params).flatMap(([name, value]): string[][] =>
    Array.isArray(value) ? value.map((item: unknown) => [`${name}[]`, textOf(item)]) : [[name, textOf(value)]],
  )
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name = '', value = '']) => `${encodeURIComponent(name).replaceAll('%5B%5D', '[]')}=${encodeURIComponent(value)}`).join('&')}`
}

/** Formats the HTTP request of an example as a multi-line curl command. */
export function curlOf(method: Method, example: Example, places: ExamplePlaces): string[] {
  const { verb, url, authorization, body } = requestOf(method, example, places)
  const isForm = protocolOf(method)?.form === true
  const options = [
    ...(authorization === undefined ? [] : [`-H ${quoted(`Authorization: ${authorization}`)}`]),
    ...(example.curl ?? []),
    ...(example.file !== undefined ? [`-F file=@${example.file}`] : body === undefined ? [] : isForm ? formOptions(body as Params) : [`--json ${quoted(JSON.stringify(body))}`]),
  ]
  const implied = body === undefined ? 'GET' : 'POST'
  // curl expands brackets unless -g is given.
  const globs = url.includes('[') ? '-g ' : ''
  const first = `curl ${verb === implied ? '' : `-X ${verb} `}${globs}${quoted(url)}`
  return [first, ...options].map((line, at, all) => `${at === 0 ? '' : '  '}${line}${at === all.length - 1 ? '' : ' \\'}`)
}

const formOptions = (body: Params): string[] => Object.entries(body).map(([name, value]) => `-d ${quoted(`${name}=${textOf(value)}`)}`)

/** Quotes a word for a POSIX shell. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Formats an example as a `coffer api` command, which has the rights of the account's owner. */
export function commandOf({ id, scope }: Pick<Method, 'id' | 'scope'>, { params = {}, file }: Example): string {
  const given = file === undefined ? params : { ...params, files: [file] }
  const words = Object.keys(given).length === 0 ? '' : ` '${JSON.stringify(given)}'`
  return `coffer api ${id}${words}${scope === 'platform' ? '' : ` --user ${EXAMPLE_USER}`}`
}
