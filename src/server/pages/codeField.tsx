/** @jsxImportSource hono/jsx */
/** An input for a code that was made for this moment, which phones can fill in from a text message. */
import { Field } from './layout.js'
import type { Problem } from './problem.js'

interface CodeFieldProps {
  label: string
  hint?: string
  problem?: Problem | undefined
  isFirst?: boolean
  isRequired?: boolean
}

/** The field `code`: digits, maybe with blanks between. */
export function CodeField({ label, hint, problem, isFirst = false, isRequired = true }: CodeFieldProps) {
  return (
    <Field
      name="code"
      label={label}
      {...(hint === undefined ? {} : { hint })}
      problem={problem}
      isFirst={isFirst}
      isRequired={isRequired}
      more={{ inputmode: 'numeric', autocomplete: 'one-time-code', spellcheck: 'false', maxlength: '20' }}
    />
  )
}

/** A code as it was typed: blanks and dashes that part its digits are left out. */
export const codeIn = (form: URLSearchParams): string => (form.get('code') ?? '').replace(/[\s-]/g, '')
