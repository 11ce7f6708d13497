/** @jsxImportSource hono/jsx */
/** Form of an event: its content, its time, its streams, and texts about it. */
import { unitOf } from '../../events/eventValue.js'
import { Form, Hidden } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { OwnVisit, PageContent } from '../../page.js'
import type { Problem } from '../../problem.js'
import type { ConsoleVisit } from '../consolePage.js'
import { StreamPicker } from '../streamPicker.js'
import { loadStreams } from '../streams.js'
import { consoleWords } from '../words.js'
import { eventScript, eventStyle } from './eventAssets.js'
import { ContentFields, FieldProblem, problemAttributes } from './contentFields.js'
import type { ContentForm } from './contentForm.js'
import { MAX_DESCRIPTION } from './entry.js'
import { kindName } from './kinds.js'
import { formWords } from './formWords.js'

/** Classes whose units are so many that a list of them needs a search. */
const MAX_UNITS = 200

interface EntryFormProps {
  /** Path of the page that handles the form, and hidden fields for it. */
  path: string
  hidden: Readonly<Record<string, string>>
  title: string
  type: string
  contentForm: ContentForm
  fields: URLSearchParams
  problems?: ReadonlyMap<string, string>
  problem?: Problem | undefined
  /** Where the form leads without saving. */
  cancel: string
  /** True for a new event, whose kind can be chosen again. */
  isNew: boolean
}

/** Returns the page with the form of an event. */
export async function entryForm(visit: ConsoleVisit, props: EntryFormProps): Promise<PageContent> {
  const { path, hidden, title, type, contentForm, fields, problems = new Map<string, string>(), problem, cancel, isNew } = props
  const words = formWords[visit.language]
  const streams = await loadStreams(visit)
  const assets = [eventStyle, eventScript]
  const body = (
    <div class="entry-form">
      <Form visit={visit} path={path} problem={problem}>
        <Hidden fields={hidden} />
        <p class="split">
          <strong dir="auto">{kindName(type, visit)}</strong>
          {isNew ? <a href={linkTo(visit, '/event/new', streamParameter(fields))}>{words.changeKind}</a> : null}
        </p>
        <ContentFields visit={visit} type={type} form={contentForm} fields={fields} problems={problems} />
        <Units visit={visit} type={type} contentForm={contentForm} />
        <Times visit={visit} fields={fields} problems={problems} isNew={isNew} />
        <div class="apart">
          <StreamPicker visit={visit} streams={streams} name="streams" legend={words.streams} selected={fields.getAll('streams')} isMultiple find={fields.get('find') ?? ''} {...(isNew ? { newStream: fields.get('newStream') ?? (streams.ordered.length === 0 ? kindName(type, visit) : '') } : {})} />
          <FieldProblem name="streams" problems={problems} />
        </div>
        <Texts visit={visit} fields={fields} problems={problems} />
        <div class="buttons">
          <button>{consoleWords[visit.language].save}</button>
          <a class="button second" href={cancel}>
            {consoleWords[visit.language].cancel}
          </a>
        </div>
      </Form>
    </div>
  )
  return { title, body, assets, status: problem?.status ?? 200 }
}

/** Returns the parameter with the first chosen stream. */
function streamParameter(fields: URLSearchParams): Record<string, string> {
  const stream = fields.get('streams')
  return stream === null ? {} : { stream }
}

/** Renders the type: a choice of units for numbers, otherwise hidden. */
function Units({ visit, type, contentForm }: { visit: OwnVisit; type: string; contentForm: ContentForm }) {
  const hidden = <input type="hidden" name="type" value={type} />
  if (contentForm.kind !== 'simple' || contentForm.field.kind !== 'number') return hidden
  const { types } = visit.node.eventTypes.directory
  const prefix = `${type.split('/')[0] ?? ''}/`
  const units = Object.keys(types).filter((one) => one.startsWith(prefix) && types[one]?.['type'] === 'number' && one !== 'mood/rating')
  if (units.length < 2 || units.length > MAX_UNITS || !units.includes(type)) return hidden
  const label = (one: string): string => {
    const [, format = ''] = one.split('/')
    const name = visit.node.eventTypes.directory.extras[one]?.name
    const text = name?.[visit.language] ?? name?.['en'] ?? format
    const unit = unitOf(one, visit)
    return unit === undefined || unit === text ? text : `${text} (${unit})`
  }
  return (
    <div>
      <label for="type">{formWords[visit.language].unit}</label>
      <select id="type" name="type">
        {units.map((one) => (
          <option value={one} selected={one === type}>
            {label(one)}
          </option>
        ))}
      </select>
    </div>
  )
}

interface PartProps {
  visit: OwnVisit
  fields: URLSearchParams
  problems: ReadonlyMap<string, string>
}

function Times({ visit, fields, problems, isNew }: PartProps & { isNew: boolean }) {
  const words = formWords[visit.language]
  const input = (name: string) => <input id={name} name={name} type="datetime-local" step="1" value={fields.get(name) ?? ''} {...problemAttributes(name, problems)} />
  return (
    <fieldset class="apart">
      <legend>{words.when}</legend>
      <label for="time">{words.time}</label>
      {input('time')}
      <p class="hint">
        {isNew ? `${words.timeNow} ` : ''}
        {words.timeHint(visit.timeZone)}
      </p>
      <FieldProblem name="time" problems={problems} />
      <label class="tick">
        <input type="checkbox" name="period" value="yes" checked={fields.has('period')} />
        {words.hasPeriod}
      </label>
      <label for="until">{words.optional(words.until)}</label>
      {input('until')}
      <FieldProblem name="until" problems={problems} />
      <FieldProblem name="duration" problems={problems} />
      <label class="tick">
        <input type="checkbox" name="running" value="yes" checked={fields.has('running')} />
        {words.running}
      </label>
    </fieldset>
  )
}

function Texts({ visit, fields, problems }: PartProps) {
  const words = formWords[visit.language]
  return (
    <>
      <label for="description">{words.optional(words.description)}</label>
      <textarea id="description" name="description" rows={2} maxlength={MAX_DESCRIPTION} dir="auto" {...problemAttributes('description', problems)}>
        {`\n${fields.get('description') ?? ''}`}
      </textarea>
      <FieldProblem name="description" problems={problems} />
      <label for="tags">{words.optional(words.tags)}</label>
      <input id="tags" name="tags" type="text" value={fields.get('tags') ?? ''} maxlength={4000} dir="auto" aria-describedby="tags-hint" />
      <p class="hint" id="tags-hint">
        {words.tagsHint}
      </p>
      <FieldProblem name="tags" problems={problems} />
    </>
  )
}
