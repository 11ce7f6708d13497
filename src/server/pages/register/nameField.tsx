/** @jsxImportSource hono/jsx */
/** Input for the user name of a new account, with a live check of its availability. */
import { USERNAME } from '../../api/register/input.js'
import { asTyped } from '../accountName.js'
import { Field } from '../layout.js'
import { callsRoot } from '../links.js'
import type { Visit } from '../page.js'
import type { Problem } from '../problem.js'
import { registerWords } from './words.js'

interface Props {
  visit: Visit
  value: string
  problem?: Problem | undefined
  isFirst?: boolean
  /** Autofill hint for browsers. */
  autocomplete?: 'username' | 'off'
}

/** Renders the field `username`. */
export function NewNameField({ visit, value, problem, isFirst = false, autocomplete = 'username' }: Props) {
  const words = registerWords[visit.language]
  return (
    <>
      <Field
        name="username"
        label={words.username}
        value={value.trim().toLowerCase()}
        hint={words.usernameRule}
        problem={problem}
        isFirst={isFirst}
        more={{ ...asTyped, ...liveCheck(visit), autocomplete, minlength: '5', maxlength: '60' }}
      />
      <p class="hint" id="username-live" role="status"></p>
    </>
  )
}

/** Returns the attributes by which the script of the pages checks the name. */
function liveCheck({ node, language }: Visit): Record<string, string> {
  const { usernameFree, usernameTaken, usernameInvalid } = registerWords[language]
  return {
    'data-check': `${callsRoot(node)}/reg/*/check_username`,
    'data-says': `${usernameFree}|${usernameTaken}|${usernameInvalid}`,
    'data-form': USERNAME.source,
    'data-hint': 'username-live',
  }
}
