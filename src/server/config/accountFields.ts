/**
 * Schema and validation of the operator's own account fields: `custom.systemStreams.account`
 * (docs/interface/account-streams.md#fields).
 */
import * as z from 'zod'
import type { Kind } from './setting.js'

const accountField = z.strictObject({
  id: z.string().regex(/^[a-zA-Z0-9_-]{1,99}$/, 'expected letters, digits, - and _'),
  type: z.string().regex(/^[a-z0-9-]+\/[a-z0-9.-]+$/, 'expected an event type, such as email/string'),
  name: z.string().min(1).optional(),
  isShown: z.boolean().default(true),
  isEditable: z.boolean().default(true),
  isIndexed: z.boolean().default(false),
  isUnique: z.boolean().default(false),
  isRequiredInValidation: z.boolean().default(false),
  default: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
  regexValidation: z.string().refine(isPattern, 'expected a regular expression').optional(),
  regexError: z.strictObject({ message: z.string(), code: z.string() }).optional(),
  get children() {
    return z.array(accountField).optional()
  },
})

/** One account field with its flags filled in; its stream has the id `:system:<id>`. */
type AccountField = z.output<typeof accountField>

/** Names that registration and the built-in account streams already use. */
const builtInIds = new Set([
  'account',
  'appId',
  'attachedFiles',
  'dbDocuments',
  'invitationToken',
  'language',
  'password',
  'referer',
  'storageUsed',
  'username',
])

/** The list of account fields. Rejects unknown keys, duplicate ids and unique fields that are not indexed. */
export const accountFieldList: Kind<AccountField[]> = {
  reads: 'literal',
  form: 'a list of account fields, such as [{ id = "phone", type = "phone/string", isIndexed = true }]',
  schema: () => z.array(accountField).superRefine((fields, context) => {
    const seen = new Set<string>()
    for (const { field, path } of withPaths(fields)) {
      const refuse = (key: string, message: string): void =>
        context.addIssue({ code: 'custom', path: [...path, key], message })
      if (builtInIds.has(field.id)) refuse('id', `the id ${field.id} is built in`)
      if (seen.has(field.id)) refuse('id', `the id ${field.id} is used twice`)
      seen.add(field.id)
      if (field.isUnique && !field.isIndexed) refuse('isUnique', 'a unique field must be indexed: set isIndexed too')
    }
  }),
}

/** The account field of a node that configures none: the e-mail address. */
export const emailField: AccountField = {
  id: 'email',
  type: 'email/string',
  name: 'Email',
  isShown: true,
  isEditable: true,
  isIndexed: true,
  isUnique: true,
  isRequiredInValidation: true,
}

function* withPaths(
  fields: readonly AccountField[],
  above: readonly PropertyKey[] = [],
): Generator<{ field: AccountField; path: PropertyKey[] }> {
  for (const [index, field] of fields.entries()) {
    const path = [...above, index]
    yield { field, path }
    if (field.children !== undefined) yield* withPaths(field.children, [...path, 'children'])
  }
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source)
    return true
  } catch {
    return false
  }
}
