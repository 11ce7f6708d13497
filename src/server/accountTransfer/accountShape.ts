/** Parses the owner of an imported account: the line of `account.ndjson`, validated like a registration. */
import * as z from 'zod'
import { normalEmail, primaryOf, type EmailEntry } from '../../store/model/emails.js'
import { Failure } from '../../store/model/failure.js'
import type { User } from '../../store/accounts/users.js'
import type { Context } from '../call/context.js'
import { isUsername } from '../api/register/input.js'
import { isReservedUsername } from '../api/register/reserved.js'
import { ACCOUNT_FORMAT, type AccountLine } from './format.js'
import { objectionOf } from './shapes.js'

/** Argon2 hash in PHC format, with its cost parameters. */
const HASH = /^\$argon2(?:id|i|d)\$v=\d{1,3}\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,200}\$[A-Za-z0-9+/]{22,200}$/
const MAX_HASH_MEMORY_KB = 256 * 1024

const isAffordable = (hash: string): boolean => {
  const found = HASH.exec(hash)
  return found !== null && Number(found[1]) <= MAX_HASH_MEMORY_KB && Number(found[2]) <= 20 && Number(found[3]) <= 16
}

const hash = z.string().refine(isAffordable, { error: 'Expected an Argon2 hash of a usual cost.' })
const seconds = z.number()
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const limit = z.int().min(0).nullable().optional()

const Email = z.strictObject({
  value: z.string().min(1).max(300),
  primary: z.boolean(),
  status: z.enum(['pending', 'verified']),
  verifiedAt: seconds.nullable(),
  verificationMethod: z.enum(['email-link', 'email-code', 'operator', 'registration', 'legacy']).nullable(),
  token: z.strictObject({ digest, expires: seconds }).optional(),
})

const Factor = z
  .strictObject({
    id: z.string().min(1).max(100),
    method: z.enum(['totp', 'sms']),
    content: z.record(z.string().max(100), z.string().max(1000)),
    recoveryCodes: z.array(digest).max(100),
    totp: z
      .strictObject({
        secret: z.string().regex(/^[A-Z2-7=]{8,200}$/),
        algorithm: z.literal('sha1'),
        digits: z.int().min(6).max(8),
        periodSeconds: z.int().min(10).max(300),
        confirmedAt: z.number(),
        lastUsedStep: z.number(),
      })
      .optional(),
  })
  .refine(({ method, totp }) => (method === 'totp') === (totp !== undefined), { error: 'totp is required with method totp, and only then.' })

const Line = z.strictObject({
  format: z.literal(ACCOUNT_FORMAT),
  account: z.strictObject({
    username: z.string().max(100),
    id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    created: seconds,
    passwordHash: hash.optional(),
    passwordChanged: seconds.optional(),
    formerPasswords: z.array(z.strictObject({ hash, changed: seconds })).max(24).optional(),
    formerUsernames: z.array(z.string().max(100)).max(1000).optional(),
    unique: z.record(z.string().max(100), z.string().max(1000)),
    hidden: z.record(z.string().max(100), z.union([z.string().max(1000), z.number()])),
    emails: z.array(Email).max(1000).optional(),
    usernameChanges: z.int().min(0).optional(),
    quota: z.strictObject({ dbDocuments: limit, attachedFiles: limit }).optional(),
    mfa: Factor.optional(),
  }),
})

/** Overrides of an import. */
export interface ImportChoices {
  /** Username in place of the one in the archive. */
  as?: string | undefined
  /** E-mail address in place of the primary one in the archive. */
  email?: string | undefined
  /** Password hash in place of that of the archive. */
  passwordHash?: string | undefined
}

/** Owner of the imported account. `mfa` has its secret in clear text. */
export interface Owner {
  user: Omit<User, 'passwordHash'> & { passwordHash: string | undefined }
  mfa: AccountLine['account']['mfa']
  /** True when the account gets another name than in the archive; the original may still exist. */
  isRenamed: boolean
}

/**
 * Parses the owner of an archive for this node. Former names are imported only with the original name.
 * @throws Failure `corrupted-data` for an invalid line, `invalid-parameters-format` for an invalid name,
 *   `item-already-exists` for a reserved name
 */
export function readOwner(node: Context, value: unknown, options: ImportChoices): Owner {
  const { success, data, error } = Line.safeParse(value)
  if (!success) throw new Failure('corrupted-data', `account.ndjson: ${objectionOf(error)}`)
  const { mfa, passwordHash, passwordChanged, formerUsernames, emails, ...rest } = data.account as AccountLine['account']
  const username = (options.as ?? rest.username).toLowerCase()
  if (!isUsername(username)) {
    throw new Failure('invalid-parameters-format', `"${username}" is not a valid username: use 5 to 60 lowercase letters, digits and hyphens.`)
  }
  if (isReservedUsername(node.config, username, node.registry.cores)) throw new Failure('item-already-exists', 'This username is reserved.', { username })
  const fields = node.systemStreams.fields.filter((field) => field.isUnique).map((field) => field.id)
  const unique = Object.fromEntries(Object.entries(rest.unique).filter(([field]) => fields.includes(field)))
  if (options.email !== undefined && fields.includes('email')) unique['email'] = options.email
  // If the primary address is overridden, other addresses are not imported.
  const list = options.email === undefined ? emails : undefined
  if (list !== undefined && !isList(list, unique['email'])) {
    throw new Failure('corrupted-data', 'account.ndjson: exactly one of the e-mail addresses must be primary, and equal the address of the account.')
  }
  const former = formerUsernames?.filter((name) => isUsername(name) && name !== username) ?? []
  const user: Owner['user'] = {
    ...rest,
    username,
    unique,
    passwordHash: options.passwordHash ?? passwordHash,
    passwordChanged: options.passwordHash === undefined ? (passwordChanged ?? rest.created) : node.clock.now(),
    ...(list === undefined ? {} : { emails: list }),
    ...(former.length === 0 || username !== rest.username ? {} : { formerUsernames: [...new Set(former)] }),
  }
  return { user, mfa, isRenamed: username !== rest.username.toLowerCase() }
}

const isList = (emails: readonly EmailEntry[], primary: string | undefined): boolean =>
  emails.filter((entry) => entry.primary).length <= 1 &&
  primaryOf(emails)?.value === primary &&
  new Set(emails.map(({ value }) => normalEmail(value))).size === emails.length
