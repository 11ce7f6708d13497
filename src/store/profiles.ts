/**
 * How profile sets are kept: each is one record, and a CRDT item whose every edit is a change in the journal. The text
 * of a record is `<sequence of its latest journal entry, base 36> <modified> <JSON of its keys>`, so that reads answer
 * with the end of it as it is.
 */
import type { Transaction } from './account.js'
import { changeAt } from './changes.js'
import { kindLetter } from './journal.js'
import { accountKeys } from './keys.js'
import type { ClientData } from './model/event.js'
import { mapOfText, mapTextOf } from './model/jsonText.js'
import type { Profile } from './model/profile.js'
import { noteConflict } from './notes.js'
import type { ChangeRecorder } from './ports.js'

/** A profile set, and the sequence of its latest journal entry. */
export interface KeptProfile {
  profile: Profile
  sequence: number
}

type Reader = { get(key: string): string | undefined }

function partsOf(text: string): { sequence: number; modified: number; json: string } {
  const [sequence = '', modified = ''] = text.split(' ', 2)
  return {
    sequence: Number.parseInt(sequence, 36),
    modified: Number(modified),
    json: text.slice(sequence.length + modified.length + 2),
  }
}

/**
 * Reads a record.
 * @throws SyntaxError when its keys are no JSON
 */
export function textToProfile(id: string, text: string): KeptProfile {
  const { sequence, modified, json } = partsOf(text)
  return { profile: { id, keys: mapOfText(json) as ClientData, modified }, sequence }
}

/** The keys of a profile set as JSON text; `{}` when nobody has set one. */
export function profileJson(reader: Reader, account: string, id: string): string {
  const text = reader.get(accountKeys.profile(account, id))
  return text === undefined ? '{}' : partsOf(text).json
}

/** A profile set, as far as there is one. */
export function findProfile(reader: Reader, account: string, id: string): KeptProfile | undefined {
  const text = reader.get(accountKeys.profile(account, id))
  return text === undefined ? undefined : textToProfile(id, text)
}

/** Gives a profile set its next keys, making it when it is not there. */
export function putProfile(
  t: Transaction,
  recorder: ChangeRecorder,
  former: KeptProfile | undefined,
  next: Profile,
): void {
  const sequence = former === undefined ? noteCreation(t, recorder, next) : noteEdit(t, recorder, former, next)
  t.put(accountKeys.profile(t.account, next.id), profileText(next, sequence))
}

/** The text of a record. */
export const profileText = ({ modified, keys }: Profile, sequence: number): string =>
  `${sequence.toString(36)} ${modified} ${mapTextOf(keys)}`

function noteCreation(t: Transaction, recorder: ChangeRecorder, profile: Profile): number {
  return t.journal('profile', 'create', profile.id, { change: recorder.created({ kind: 'profile', item: profile }) })
}

function noteEdit(t: Transaction, recorder: ChangeRecorder, former: KeptProfile, next: Profile): number {
  const bookKey = accountKeys.book(t.account, kindLetter('profile') + next.id)
  const book = t.getBytes(bookKey)
  const { change, book: nextBook, settles } = recorder.edited(
    { kind: 'profile', item: former.profile },
    { kind: 'profile', item: next },
    { ...(book === undefined ? {} : { book }), first: () => changeAt(t, former.sequence) },
  )
  t.put(bookKey, nextBook)
  if (settles) noteConflict(t, kindLetter('profile') + next.id, { edits: [] }, next.modified)
  return t.journal('profile', 'update', next.id, { change, previous: former.sequence })
}
