/** @jsxImportSource hono/jsx */
/** An input for a one-time code, which phones can fill in from a text message. */
import { Field } from './layout.js'
import type { Problem } from './problem.js'

interface CodeFieldProps {
  label: string
  hint?: string
  problem?: Problem | undefined
  isFirst?: boolean
  isRequired?: boolean
}

/** Renders the field `code`: digits, optionally separated by spaces or dashes. */
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

/** Returns the code of a form without spaces and dashes. */
export const codeIn = (form: URLSearchParams): string => (form.get('code') ?? '').replace(/[\s-]/g, '')
