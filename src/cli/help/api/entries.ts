/** Reference entries of the API methods and the pages they belong to, generated from the method values. */
import type { Method } from '../../../server/call/method.js'
import { compactJson } from '../../../server/api/reference/compactJson.js'
import { commandOf, curlOf, type ExamplePlaces } from '../../../server/api/reference/exampleCall.js'
import { exampleOf } from '../../../server/api/reference/examples/examples.js'
import { groupOf, groups, pageOf, type Group } from '../../../server/api/reference/groups.js'
import { answersJson, callersOf, failuresOf, isServed, parametersOf, protocolOf, readOnlyGroups, resultSchemaOf, routesOf, statusOf } from '../../../server/api/reference/reference.js'
import { commonObjects, notation, type Member, type Schema } from '../../../server/api/reference/shape.js'
import { statusOfId } from '../../../server/base/status.js'
import { methods } from '../../../server/api/methods.js'
import type { Block } from '../blocks.js'

/** Methods served by this release, by id. Of a method with two routes, the one of the account comes first. */
export const servedMethods: readonly Method[] = methods.filter(isServed).sort((a, b) => compare(a.id, b.id) || compare(a.scope, b.scope))

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const idsOf = (within: readonly Method[]): string[] => [...new Set(within.map(({ id }) => id))]

/** Returns the ids of the methods of a page. */
export const idsOn = (group: Group): string[] => idsOf(methodsOn(group))

const methodsOn = (group: Group): Method[] => servedMethods.filter(({ id }) => groupOf(id) === group)

/** Returns the entry of a method id under a heading; undefined for an unknown id. */
export function methodEntry(id: string): Block[] | undefined {
  const found = servedMethods.filter((each) => each.id === id)
  return found.length === 0 ? undefined : entry(found, new Map())
}

/** Returns the entries of a page, and the objects that several of them return. */
export function groupEntries(group: Group): Block[] {
  const within = methodsOn(group)
  const schemas = within.filter(answersJson).map((each) => resultSchemaOf(each))
  const common = commonObjects(schemas)
  const objects = [...common].flatMap(([json, name]): Block[] => [{ heading: name, sub: true }, { code: notation(JSON.parse(json) as Schema, without(common, json)) }])
  return [
    { heading: 'Methods' },
    ...idsOf(within).flatMap((id) => entry(within.filter((each) => each.id === id), common)),
    ...(objects.length === 0 ? [] : [{ heading: 'Objects' }, ...objects]),
  ]
}

const without = (common: ReadonlyMap<string, string>, json: string): Map<string, string> => new Map([...common].filter(([key]) => key !== json))

function entry(found: readonly Method[], common: ReadonlyMap<string, string>): Block[] {
  const [method] = found
  if (method === undefined) return []
  return [
    { heading: method.id, sub: true },
    { text: `${method.summary} ${callersOf(method)}` },
    { code: found.flatMap(routesOf) },
    ...parameters(method),
    ...result(method, common),
    ...errors(method),
    ...example(method),
  ]
}

function parameters(method: Method): Block[] {
  const files = method.takesFiles === undefined ? [] : [{ text: 'Files are sent in a multipart body; on the command line, files is a list of their paths.' }]
  return [...parameterBlocks(parametersOf(method)), ...files]
}

/** Returns the list of parameters; those that only the node sets follow, by their description. */
export function parameterBlocks(all: readonly Member[]): Block[] {
  const terms = all
    .filter(({ isReadOnly }) => !isReadOnly)
    .map(({ path, form, isRequired, description }): readonly [string, string] => {
      const shape = `${form.charAt(0).toUpperCase()}${form.slice(1)}${isRequired ? '; required' : ''}.`
      return [path, description === '' ? shape : `${description} ${shape}`]
    })
  const readOnly = readOnlyGroups([...all]).map(({ description, paths }) => ({ text: `${paths.join(', ')}: ${description}` }))
  return [...(terms.length === 0 ? [{ text: 'No parameters.' }] : [{ terms }]), ...readOnly]
}

