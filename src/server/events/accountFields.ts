/** Account fields as events: one event per field, its id that of the field's stream (data supplement 5.3, 5.4). */
import type { Account, Transaction } from '../../store/account.js'
import { addEvent, findEvent, replaceEvent } from '../../store/events.js'
import type { Event } from '../../store/model/event.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import type { AccountField } from '../../store/model/systemStreams.js'
import { accountOfUnique, claimUnique, putUser, readUser, releaseUnique } from '../../store/users.js'
import { change } from '../change.js'
import type { Call, Result } from '../method.js'
import type { Node } from '../node.js'
import { RawJson } from '../results.js'
import { withIntegrity } from './rules.js'

export type FieldValue = string | number

/** Sets the field of an account stream as a client asks by creating or updating its event. */
export function setAccountField(
  call: Call,
  streamIds: readonly string[],
  asked: { type?: string | undefined; content?: unknown; time?: number | undefined; keepsValue?: boolean },
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
  const { content } = asked
  if (typeof content !== 'string' && typeof content !== 'number') {
    throw invalidFormat([
      { code: 'INVALID_TYPE', message: 'The content of an account field is a text or a number.', path: '#/content' },
    ])
  }
  refuseFieldValue(field, content)
  return change(call, (t) => {
    const record = writeField(node, account, t, field, content, call.author, asked)
    return { event: new RawJson(record) }
  })
}

/** Refuses a value that a field's own pattern does not accept. */
export function refuseFieldValue(field: AccountField, value: FieldValue): void {
  if (field.regexValidation === undefined || new RegExp(field.regexValidation).test(String(value))) return
  const { code, message } = field.regexError ?? { code: 'PATTERN', message: `${field.id} has an invalid value.` }
  throw invalidFormat([{ code, message, path: `#/${field.id}`, param: field.id }])
}

/**
 * Writes the event of a field, whether or not it had one; claims its value when it must be unique, unless it keeps the
 * value it has. Answers the record.
 */
export function writeField(
  node: Node,
  account: Account,
  t: Transaction,
  field: AccountField,
  value: FieldValue,
  author: string,
  { time, keepsValue = false }: { time?: number | undefined; keepsValue?: boolean } = {},
): string {
  const now = node.clock.now()
  const { recorder } = node.store
  const before = findEvent(t, t.account, field.streamId)
  if (field.isUnique && !keepsValue) claimField(node, t, field, String(value))
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
  // Former values of a field are its history, whatever the settings keep of other events.
  return replaceEvent(t, recorder, before, after, true)
}

function claimField(node: Node, t: Transaction, field: AccountField, value: string): void {
  const { seal } = node.store
  const holder = accountOfUnique(t, seal, field.id, value)
  if (holder !== undefined) {
    throw new Failure('item-already-exists', `This ${field.id} is already in use.`, { [field.id]: value })
  }
  claimUnique(t, seal, field.id, value)
  const user = readUser(t, t.account)
  if (user === undefined) return
  const former = user.unique[field.id]
  if (former !== undefined) releaseUnique(t, seal, field.id, former)
  putUser(t, { ...user, unique: { ...user.unique, [field.id]: value } }, 'update')
}
