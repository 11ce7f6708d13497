/** Selects members of the items of a JSON list, or of a JSON object. Loaded only for `--fields`. */
import { isJsonObject } from '../../../../store/model/json.js'
import { editDistance } from '../../../../server/base/didYouMean.js'
import { fullName, type Command } from '../../../command.js'
import { usageError, type CommandError } from '../../../framework/exit.js'
import { jsonDocument, jsonLine } from '../text.js'
import type { OutputFilter, ResultKind } from './outputFilter.js'

/** Maximum number of names in a message. */
const MAX_NAMES = 30

/** Methods whose results have no items with other members than those in their schemas. */
const CLOSED = /^(events|streams|webhooks)\.|^accesses\.get$/

type Members = Readonly<Record<string, unknown>>

/**
 * Creates a filter that keeps the named members, in the order of the names. Of a list, the document keeps its lists; of a document
 * with a single object, that object is meant. Names may be absent from a result if the help of the command or the API has them.
 * @throws CommandError 2 without a name, or for one that the command is known not to have
 */
export async function fieldsFilter(names: readonly string[], command: Pick<Command, 'path' | 'json'>): Promise<OutputFilter> {
  if (names.length === 0) throw usageError('--fields takes names, comma-separated', `See: ${fullName(command.path)} --help`)
  const { json: help = '' } = command
  const quoted = quotedNames(help)
  const isQuoted = names.every((name) => quoted.includes(name))
  // The schemas of the methods take a while to load.
  const { declared, isComplete } = isQuoted ? { declared: quoted, isComplete: true } : await declaredNames(help)
  const wrong = isComplete ? names.find((name) => !declared.includes(name)) : undefined
  if (wrong !== undefined) throw unknownName(wrong, declared, `See: ${fullName(command.path)} --help`)
  return {
    apply: (json, kind, isTerminal) => {
      const document: unknown = JSON.parse(json)
      const objects = objectsIn(document, kind)
      const present = objects.flatMap((each) => Object.keys(each))
      const known = new Set([...present, ...declared])
      const unknown = names.find((name) => !known.has(name))
      if (unknown !== undefined && known.size > 0) return { text: '', failure: unknownName(unknown, [...known], 'The command itself was carried out. Its whole result: --json') }
      const picked = pickIn(document, kind, names)
      if (kind !== 'line') return { text: jsonDocument(picked, isTerminal) }
      // Such as progress, among lines of other kinds.
      const isEmpty = isJsonObject(picked) && Object.keys(picked).length === 0
      return { text: isEmpty ? '' : jsonLine(picked) }
    },
  }
}

const isObjects = (value: unknown): value is Members[] => Array.isArray(value) && value.every(isJsonObject)

/** Returns the names of the lists of a document. */
const listNames = (document: Members): string[] => Object.keys(document).filter((name) => isObjects(document[name]))

/** Returns the name of the object that a document consists of; undefined for other documents. */
function onlyObject(document: Members, kind: ResultKind): string | undefined {
  const [name, ...others] = Object.keys(document)
  return kind === 'result' && name !== undefined && others.length === 0 && isJsonObject(document[name]) ? name : undefined
}

function objectsIn(document: unknown, kind: ResultKind): Members[] {
  if (!isJsonObject(document)) return []
  const lists = kind === 'list' ? listNames(document) : []
  if (lists.length > 0) return lists.flatMap((name) => document[name] as Members[])
  const only = onlyObject(document, kind)
  return [only === undefined ? document : (document[only] as Members)]
}

function pickIn(document: unknown, kind: ResultKind, names: readonly string[]): unknown {
  if (!isJsonObject(document)) return document
  const pick = (from: Members): Members => Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]))
  const lists = kind === 'list' ? listNames(document) : []
  if (lists.length > 0) return Object.fromEntries(lists.map((name) => [name, (document[name] as Members[]).map(pick)]))
  const only = onlyObject(document, kind)
  return only === undefined ? pick(document) : { [only]: pick(document[only] as Members) }
}

/**
 * Returns the names of members that help lists, including those of the commands and API methods that it refers to. `isComplete` is
 * false when help leaves some out and refers to no method that describes all.
 */
async function declaredNames(help: string): Promise<{ declared: string[]; isComplete: boolean }> {
  const names = new Set(quotedNames(help))
  const [{ commands }, { methods }, { schemaOf }] = await Promise.all([
    import('../../../commands.js'),
    import('../../../../server/api/methods.js'),
    import('../../../../server/api/reference/jsonSchema.js'),
  ])
  for (const [, words = ''] of help.matchAll(/\bcoffer ([a-z]+(?:[ -][a-z]+)*)/g)) {
    const other = commands[words]
    if (other !== undefined) for (const name of quotedNames((await other()).json ?? '')) names.add(name)
  }
  // Items without a method in the text, such as {"event":{…}}, are those that a method gets.
  const items = [...help.matchAll(/"(\w+)":\{…\}/g)].flatMap(([, name = '']) => [`${name}s.getOne`, `${name}s.get`, `${name}.get`])
  const described = methods.filter(({ id }) => items.includes(id) || new RegExp(`(^|[^\\w.])${id.replace('.', '\\.')}(?![\\w.])`).test(help))
  for (const { output } of described) for (const name of propertyNames(schemaOf(output(), 'output'))) names.add(name)
  const listsAll = names.size > 0 && !/…|result of|as in|NDJSON/.test(help)
  return { declared: [...names], isComplete: listsAll || (described.length > 0 && described.every(({ id }) => CLOSED.test(id))) }
}

const quotedNames = (text: string): string[] => [...text.matchAll(/"(\w+)"/g)].map(([, name = '']) => name)

function propertyNames(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(propertyNames)
  if (!isJsonObject(schema)) return []
  const own = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : []
  return [...own, ...Object.values(schema).flatMap(propertyNames)]
}

function unknownName(name: string, known: readonly string[], hint: string): CommandError {
  const distance = new Map(known.map((each) => [each, editDistance(name.toLowerCase(), each.toLowerCase())]))
  const sorted = [...new Set(known)].sort((a, b) => (distance.get(a) ?? 0) - (distance.get(b) ?? 0) || (a < b ? -1 : 1))
  const some = `${sorted.slice(0, MAX_NAMES).join(', ')}${sorted.length > MAX_NAMES ? ', …' : ''}`
  return usageError(`--fields: there is no ${JSON.stringify(name)}; there are ${some}`, hint)
}
