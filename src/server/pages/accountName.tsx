/** @jsxImportSource hono/jsx */
/** Naming an account in a form: the field, what is taken of it, and the account that is meant. */
import type { LoadedAccount, Node } from '../node.js'
import { Field } from './layout.js'
import type { Problem } from './problem.js'

/** Attributes of inputs whose text is taken as it is typed. */
export const asTyped = { autocapitalize: 'none', spellcheck: 'false' } as const

/** A user name, or an e-mail address in its place. */
const LONGEST = 300

/** What a form or an address names, as accounts are named. */
export const nameIn = (from: URLSearchParams, field: string): string => (from.get(field) ?? '').trim().toLowerCase().slice(0, LONGEST)

/** The account of a user name; undefined when there is none, or it has moved to another node. */
export async function presentAccount(node: Node, username: string): Promise<LoadedAccount | undefined> {
  const loaded = await node.accounts.find(username)
  return loaded?.user.relocated === undefined ? loaded : undefined
}

interface Props {
  name: string
  label: string
  value: string
  problem?: Problem | undefined
  isFirst?: boolean
  /** Shown, and not to be changed. */
  isFixed?: boolean
}

/** The input for a user name, or for an e-mail address in its place. */
export function NameField({ isFixed = false, ...field }: Props) {
  return <Field {...field} more={{ ...asTyped, autocomplete: 'username', maxlength: String(LONGEST), readonly: isFixed }} />
}
