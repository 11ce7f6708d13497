/** Turns the schema of an event type into fields of a form, and what was typed into content. */
import { isJsonObject } from '../../../../store/model/json.js'
import { isSeriesType } from '../../../../store/model/eventTypes/series.js'
import { readJson } from '../../../call/json/readJson.js'
import type { PagesContext } from '../../page.js'

/** A simple value: of a type as a whole, or of a member of an object. */
export interface SimpleField {
  kind: 'number' | 'text' | 'boolean' | 'choice'
  /** Options of a choice. */
  options?: readonly string[]
  /** True for whole numbers. */
  isWhole?: boolean
  /** True for texts of several lines. */
  isLong?: boolean
}

export interface Member extends SimpleField {
  name: string
  isRequired: boolean
}

/** Form of the content of a type. */
export type ContentForm =
  | { kind: 'simple'; field: SimpleField }
  | { kind: 'rating'; steps: number }
  | { kind: 'object'; members: readonly Member[] }
  /** Any content, as JSON. */
  | { kind: 'json' }
  /** No content. */
  | { kind: 'none' }
  /** A file, which is uploaded. */
  | { kind: 'file' }
  /** Content that only apps make: encrypted, points of a series, messages and consents. */
  | { kind: 'closed' }

/** Number of steps of a rating from 0 to 1. */
export const RATING_STEPS = 5
/** Texts that may be longer than this get several lines. */
const LONG = 500
/** Maximum number of members with a field of their own. */
const MAX_MEMBERS = 30
/** Maximum size of content that a form edits, in characters. */
export const MAX_EDITED = 20_000

const CLOSED = /^(encrypted|consent|notification|shared-secret|log|credentials)\/|-cmc$/

/** Returns the form of a type; content that the fields could not represent is edited as JSON. */
export function contentFormOf({ eventTypes }: Pick<PagesContext, 'eventTypes'>, type: string, content?: unknown): ContentForm {
  if (isSeriesType(type) || CLOSED.test(type)) return { kind: 'closed' }
  const { types } = eventTypes.directory
  const schema = Object.hasOwn(types, type) ? types[type] : undefined
  const form = schema === undefined ? ({ kind: 'json' } as const) : formOfSchema(type, schema)
  if (content === undefined || content === null) return form
  if (JSON.stringify(content, null, 2).length > MAX_EDITED) return { kind: 'closed' }
  return canShow(form, content) ? form : { kind: 'json' }
}

function formOfSchema(type: string, schema: Readonly<Record<string, unknown>>): ContentForm {
  if (schema['attachmentRequired'] === true) return { kind: 'file' }
  if (schema['type'] === 'null') return { kind: 'none' }
  if (type === 'mood/rating') return { kind: 'rating', steps: RATING_STEPS }
  const field = simpleField(schema)
  if (field !== undefined) return { kind: 'simple', field: type.startsWith('note/') ? { ...field, isLong: true } : field }
  const members = membersOf(schema)
  return members === undefined ? { kind: 'json' } : { kind: 'object', members }
}

function simpleField(schema: unknown): SimpleField | undefined {
  if (!isJsonObject(schema)) return undefined
  const { type, enum: options, maxLength, pattern } = schema
  if (Array.isArray(options) && options.length > 0 && options.every((one) => typeof one === 'string')) return { kind: 'choice', options }
  if (type === 'number' || type === 'integer') return { kind: 'number', isWhole: type === 'integer' }
  if (type === 'boolean') return { kind: 'boolean' }
  if (type === 'string') return { kind: 'text', isLong: pattern === undefined && typeof maxLength === 'number' && maxLength > LONG }
  return undefined
}

/** Returns the members of an object; undefined if one of them is not simple. */
function membersOf({ type, properties, required }: Readonly<Record<string, unknown>>): Member[] | undefined {
  if (type !== 'object' || !isJsonObject(properties)) return undefined
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : [])
  const members: Member[] = []
  for (const [name, schema] of Object.entries(properties)) {
    const field = simpleField(schema)
    if (field === undefined) {
      if (needed.has(name)) return undefined
      continue
    }
    members.push({ ...field, name, isRequired: needed.has(name) })
  }
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined
  return members.sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** Checks whether the fields of a form can show a content completely. */
