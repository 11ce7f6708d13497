/** @jsxImportSource hono/jsx */
/** Fields of a link that its creation and its change share. */
import { MAX_NOTE } from '../../access/grantedAccesses.js'
import { Field } from '../../layout.js'
import type { Problem } from '../../problem.js'
import type { ConsoleVisit } from '../consolePage.js'
import { peopleWords } from './words.js'

interface TextFieldProps {
  visit: ConsoleVisit
  value: string
  problem?: Problem | undefined
}

/** Maximum length of the name of a link in forms. */
export const MAX_LINK_NAME = 200

export function NameField({ visit, value, problem, label, isFirst = false }: TextFieldProps & { label?: string; isFirst?: boolean }) {
  const more = { maxlength: String(MAX_LINK_NAME), autocomplete: 'off', dir: 'auto' }
  return <Field name="name" label={label ?? peopleWords[visit.language].name} value={value} problem={problem} more={more} isFirst={isFirst} />
}

export function NoteField({ visit, value, problem }: TextFieldProps) {
  const words = peopleWords[visit.language]
  const isWrong = problem?.field === 'note'
  return (
    <>
      <label for="note">{words.note}</label>
      <textarea
        id="note"
        name="note"
        rows={3}
        maxlength={MAX_NOTE}
        dir="auto"
        aria-describedby={isWrong ? 'note-hint problem' : 'note-hint'}
        {...(isWrong ? { 'aria-invalid': 'true' } : {})}
      >
        {value}
      </textarea>
      <p class="hint" id="note-hint">
        {words.noteHint}
      </p>
    </>
  )
}

/** Returns the note in a form, with the line ends of this system. */
export const noteIn = (form: URLSearchParams): string => (form.get('note') ?? '').replaceAll('\r\n', '\n').trim()
