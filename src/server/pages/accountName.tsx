/** @jsxImportSource hono/jsx */
/** Naming an account in a form: the input field, its normalisation, and the account lookup. */
import type { LoadedAccount } from '../call/accountCache.js'
import type { Context } from '../call/context.js'
import { Field } from './layout.js'
import type { Problem } from './problem.js'

/** Attributes of inputs that must not be auto-capitalised or spell-checked. */
export const asTyped = { autocapitalize: 'none', spellcheck: 'false' } as const

/** Maximum length of a user name, or of an e-mail address in its place. */
const MAX_NAME_LENGTH = 300

/** Returns the account name in a form or query: trimmed, in lower case, at most 300 characters. */
export const nameIn = (from: URLSearchParams, field: string): string => (from.get(field) ?? '').trim().toLowerCase().slice(0, MAX_NAME_LENGTH)

/** Loads the account of a user name. Returns undefined when there is none, or when it has moved to another node. */
export async function presentAccount(node: Context, username: string): Promise<LoadedAccount | undefined> {
  const loaded = await node.accounts.find(username)
  return loaded?.user.relocated === undefined ? loaded : undefined
}

interface Props {
  name: string
  label: string
  value: string
  problem?: Problem | undefined
  isFirst?: boolean
  /** True for a read-only field. */
  isFixed?: boolean
}

/** Renders the input for a user name or an e-mail address. */
export function NameField({ isFixed = false, ...field }: Props) {
  return <Field {...field} more={{ ...asTyped, autocomplete: 'username', maxlength: String(MAX_NAME_LENGTH), readonly: isFixed }} />
}
