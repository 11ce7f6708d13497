/** Account fields as events: one event per field, its id that of the field's stream (data supplement 5.3, 5.4). */
import type { Account, Transaction } from '../../store/engine/account.js'
import { addEvent, findEvent, replaceEvent } from '../../store/events/events.js'
import type { Event } from '../../store/model/event.js'
import { fieldFault } from '../../store/model/accountFieldValue.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import type { AccountField } from '../../store/model/systemStreams.js'
import { emailsOf, withEmails } from '../../store/accounts/emails.js'
import { entryOf, isVerified, isSameAddress, withSingular, type EmailEntry } from '../../store/model/emails.js'
import type { User } from '../../store/accounts/users.js'
import { writeAccount, writeExclusively } from '../accountWrite.js'
import { presentUser, replaceUser } from '../updateUser.js'
import type { Call, Result } from '../method.js'
import type { Node } from '../node.js'
import { RawJson } from '../results.js'
import type { NewEventInput } from './schema.js'
import { withIntegrity } from '../eventIntegrity.js'

export type FieldValue = string | number

/** What a client asks of the event of an account field. */
export type AskedField = Partial<
  Pick<NewEventInput, 'id' | 'content' | 'time' | 'trashed' | 'tags' | 'description' | 'duration' | 'clientData'>
>

/**
 * Sets the field of an account stream as a client asks by creating or updating its event. `keepsValue`: the content is
 * the one that the field has.
 */
export function setAccountField(
  call: Call,
  streamIds: readonly string[],
  input: AskedField,
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
  refuseOtherMembers(call, field, input)
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
    assertNotHeld(before, field, String(content))
    return replaceUser(node, write, before, holding(node, account, before, field, String(content)), written)
  })
}

/**
 * Refuses what the event of a field cannot hold beside its value and time, and would lose. What says nothing, as a tag
 * list that is empty, may come along.
 */
function refuseOtherMembers({ uploads = [] }: Call, { streamId }: AccountField, input: AskedField): void {
  const { id, trashed, tags, description, duration, clientData } = input
  const lost: Record<string, boolean> = {
    id: id !== undefined && id !== streamId,
    trashed: trashed === true,
    tags: tags != null && tags.some((tag) => tag.trim() !== ''),
    description: description != null,
    duration: duration !== undefined && duration !== 0,
    clientData: clientData != null && Object.values(clientData).some((value) => value !== null),
    attachments: uploads.length > 0,
  }
  const fields = Object.keys(lost).filter((name) => lost[name])
  if (fields.length === 0) return
  throw new Failure('invalid-operation', `An account field has no ${fields.join(', ')} to set.`, { streamId, fields })
}

/** Refuses the very value that a user has: asking for it again is a mistake of the client (data supplement 5.4). */
function assertNotHeld({ unique }: User, { id }: AccountField, value: string): void {
  const held = unique[id]
  if (held === undefined || !(id === 'email' ? isSameAddress(held, value) : held === value)) return
  throw new Failure('item-already-exists', `This account has this ${id} already.`, { [id]: value })
}

/** A user with a value of a unique field in place of the one before; of e-mail addresses the old one stays. */
function holding(node: Node, account: Account, user: User, { id }: AccountField, value: string): User {
  if (id !== 'email') return { ...user, unique: { ...user.unique, [id]: value } }
  const list = emailsOf(node.store.db, account.prefix, user)
  assertProved(node, list, value)
  return withEmails(user, withSingular(list, value, node.config.get('account.maxEmails')))
}

/**
 * Where addresses are proved before an account is made, refuses one that its owner has not proved as the account's
 * primary (accounts supplement 7.2): it would get around that.
 */
export function assertProved({ config }: Node, list: readonly EmailEntry[], email: string): void {
  if (!config.get('account.emailVerification.requireAtRegistration')) return
  const entry = entryOf(list, email)
  if (entry?.primary === true || (entry !== undefined && isVerified(entry))) return
  throw new Failure(
    'invalid-operation',
    `${email} is not proved: add it to the account's e-mail addresses, verify it, then make it the primary one.`,
    { email },
  )
}

/** Refuses a value that does not have the format of its field. @throws Failure `invalid-parameters-format` */
export function assertFieldValue(field: AccountField, value: FieldValue): void {
  const fault = fieldFault(field, value)
  if (fault !== undefined) throw invalidFormat([fault])
}

/**
 * Writes the event of a field, whether or not it had one; that its value is the account's to have, where it must be
 * unique, is the caller's to see to (`replaceUser`). `time` in seconds. Answers the record.
 */
export function writeField(
  node: Node,
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
