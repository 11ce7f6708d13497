/** What is said of the methods of the API: an entry for each, and the pages that they are on. From the method values. */
import { statusOfId } from '../../../server/http/status.js'
import type { Method } from '../../../server/method.js'
import { methods } from '../../../server/methods.js'
import { routeOf, schemaOf } from '../../../server/openapi.js'
import { isLeftAside, parameterWords } from '../../../server/parameterWords.js'
import type { Block } from '../blocks.js'
import { examples } from './examples.js'
import { groupOf, groups, pageOf, type Group } from './groups.js'
import { commonObjects, members, notation, type Member, type Schema } from './shape.js'

const isServed = ({ fails }: Method): boolean => !fails.some((id) => /^(removed|unavailable)-method$/.test(id) && fails.length === 1)
const isBetweenNodes = ({ summary, id }: Method): boolean => summary.startsWith('Between nodes') || id.startsWith('system.delegation')

/** The methods that this release serves, by id; of those at two places, the account's comes first. */
export const servedMethods: readonly Method[] = methods.filter(isServed).sort((a, b) => compare(a.id, b.id) || compare(a.scope, b.scope))

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const idsOf = (within: readonly Method[]): string[] => [...new Set(within.map(({ id }) => id))]

/** Ids of the methods of a page. */
export const idsOn = (group: Group): string[] => idsOf(methodsOn(group))

const methodsOn = (group: Group): Method[] => servedMethods.filter(({ id }) => groupOf(id) === group)

/** Everything about the methods of an id, under a heading; undefined where there is none. */
export function methodEntry(id: string): Block[] | undefined {
  const found = servedMethods.filter((each) => each.id === id)
  return found.length === 0 ? undefined : entry(found, new Map())
}

/** The entries of a page, and the objects that several of them answer. */
export function groupEntries(group: Group): Block[] {
  const within = methodsOn(group)
  const schemas = within.filter(answersJson).map((each) => resultOf(each))
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
    { text: `${method.summary} ${callers(method)}` },
    { code: found.flatMap(routes) },
    ...parameters(method),
    ...result(method, common),
    { text: `Errors: ${errors(method)}.` },
    ...example(method),
  ]
}

function routes(method: Method): string[] {
  const { verb, path, aliases = [] } = method.http
  return [path, ...aliases].map((each) => `${verb} ${routeOf(method, each)}`)
}

function callers(method: Method): string {
  const { scope, admin, alone, switchedBy } = method
  const who =
    admin === true
      ? 'For the operator: over HTTP with the admin key as Authorization.'
      : isBetweenNodes(method)
        ? 'Called by nodes, not by apps.'
        : scope === 'token'
          ? 'With the token of an access.'
          : 'Needs no access token.'
  const isBatch = method.id === 'callBatch'
  const where = isBatch ? ' Not within a batch.' : scope === 'platform' || alone === true ? ' Not within a batch or over a websocket.' : ''
  return `${who}${where}${switchedBy === undefined ? '' : ` There where the setting ${switchedBy} is true.`}`
}

