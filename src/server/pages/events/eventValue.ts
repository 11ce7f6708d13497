/** Values of events as text for people. */
import type { Attachment } from '../../../store/model/event.js'
import { isJsonObject } from '../../../store/model/json.js'
import type { Localized } from '../../../store/model/eventTypes/names.js'
import { isSeriesType, SERIES_PREFIX } from '../../../store/model/eventTypes/series.js'
import type { Language } from '../../base/words.js'
import type { Visit } from '../page.js'
import { eventWords } from './words.js'

/** The part of an event that its value consists of. */
export interface ValuedEvent {
  type: string
  content?: unknown
  attachments?: readonly Pick<Attachment, 'fileName'>[]
}

type Reader = Pick<Visit, 'language'> & { node: Pick<Visit['node'], 'eventTypes'> }

const MAX_TEXT = 300
/** Maximum number of fields of an object that its text names. */
const MAX_FIELDS = 6

const numberFormats = new Map<Language, Intl.NumberFormat>()
const percentFormats = new Map<Language, Intl.NumberFormat>()

/** Formats a number with up to 15 significant digits. */
export function numberText(value: number, language: Language): string {
  let format = numberFormats.get(language)
  if (format === undefined) {
    format = new Intl.NumberFormat(language, { maximumSignificantDigits: 15 })
    numberFormats.set(language, format)
  }
  return format.format(value)
}

function percentText(share: number, language: Language): string {
  let format = percentFormats.get(language)
  if (format === undefined) {
    format = new Intl.NumberFormat(language, { style: 'percent' })
    percentFormats.set(language, format)
  }
  return format.format(share)
}

/**
 * Returns the value of an event as one line: `72.5 kg`, `Yes`, `46.52000, 6.63000`, the first 300 characters of a text, the names
 * of files if there is no content; empty for an event without a value.
 */
export function valueText(event: ValuedEvent, reader: Reader): string {
  const { type, content } = event
  if (type.startsWith('encrypted/')) return eventWords[reader.language].encrypted
  // The content of a series event describes its points.
  const text = isSeriesType(type) || isEncodedFile(type) ? '' : contentText(type, content, reader)
  if (text !== '') return text
  return (event.attachments ?? []).map(({ fileName }) => fileName).join(', ').slice(0, MAX_TEXT)
}

/** Checks whether the content of a type is a file as text. */
const isEncodedFile = (type: string): boolean => type === 'picture/base64'

function contentText(type: string, content: unknown, reader: Reader): string {
  const { language } = reader
  if (typeof content === 'number') {
    if (type === 'mood/rating') return percentText(content, language)
    const unit = unitOf(type, reader)
    return unit === undefined ? numberText(content, language) : `${numberText(content, language)}\u00a0${unit}`
  }
  if (isJsonObject(content)) return objectText(type, content, language)
  return simpleText(content, language)
}

function simpleText(value: unknown, language: Language): string {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT).trimEnd()}…` : value
  if (typeof value === 'number') return numberText(value, language)
  if (typeof value === 'boolean') return value ? eventWords[language].yes : eventWords[language].no
  if (Array.isArray(value)) return eventWords[language].items(value.length)
  return ''
}

function objectText(type: string, content: Record<string, unknown>, language: Language): string {
  const { latitude, longitude } = content
  if (typeof latitude === 'number' && typeof longitude === 'number' && type.startsWith('position/')) return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`
  const fields = Object.entries(content).flatMap(([name, value]) => {
    const text = isJsonObject(value) ? '…' : simpleText(value, language)
    return text === '' ? [] : [`${fieldName(name)}: ${text}`]
  })
  const shown = fields.slice(0, MAX_FIELDS).join(' · ')
  return (fields.length > MAX_FIELDS ? `${shown} · …` : shown).slice(0, MAX_TEXT)
}

/** Returns the symbol of the unit of a numeric type, if it has one. */
export function unitOf(type: string, { node }: Pick<Reader, 'node'>): string | undefined {
  const { extras, types } = node.eventTypes.directory
  const named = Object.hasOwn(extras, type) ? extras[type]?.symbol : undefined
  if (named !== undefined) return named
  const symbol = Object.hasOwn(types, type) ? types[type]?.['symbol'] : undefined
  return typeof symbol === 'string' ? symbol : undefined
}

/** `heartRate`, `heart_rate` → `Heart rate`. */
export function fieldName(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`).trim()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the name of an event type: `Mass (kilogram)`; the type itself if the directory does not name it. */
export function typeName(type: string, { node, language }: Reader): string {
  const element = isSeriesType(type) ? type.slice(SERIES_PREFIX.length) : type
  const [className = ''] = element.split('/')
  const { classes, extras } = node.eventTypes.directory
  const ofClass = Object.hasOwn(classes, className) ? inLanguage(classes[className]?.extras.name, language) : undefined
  if (ofClass === undefined) return type
  const format = Object.hasOwn(extras, element) ? inLanguage(extras[element]?.name, language) : undefined
  // Formats without a name of their own repeat their id: `Txt`, `Mmhg bpm`.
  const name = format === undefined || format === fieldName(element.slice(className.length + 1)) ? ofClass : `${ofClass} (${format})`
  return isSeriesType(type) ? eventWords[language].series(name) : name
}

/** Returns a name in the language of the reader, else in English. */
const inLanguage = (names: Localized | undefined, language: Language): string | undefined => names?.[language] ?? names?.['en']