function result(method: Method, common: ReadonlyMap<string, string>): Block[] {
  const protocol = protocolOf(method)
  if (protocol !== undefined && protocol.answers[200] === undefined) return []
  if (method.http.sendsFile === true) return [{ text: 'Returns the content of the file.' }]
  if (method.http.rawText !== undefined) {
    return [{ text: `Returns text${method.http.rawText === true ? '' : `, as ${method.http.rawText}`}; on the command line, it is the member text.` }]
  }
  const lines = notation(resultSchemaOf(method), common)
  const code = statusOf(method)
  return [{ text: `Result${code === undefined || code === 200 ? '' : `, with status ${code} over HTTP`}:` }, { code: lines }]
}

function errors(method: Method): Block[] {
  const protocol = protocolOf(method)
  if (protocol !== undefined) {
    const answers = Object.entries(protocol.answers).map(([status, { description, type }]) => [status, `${description}${type === undefined ? '' : ` ${type}.`}`] as const)
    const isJson = protocol.answers[400]?.type === 'application/json'
    return [{ text: `Statuses over HTTP${isJson ? '; errors are those of OAuth 2.0, {"error","error_description"}' : ''}:` }, { terms: answers }]
  }
  const ids = failuresOf(method).map(({ id, status }) => `${id} (${status})`).join(', ')
  return [{ text: `Errors: ${ids === '' ? 'only those common to all calls' : ids}.` }]
}

const places: ExamplePlaces = { node: 'http://127.0.0.1:3000', account: 'http://127.0.0.1:3000/ana-lovelace' }

function example(method: Method): Block[] {
  const known = exampleOf(method.id)
  if (known === undefined) return []
  const { answer, text, location, httpOnly } = known
  const call = { code: httpOnly === true ? curlOf(method, known, places) : [commandOf(method, known)] }
  const answered = answer !== undefined ? compactJson(answer) : text !== undefined ? text.trimEnd().split('\n') : location === undefined ? [] : [`Location: ${location}`]
  return [{ text: 'For example:' }, call, ...(answered.length === 0 ? [] : [{ text: 'returns' }, { code: answered }])]
}

/** Returns each page with the ids of its methods, for the overview. */
export const groupTerms = (): Array<readonly [string, string]> =>
  groups.map((group) => [pageOf(group), `${group.about}: ${idsOn(group).join(', ')}`])

/** Returns the methods that are routed but always fail, with their error id. */
export function unservedTerms(): Array<readonly [string, string]> {
  return methods
    .filter((each) => !isServed(each))
    .map((each): readonly [string, string] => [each.id, `${routesOf(each).join(', ')}: ${each.fails[0] ?? ''} (${statusOfId[each.fails[0] ?? 'removed-method']}).`])
    .sort(([a], [b]) => compare(a, b))
}

/** Returns the sections that apply to all methods. */
export const overview: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'A node serves its API over HTTP and websockets, and to the command line with "coffer api". All data is JSON in UTF-8. Times are ' +
      'seconds since 1970, with fractions. The pages below describe each method; GET /openapi.json of a node describes them for programs.',
  },
  { heading: 'Calling' },
  {
    terms: [
      ['command line', 'coffer api <method> \'<parameters>\' --user <account>: acts as the owner, or as one access with --access.'],
      ['HTTP', 'The routes below. If usernames are part of host names, /{username} is omitted. Parameters come from the path, then from the query (GET, DELETE) or a JSON body (POST, PUT); the body of a PUT is the member update.'],
      ['authorization', 'The token in the header Authorization (plain, as Bearer, or as the username of Basic), or as ?auth=. Operator methods take the admin key (setting auth.adminAccessKey) as Authorization, and return 404 without it.'],
      ['batch', 'POST /{username}/ with a list of {"method","params"}; see coffer-api-batch(7).'],
      ['websockets', 'socket.io at /{username}?auth=<token>: a message is the id of a method with its parameters.'],
    ],
  },
  { heading: 'Responses' },
  {
    text:
      'Over HTTP every JSON response has a member meta beside the result: apiVersion, serverTime, serial. A failed call returns ' +
      '{"error":{"id","message","data"}}. Any call can fail with invalid-request-structure, invalid-parameters-format, ' +
      'payload-too-large, unknown-resource, too-many-requests, read-only, storage-full or unexpected-error; entries list only additional ' +
      'errors. coffer-failures(7) describes all of them.',
  },
]