function canShow(form: ContentForm, content: unknown): boolean {
  if (form.kind === 'simple') return fits(form.field, content)
  if (form.kind === 'rating') return typeof content === 'number'
  if (form.kind !== 'object') return true
  if (!isJsonObject(content)) return false
  const members = new Map(form.members.map((member) => [member.name, member]))
  return Object.entries(content).every(([name, value]) => {
    const member = members.get(name)
    return member !== undefined && fits(member, value)
  })
}

function fits({ kind, options = [] }: SimpleField, value: unknown): boolean {
  if (kind === 'choice') return typeof value === 'string' && options.includes(value)
  return typeof value === (kind === 'text' ? 'string' : kind)
}

/** Problem of a field, by the name of its cause. */
export type FieldProblem = 'number' | 'required' | 'json'

export interface ReadContent {
  /** Undefined for content that stays as it is. */
  content?: unknown
  problems: ReadonlyMap<string, FieldProblem>
}

/** Name of the field of a member. */
export const memberField = (name: string): string => `content.${name}`

/** Reads the content from a submitted form. */
export function readContent(form: ContentForm, fields: URLSearchParams): ReadContent {
  const problems = new Map<string, FieldProblem>()
  const read = (field: SimpleField, name: string, isRequired: boolean): unknown => {
    const result = simpleValue(field, fields.get(name) ?? '', isRequired)
    if ('problem' in result) problems.set(name, result.problem)
    return 'value' in result ? result.value : undefined
  }
  switch (form.kind) {
    case 'simple':
      return { content: read(form.field, 'content', true), problems }
    case 'rating':
      return { content: read({ kind: 'number' }, 'content', true), problems }
    case 'object': {
      const content: Record<string, unknown> = {}
      for (const member of form.members) {
        const value = read(member, memberField(member.name), member.isRequired)
        if (value !== undefined) content[member.name] = value
      }
      return { content, problems }
    }
    case 'json':
      return readJsonContent(fields.get('content') ?? '', problems)
    case 'none':
      return { content: null, problems }
    default:
      return { problems }
  }
}

function readJsonContent(text: string, problems: Map<string, FieldProblem>): ReadContent {
  if (text.trim() === '') return { content: null, problems }
  try {
    return { content: readJson(text), problems }
  } catch {
    problems.set('content', 'json')
    return { problems }
  }
}

/** Reads a number with a point or a comma; undefined for other texts. */
export function readNumber(text: string): number | undefined {
  const plain = text.trim().replace(/[\u00a0\u202f'’\s]/g, '')
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d{1,3})?$/i.test(plain)) return undefined
  const value = Number(plain.replace(',', '.'))
  return Number.isFinite(value) ? value : undefined
}

function simpleValue({ kind, options = [] }: SimpleField, text: string, isRequired: boolean): { value: unknown } | { problem: FieldProblem } | Record<never, never> {
  if (text.trim() === '') return isRequired ? { problem: 'required' } : {}
  if (kind === 'number') {
    const value = readNumber(text)
    return value === undefined ? { problem: 'number' } : { value }
  }
  if (kind === 'boolean') return { value: text === 'true' }
  if (kind === 'choice') return options.includes(text) ? { value: text } : { problem: 'required' }
  // Browsers send line breaks as CRLF.
  return { value: text.replace(/\r\n/g, '\n') }
}

/** Returns the fields that show a content in a form. */
export function fieldsOfContent(form: ContentForm, content: unknown): [string, string][] {
  if (content === undefined || content === null) return []
  if (form.kind === 'object' && isJsonObject(content)) {
    return form.members.flatMap(({ name }) => (content[name] === undefined ? [] : [[memberField(name), textOf(content[name])] as [string, string]]))
  }
  if (form.kind === 'json') return [['content', JSON.stringify(content, null, 2)]]
  return [['content', textOf(content)]]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