/** The parameters of a method, those of its path too; without the token and files, which come beside them. */
export function parametersOf({ http, input, takesFiles }: Method): Member[] {
  const hidden = ['auth', ...(takesFiles === undefined ? [] : ['files'])]
  const all = members(schemaOf(input, 'input')).filter(({ path }) => !hidden.includes(path))
  const inPath = [...http.path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
  const further = inPath.filter((name) => all.every(({ path }) => path !== name))
  return [...further.map((path) => ({ path, form: 'a text', isRequired: true })), ...all]
}

function parameters(method: Method): Block[] {
  const all = parametersOf(method)
  const nameOf = (path: string): string => path.split('.').at(-1) ?? ''
  const terms = all
    .filter(({ path }) => !isLeftAside(nameOf(path)))
    .map(({ path, form, isRequired }): readonly [string, string] => {
      const means = parameterWords(method.id, path)
      const shape = `${form.charAt(0).toUpperCase()}${form.slice(1)}${isRequired ? '; required' : ''}.`
      return [path, means === undefined ? shape : `${means} ${shape}`]
    })
  const aside = all.filter(({ path }) => isLeftAside(nameOf(path))).map(({ path }) => path)
  const files = method.takesFiles === undefined ? [] : [{ text: 'Files come in a multipart body; from the terminal, files is a list of their paths.' }]
  return [
    ...(terms.length === 0 ? [{ text: 'No parameters.' }] : [{ terms }]),
    ...(aside.length === 0 ? [] : [{ text: `Taken, and left aside: ${aside.join(', ')}.` }]),
    ...files,
  ]
}

const answersJson = ({ answersFile, plain }: Method): boolean => answersFile !== true && plain === undefined
const resultOf = (method: Method): Schema => schemaOf(method.output, 'output')

function result(method: Method, common: ReadonlyMap<string, string>): Block[] {
  if (method.answersFile === true) return [{ text: 'Answers the bytes of the file.' }]
  if (method.plain !== undefined) {
    return [{ text: `Answers text${method.plain === true ? '' : `, as ${method.plain}`}; from the terminal, it is the member text.` }]
  }
  const lines = notation(resultOf(method), common)
  const { status } = method
  const code = method.redirect !== undefined ? 302 : typeof status === 'number' ? status : undefined
  return [{ text: `Result${code === undefined ? '' : `, with status ${code} over HTTP`}:` }, { code: lines }]
}

function errors(method: Method): string {
  const always = method.scope === 'token' ? (['invalid-access-token', 'forbidden'] as const) : []
  const ids = [...new Set([...method.fails, ...always])].sort()
  const told = ids.map((id) => `${id} (${statusOfId[id]})`).join(', ')
  if (method.scope === 'platform' && method.protocol !== undefined) return 'those of OAuth 2.0, as {"error","error_description"}'
  return told === '' ? 'only those that any call may have' : told
}

function example({ id, scope }: Method): Block[] {
  const known = examples[id]
  if (known === undefined) return []
  const line = typeof known === 'string' ? known : exampleLine(id, known, scope === 'platform')
  return [{ text: 'For example:' }, { code: [line] }]
}

/** `coffer api events.get '{"limit":3}' --user ana-lovelace`. */
function exampleLine(id: string, given: object, isOfNode: boolean): string {
  const params = Object.keys(given).length === 0 ? '' : ` '${JSON.stringify(given)}'`
  return `coffer api ${id}${params}${isOfNode ? '' : ' --user ana-lovelace'}`
}

/** Each page with the ids of its methods, for the overview. */
export const groupTerms = (): Array<readonly [string, string]> =>
  groups.map((group) => [pageOf(group), `${group.about}: ${idsOn(group).join(', ')}`])

/** Methods that answer a refusal alone, with its id. */
export function unservedTerms(): Array<readonly [string, string]> {
  return methods
    .filter((each) => !isServed(each))
    .map((each): readonly [string, string] => [each.id, `${routes(each).join(', ')}: ${each.fails[0] ?? ''} (${statusOfId[each.fails[0] ?? 'unavailable-method']}).`])
    .sort(([a], [b]) => compare(a, b))
}

/** What holds for all methods. */
export const overview: readonly Block[] = [
  { heading: 'Description' },
  {
    text:
      'A node serves its interface over HTTP and websockets, and to the terminal by "coffer api". Everything is JSON in UTF-8. Times are ' +
      'seconds since 1970, with fractions. The pages below describe each method; GET /openapi.json of a node describes them for programs.',
  },
  { heading: 'Calling' },
  {
    terms: [
      ['from the terminal', 'coffer api <method> \'<parameters>\' --user <account>: with the authority of the owner, or of one access with --access.'],
      ['HTTP', 'The routes below. Where user names are part of host names, /{username} is left out. Parameters are those of the path, then of the query (GET, DELETE) or of a JSON body (POST, PUT); the body of a PUT is the member update.'],
      ['authorization', 'The bare token as header Authorization, as Bearer, as user name of Basic, or as ?auth=. Methods of the operator take the admin key (setting auth.adminAccessKey) as Authorization, and answer 404 without it.'],
      ['batch', 'POST /{username}/ with a list of {"method","params"}; see coffer-api-batch(7).'],
      ['websockets', 'socket.io at /{username}?auth=<token>: a message is the id of a method with its parameters.'],
    ],
  },
  { heading: 'Answers' },
  {
    text:
      'Over HTTP every JSON answer has a member meta beside the result: apiVersion, serverTime, serial. A refused call answers ' +
      '{"error":{"id","message","data"}}. Any call may be refused with invalid-request-structure, invalid-parameters-format, ' +
      'payload-too-large, unknown-resource, too-many-requests, read-only, storage-full or unexpected-error; entries name what is theirs ' +
      'besides. coffer-failures(7) explains all.',
  },
]
