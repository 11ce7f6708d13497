/**
 * Writes the tables of methods in docs/interface, generated from the method values: `npm run docs`. A table stands between
 * `<!-- methods: <prefix or id> … -->` and `<!-- end -->`; the rest of a document is written by hand.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answersJson, callersOf, failuresOf, isServed, parametersOf, protocolOf, readOnlyGroups, resultSchemaOf, routesOf, statusOf } from '../src/server/api/reference/reference.js'
import { commonObjects, members, notation, type Member, type Schema } from '../src/server/api/reference/shape.js'
import type { Method } from '../src/server/call/method.js'
import { methods } from '../src/server/api/methods.js'

/** Folder of the documents. */
export const folder = fileURLToPath(new URL('../docs/interface', import.meta.url))

/** Lists the documents by file name. */
export const documentNames = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.md')).sort()

const SECTION = /<!-- methods: ([^>]+?) -->\n[\s\S]*?<!-- end -->/g

/** Replaces the tables of a document by current ones. */
export const withTables = (text: string): string =>
  text.replace(SECTION, (_, selectors: string) => `<!-- methods: ${selectors} -->\n${tablesOf(selectors.split(/\s+/)).join('\n')}\n<!-- end -->`)

/** Returns the ids of the methods in the tables of a document. */
export const idsIn = (text: string): string[] => [...text.matchAll(SECTION)].flatMap(([, selectors = '']) => selected(selectors.split(/\s+/)).map(({ id }) => id))

/** Returns the ids of all methods that a document must describe. */
export const documentedIds = (): string[] => [...new Set(methods.map(({ id }) => id))].sort()

/** True for methods that nodes call on each other. */
const isBetweenNodes = ({ summary, id }: Method): boolean => summary.startsWith('Between nodes') || id.startsWith('system.delegation')

/** Selects methods by id, or by the part of the id before the first dot. */
function selected(selectors: readonly string[]): Method[] {
  const found = methods.filter(({ id }) => selectors.some((one) => one === id || id.startsWith(`${one}.`)))
  return found.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.scope < b.scope ? -1 : 1))
}

function tablesOf(selectors: readonly string[]): string[] {
  const found = selected(selectors)
  const byId = [...new Set(found.map(({ id }) => id))].map((id) => found.filter((each) => each.id === id))
  const described = byId.filter(([one]) => one !== undefined && isServed(one) && !isBetweenNodes(one))
  const common = commonObjects(described.flatMap(([one]) => (one !== undefined && answersJson(one) ? [resultSchemaOf(one)] : [])))
  return [
    ...table(['method', 'route', 'caller'], byId.map((same) => overviewRow(same, described.includes(same)))),
    ...described.flatMap((same) => entry(same, common)),
    ...[...common].flatMap(([json, name]) => objectTable(name, JSON.parse(json) as Schema, new Map([...common].filter(([key]) => key !== json)))),
  ]
}

function overviewRow(same: readonly Method[], isDescribed: boolean): string[] {
  const [first] = same
  if (first === undefined) return []
  const name = isDescribed ? `[\`${first.id}\`](#${anchorOf(first.id)})` : `\`${first.id}\``
  const caller = isServed(first) ? callersOf(first).replace(/^Caller: /, '') : `Always fails: \`${first.fails[0] ?? ''}\`.`
  return [name, same.flatMap(routesOf).map((route) => `\`${route}\``).join('<br>'), caller]
}

function entry(same: readonly Method[], common: ReadonlyMap<string, string>): string[] {
  const [method] = same
  if (method === undefined) return []
  return ['', `### ${method.id}`, '', method.summary, ...parameters(method), ...result(method, common), '', failures(method)]
}

function parameters(method: Method): string[] {
  const all = parametersOf(method)
  const given = all.filter(({ isReadOnly }) => !isReadOnly)
  const ignored = readOnlyGroups(all).map(({ description, paths }) => `${paths.map((path) => `\`${path}\``).join(', ')}: ${escaped(description)}`)
  const files = method.takesFiles === undefined ? [] : ['Files are sent in a multipart body.']
  return [...(given.length === 0 ? [] : ['', ...memberTable('parameter', given)]), ...[...ignored, ...files].flatMap((line) => ['', line])]
}

function result(method: Method, common: ReadonlyMap<string, string>): string[] {
  const protocol = protocolOf(method)
  if (method.http.sendsFile === true) return ['', 'Result: the content of the file.']
  if (method.http.rawText !== undefined) return ['', `Result: ${method.http.rawText === true ? 'plain text' : `text, as \`${method.http.rawText}\``}.`]
  if (protocol !== undefined && protocol.answers[200] === undefined) return []
  const lines = notation(resultSchemaOf(method), common)
  const code = statusOf(method)
  const title = `Result${code === undefined || code === 200 ? '' : ` (${code})`}`
  return lines.length === 1 ? ['', `${title}: \`${lines[0] ?? ''}\``] : ['', `${title}:`, '```', ...lines, '```']
}

function failures(method: Method): string {
  const protocol = protocolOf(method)
  if (protocol === undefined) return `Failures: ${failuresOf(method).map(({ id, status }) => `\`${id}\` (${status})`).join(', ') || 'those of all calls'}.`
  return `Answers: ${Object.entries(protocol.answers).map(([status, { description }]) => `${status}: ${escaped(description).replace(/\.$/, '')}`).join('; ')}.`
}

/** Describes an object that several results contain. */
const objectTable = (name: string, schema: Schema, common: ReadonlyMap<string, string>): string[] =>
  ['', `### ${name}`, '', ...memberTable('member', members(schema, '', common))]

function memberTable(title: string, all: readonly Member[]): string[] {
  const rows = all.map(({ path, form, isRequired, description }) => [`\`${path}\``, `${withPattern(form)}${isRequired || title === 'member' ? '' : '; optional'}`, escaped(description)])
  return table([title, 'type', 'meaning'], rows)
}

const table = (titles: readonly string[], rows: readonly string[][]): string[] =>
  [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)

/** Formats the pattern in the description of a type as code. */
const withPattern = (form: string): string => form.replace(/ matching (\S+?)(?=$|, or )/g, ' matching `$1`')

/** Escapes text that Markdown would read as HTML. */
const escaped = (text: string): string => text.replaceAll('<', '\\<')

/** Returns the anchor of a heading, as sites that render Markdown derive it. */
export const anchorOf = (heading: string): string => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')

/** Lists the anchors of the headings of a document. */
export const anchorsIn = (text: string): Set<string> => new Set([...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map((match) => anchorOf(match[1] ?? '')))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of documentNames()) {
    const path = join(folder, name)
    writeFileSync(path, withTables(readFileSync(path, 'utf8')))
  }
}
