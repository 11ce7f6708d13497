/** @jsxImportSource hono/jsx */
/** Fields for the content of an event, by the form of its type. */
import type { Child } from 'hono/jsx'
import { fieldName, unitOf, valueText } from '../../events/eventValue.js'
import type { OwnVisit } from '../../page.js'
import { MAX_EDITED, memberField, type ContentForm, type Member, type SimpleField } from './contentForm.js'
import { kindName } from './kinds.js'
import { formWords } from './formWords.js'

interface ContentProps {
  visit: OwnVisit
  type: string
  form: ContentForm
  /** Texts of the fields, as typed. */
  fields: URLSearchParams
  /** Texts of problems by the name of the field. */
  problems: ReadonlyMap<string, string>
}

export function ContentFields(props: ContentProps) {
  const { visit, type, form } = props
  const words = formWords[visit.language]
  switch (form.kind) {
    case 'simple':
      return <Value {...props} field={form.field} label={labelOf(visit, type, form.field)} name="content" />
    case 'rating':
      return <Rating {...props} steps={form.steps} />
    case 'object':
      return <Members {...props} members={form.members} />
    case 'json':
      return <Json {...props} />
    case 'none':
      return <></>
    case 'file':
      return <p class="soft">{words.attached}</p>
    case 'closed':
      return <p class="soft">{words.keepsContent}</p>
  }
}

function labelOf(visit: OwnVisit, type: string, { kind }: SimpleField): string {
  const words = formWords[visit.language]
  if (kind === 'text') return words.text
  const unit = unitOf(type, visit)
  return unit === undefined ? words.value : `${words.value} (${unit})`
}

/** Returns the id of the field of a value; `content` is that of the main part of the page. */
const fieldId = (name: string): string => `value-${name}`

/** Renders the problem below a field. */
export function FieldProblem({ name, problems }: { name: string; problems: ReadonlyMap<string, string> }) {
  const text = problems.get(name)
  return text === undefined ? (
    <></>
  ) : (
    <p class="field-problem" id={`${name}-problem`}>
      {text}
    </p>
  )
}

/** Returns the attributes of a field with a problem. */
export const problemAttributes = (name: string, problems: ReadonlyMap<string, string>): Record<string, string> =>
  problems.has(name) ? { 'aria-invalid': 'true', 'aria-describedby': `${name}-problem` } : {}

interface ValueProps extends ContentProps {
  field: SimpleField
  label: string
  name: string
  isRequired?: boolean
}

function Value({ visit, fields, problems, field, label, name, isRequired = true }: ValueProps) {
  const value = fields.get(name) ?? ''
  const words = formWords[visit.language]
  const common = { id: fieldId(name), name, required: isRequired, ...problemAttributes(name, problems) }
  let input: Child
  if (field.kind === 'boolean') return <YesNo visit={visit} name={name} label={label} value={value} isRequired={isRequired} problems={problems} />
  if (field.kind === 'choice') {
    input = (
      <select {...common}>
        <option value="">{words.notGiven}</option>
        {(field.options ?? []).map((option) => (
          <option value={option} selected={option === value}>
            {fieldName(option)}
          </option>
        ))}
      </select>
    )
  } else if (field.kind === 'number') {
    input = <input {...common} type="number" step={field.isWhole === true ? '1' : 'any'} inputmode="decimal" value={value} />
  } else if (field.isLong === true) {
    input = (
      <textarea {...common} rows={8} maxlength={MAX_EDITED} dir="auto">
        {`\n${value}`}
      </textarea>
    )
  } else {
    input = <input {...common} type="text" value={value} maxlength={MAX_EDITED} dir="auto" />
  }
  return (
    <div>
      <label for={fieldId(name)}>{isRequired ? label : words.optional(label)}</label>
      {input}
      <FieldProblem name={name} problems={problems} />
    </div>
  )
}

interface YesNoProps {
  visit: OwnVisit
  name: string
  label: string
  value: string
  isRequired: boolean
  problems: ReadonlyMap<string, string>
}

function YesNo({ visit, name, label, value, isRequired, problems }: YesNoProps) {
  const words = formWords[visit.language]
  const options = [
    ['true', words.yes],
    ['false', words.no],
    ...(isRequired ? [] : [['', words.notGiven]]),
  ]
  return (
    <fieldset class="apart">
      <legend>{label}</legend>
      <div class="rating">
        {options.map(([option = '', text]) => (
          <label>
            <input type="radio" name={name} value={option} checked={option === value} required={isRequired} />
            {text}
          </label>
        ))}
      </div>
      <FieldProblem name={name} problems={problems} />
    </fieldset>
  )
}

function Rating({ visit, type, fields, problems, steps }: ContentProps & { steps: number }) {
  const words = formWords[visit.language]
  const value = fields.get('content') ?? ''
  const options = Array.from({ length: steps }, (_, at) => String(at / (steps - 1)))
  const isOther = value !== '' && !options.includes(value) && Number.isFinite(Number(value))
  return (
    <fieldset class="apart">
      <legend>{words.rating}</legend>
      <div class="rating">
        {options.map((option, at) => (
          <label>
            <input type="radio" name="content" value={option} checked={option === value} required />
            {at + 1}
            {at === 0 ? ` (${words.low})` : at === steps - 1 ? ` (${words.high})` : ''}
          </label>
        ))}
        {isOther ? (
          <label>
            <input type="radio" name="content" value={value} checked />
            {words.ratingOther(valueText({ type, content: Number(value) }, visit))}
          </label>
        ) : null}
      </div>
      <FieldProblem name="content" problems={problems} />
    </fieldset>
  )
}

function Members(props: ContentProps & { members: readonly Member[] }) {
  const { visit, type, members } = props
  const words = formWords[visit.language]
  const hasPosition = ['latitude', 'longitude'].every((name) => members.some((member) => member.name === name))
  return (
    <fieldset class="apart">
      <legend class="hidden">{kindName(type, visit)}</legend>
      {hasPosition ? (
        <p>
          <button type="button" class="second small" data-position={words.noPosition} hidden>
            {words.usePosition}
          </button>
        </p>
      ) : null}
      <div class="fields">
        {members.map((member) => (
          <Value {...props} field={member} name={memberField(member.name)} label={memberLabel(visit, member.name)} isRequired={member.isRequired} />
        ))}
      </div>
      <FieldProblem name="content" problems={props.problems} />
    </fieldset>
  )
}

function memberLabel({ language }: OwnVisit, name: string): string {
  const words = formWords[language]
  if (name === 'latitude') return words.latitude
  return name === 'longitude' ? words.longitude : fieldName(name)
}

function Json({ visit, fields, problems }: ContentProps) {
  const words = formWords[visit.language]
  const describedBy = problems.has('content') ? 'content-hint content-problem' : 'content-hint'
  return (
    <div>
      <label for={fieldId('content')}>{words.asJson}</label>
      <textarea id={fieldId('content')} name="content" class="code" rows={8} maxlength={MAX_EDITED} spellcheck={false} dir="ltr" {...problemAttributes('content', problems)} aria-describedby={describedBy}>
        {`\n${fields.get('content') ?? ''}`}
      </textarea>
      <p class="hint" id="content-hint">
        {words.asJsonHint}
      </p>
      <FieldProblem name="content" problems={problems} />
    </div>
  )
}
