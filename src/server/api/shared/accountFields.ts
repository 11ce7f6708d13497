/**
 * Account fields as events: one event per field, with the id of the field's stream (docs/interface/account-streams.md#events,
 * docs/interface/account-streams.md#changes).
 */
import type { Account, Transaction } from '../../../store/engine/account.js'
import { addEvent, findEvent, replaceEvent } from '../../../store/events/events.js'
import type { Event } from '../../../store/model/event.js'
import { eventTexts, type EventText } from '../../../store/model/events/fields.js'
import { fieldFault } from '../../../store/model/accountFieldValue.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import type { AccountField } from '../../../store/model/systemStreams.js'
import type { User } from '../../../store/accounts/users.js'
import { emailsOf, withEmails } from '../../../store/accounts/emails.js'
import { entryOf, isVerified, isSameAddress, withSingular, type EmailEntry } from '../../../store/model/emails.js'
import { writeAccount, writeExclusively } from '../../dispatch/accountWrite.js'
import { presentUser, replaceUser } from './updateUser.js'
import type { Call, Result } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { RawJson } from '../../call/results.js'
import { withIntegrity } from './integrity.js'

export type FieldValue = string | number

/** Members that a client sends for the event of an account field. */
type FieldInput = { time?: number | undefined; tags?: string[] | null | undefined } & {
  [Name in 'id' | 'content' | 'trashed' | 'duration' | 'clientData' | EventText]?: unknown
}

/** Sets the account field of a stream, for a create or update of its event. `keepsValue`: true when the content is unchanged. */
export function setAccountField(
  call: Call,
  streamIds: readonly string[],
  input: FieldInput,
  keepsValue = false,
): Promise<Result> {
  const { node, account } = call
  if (streamIds.length > 1) {
    throw new Failure('invalid-operation', 'An event belongs to one account stream only.', { streamIds })
  }
  const [streamId = ''] = streamIds
  const field = node.systemStreams.byStream(streamId)
  if (field === undefined || !field.isEditable || field.isContainer) {
    throw new Failure('invalid-operation', `The account stream "${streamId}" cannot be edited.`, { streamId })
  }
  assertOnlyFieldMembers(call, field, input)
  const { content } = input
  if (typeof content !== 'string' && typeof content !== 'number') {
    throw invalidFormat([
      { code: 'INVALID_TYPE', message: 'The content of an account field is a text or a number.', path: '#/content' },
    ])
  }
  assertFieldValue(field, content)
  const written = (t: Transaction): Result => ({
    event: new RawJson(writeField(node, account, t, field, content, call.author, input.time)),
  })
  if (!field.isUnique || keepsValue) return writeAccount(call, written)
  return writeExclusively(call, (write) => {
    const before = presentUser(account)
    assertNewValue(before, field, String(content))
    return replaceUser(node, write, before, withFieldValue(node, account, before, field, String(content)), written)
  })
}

/** Throws for members that the event of a field cannot store. Members without effect, such as an empty tag list, are accepted. */
function assertOnlyFieldMembers({ uploads = [] }: Call, { streamId }: AccountField, input: FieldInput): void {
  const { id, trashed, tags, duration, clientData } = input
  const unsupported: Record<string, boolean> = {
    id: id !== undefined && id !== streamId,
    trashed: trashed === true,
    tags: tags != null && tags.some((tag) => tag.trim() !== ''),
    ...Object.fromEntries(eventTexts.map((field) => [field, input[field] != null])),
    duration: duration !== undefined && duration !== 0,
    clientData: clientData != null && Object.values(clientData).some((value) => value !== null),
    attachments: uploads.length > 0,
  }
  const fields = Object.keys(unsupported).filter((name) => unsupported[name])
  if (fields.length === 0) return
  throw new Failure('invalid-operation', `An account field has no ${fields.join(', ')} to set.`, { streamId, fields })
}

/** Throws when the user already has the value, which is an error of the client (docs/interface/account-streams.md#changes). */
function assertNewValue({ unique }: User, { id }: AccountField, value: string): void {
  const current = unique[id]
  if (current === undefined || !(id === 'email' ? isSameAddress(current, value) : current === value)) return
  throw new Failure('item-already-exists', `This account already has this ${id}.`, { [id]: value })
}

/** Returns the user with a new value of a unique field. The previous e-mail address remains in the list of addresses. */
function withFieldValue(node: Context, account: Account, user: User, { id }: AccountField, value: string): User {
  if (id !== 'email') return { ...user, unique: { ...user.unique, [id]: value } }
  const list = emailsOf(node.store.db, account.prefix, user)
  assertProved(node, list, value)
  return withEmails(user, withSingular(list, value, node.config.get('account.maxEmails')))
}

/**
 * Throws for a new primary address that is not verified, where registration requires verified addresses
 * (docs/interface/account.md#reading-and-updating); otherwise the requirement could be bypassed.
 */
export function assertProved({ config }: Context, list: readonly EmailEntry[], email: string): void {
  if (!config.get('account.emailVerification.requireAtRegistration')) return
  const entry = entryOf(list, email)
  if (entry?.primary === true || (entry !== undefined && isVerified(entry))) return
  throw new Failure(
    'invalid-operation',
    `${email} is not verified: add it to the account's e-mail addresses, verify it, then make it the primary one.`,
    { email },
  )
}

/** Throws for a value that does not match the format of its field. @throws Failure `invalid-parameters-format` */
export function assertFieldValue(field: AccountField, value: FieldValue): void {
  const fault = fieldFault(field, value)
  if (fault !== undefined) throw invalidFormat([fault])
}

/**
 * Writes the event of a field, new or changed. The caller must check the uniqueness of its value (`replaceUser`). `time` in
 * seconds. Returns the record.
 */
export function writeField(
  node: Context,
  account: Account,
  t: Transaction,
  field: AccountField,
  value: FieldValue,
  author: string,
  time?: number,
): string | Uint8Array {
  const now = node.clock.now()
  const { recorder } = node.store
  const before = findEvent(t, t.account, field.streamId)
  const after: Event = {
    id: field.streamId,
    streamIds: [field.streamId],
    type: field.type,
    time: time ?? now,
    content: value,
    tags: [],
    created: before?.created ?? now,
    createdBy: before?.createdBy ?? author,
    modified: now,
    modifiedBy: author,
  }
  withIntegrity({ node }, after)
  if (before === undefined) return addEvent(t, recorder, after)
  return replaceEvent(t, recorder, before, after)
}
