/** @jsxImportSource hono/jsx */
/** Value of an event, shown large: a number with its unit, a text, the members of an object. */
import type { Event } from '../../../../store/model/event.js'
import { isJsonObject } from '../../../../store/model/json.js'
import { isSeriesType } from '../../../../store/model/eventTypes/series.js'
import { fieldName, numberText, valueText } from '../../events/eventValue.js'
import { eventWords } from '../../events/words.js'
import { linkTo } from '../../links.js'
import type { OwnVisit } from '../../page.js'
import { contentFormOf } from './contentForm.js'
import { eventPageWords } from './words.js'

/** Maximum length of a text that is shown; its JSON is cut too. */
const MAX_TEXT = 100_000
/** Maximum number of members of an object that are shown. */
const MAX_MEMBERS = 100
/** Texts up to this length are shown as large as numbers. */
const SHORT_TEXT = 60
/** Maximum length of a member that is shown. */
const MAX_MEMBER = 2000

export function ValueView({ visit, event }: { visit: OwnVisit; event: Event }) {
  const words = eventPageWords[visit.language]
  const { type, content } = event
  if (isSeriesType(type)) {
    return (
      <p>
        {words.series} <a href={linkTo(visit, '/charts', { event: event.id })}>{words.chart}</a>
      </p>
    )
  }
  if (typeof content === 'string' && !type.startsWith('encrypted/') && type !== 'picture/base64') return <Text text={content} />
  if (isJsonObject(content) && !type.startsWith('encrypted/') && !type.startsWith('position/')) return <Members visit={visit} content={content} />
  const text = valueText({ type, content }, visit)
  if (text === '' && ((event.attachments ?? []).length > 0 || contentFormOf(visit.node, type).kind === 'none')) return <></>
  return text === '' ? (
    <p class="soft">{words.noValue}</p>
  ) : (
    <p class="figure" dir="auto">
      {text}
    </p>
  )
}

function Text({ text }: { text: string }) {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
  const isLink = shown.length < MAX_MEMBER && /^https?:\/\/\S+$/.test(shown)
  return (
    <p class={`text${shown.length <= SHORT_TEXT ? ' figure' : ''}`} dir="auto">
      {isLink ? (
        <a href={shown} rel="noreferrer noopener nofollow">
          {shown}
        </a>
      ) : (
        shown
      )}
    </p>
  )
}

function Members({ visit, content }: { visit: OwnVisit; content: Record<string, unknown> }) {
  const members = Object.entries(content)
  return (
    <dl class="facts members">
      {members.slice(0, MAX_MEMBERS).map(([name, value]) => (
        <>
          <dt dir="auto">{fieldName(name.slice(0, 200))}</dt>
          <dd dir="auto">{memberText(value, visit)}</dd>
        </>
      ))}
      {members.length > MAX_MEMBERS ? <dd>…</dd> : null}
    </dl>
  )
}

function memberText(value: unknown, { language }: OwnVisit): string {
  if (typeof value === 'number') return numberText(value, language)
  if (typeof value === 'boolean') return value ? eventWords[language].yes : eventWords[language].no
  if (value === null) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_MEMBER ? `${text.slice(0, MAX_MEMBER)}…` : text
}
