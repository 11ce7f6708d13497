/**
 * Profile sets of stores of format 1: CRDT documents whose changes keep every earlier value of a key in the journal. They
 * become registers when such a store is first opened, and their changes are erased. The registers follow from the changes
 * alone, so that all mirrors make the same ones.
 *
 * The text of such a record is `<sequence of its latest journal entry, base 36> <modified> <JSON of its keys>`.
 */
import type { Account, Transaction } from './account.js'
import { changesOf, eraseChanges } from './changes.js'
import type { Committer } from './commit.js'
import { each, type Database } from './database.js'
import { accountKeys, nodeKeys, under } from './keys.js'
import { Failure } from './model/failure.js'
import type { ClientData } from './model/event.js'
import { jsonTextOf, mapOfText, mapTextOf } from './model/jsonText.js'
import { joinProfile, keysOf, type KeptProfile, type Register } from './model/profileRegisters.js'
import { forgetNotes } from './notes.js'
import { FORMAT, type FormatRecord } from './open.js'
import type { ChangeRecorder } from './ports.js'

/** Whether a record is of the former form. */
export const isFormerRecord = (text: string): boolean => !text.startsWith('{"')

export function partsOfFormer(text: string): { sequence: number; modified: number; json: string } {
  const [sequence = '', modified = ''] = text.split(' ', 2)
  return {
    sequence: Number.parseInt(sequence, 36),
    modified: Number(modified),
    json: text.slice(sequence.length + modified.length + 2),
  }
}

/**
 * Takes a record of the former form, and all that is kept of it beside, out of the account; answers the set with registers.
 * @throws SyntaxError when its keys are no JSON
 */
export function takeOverProfile(t: Transaction, recorder: ChangeRecorder, id: string, text: string): KeptProfile {
  const { sequence, modified, json } = partsOfFormer(text)
  const keys = mapOfText(json) as ClientData
  const registers = registersIn(recorder, id, [...changesOf(t, sequence)].map(({ change }) => change))
  const isWhole = registers !== undefined && mapTextOf(keysOf(registers)) === mapTextOf(keys)
  eraseChanges(t, `p${id}`, sequence)
  // Refusals keep what was refused, and of registers no conflict is noted.
  forgetNotes(t, `p${id}`)
  t.delete(accountKeys.profile(t.account, id))
  return joinProfile(id, undefined, { modified, registers: isWhole ? registers : asFirst(keys, t.actor) }).after(0)
}

/** The registers that changes say; undefined when they cannot be read. */
function registersIn(recorder: ChangeRecorder, id: string, changes: readonly Uint8Array[]): Register[] | undefined {
  try {
    return recorder.registersOf(id, changes)
  } catch (error) {
    if (error instanceof Failure && error.id === 'corrupted-data') return undefined
    throw error
  }
}

/** Keys without usable changes: what other copies know of them wins. */
const asFirst = (keys: ClientData, actor: string): Register[] =>
  Object.entries(keys).map(([key, value]) => ({ key, text: jsonTextOf(value), counter: 1, actor }))

/** Whether a store may hold profile sets of the former form. */
export const hasFormerProfiles = ({ format, from }: FormatRecord): boolean => format < FORMAT || from !== undefined

export interface TakeOver {
  db: Database
  committer: Pick<Committer, 'stage'>
  format: FormatRecord
  /** An account that nobody else has in memory. */
  load(prefix: string): Promise<Account>
  /** Makes registers of a profile set. */
  take(t: Transaction, id: string): void
}

/**
 * Brings a store to the present format: makes registers of all profile sets of the former form. The format record comes
 * first, so that no earlier version opens a store of both forms, and says until the end that there is more to do.
 */
export async function takeOverProfiles({ db, committer, format, load, take }: TakeOver): Promise<void> {
  const write = (record: FormatRecord): Promise<void> =>
    committer.stage({ operations: new Map([[nodeKeys.format, JSON.stringify(record)]]), entries: [], sync: true })
  const { from, ...rest } = format
  await write({ ...rest, format: FORMAT, from: from ?? format.format })
  const last = Number.parseInt(db.get(nodeKeys.lastAccount) ?? '0', 36)
  for (let number = 1; number <= last; number++) {
    const prefix = number.toString(36)
    const ids: string[] = []
    const all = accountKeys.profile(prefix, '')
    for await (const [key, text] of each(db.entries(under(all)))) if (isFormerRecord(text)) ids.push(key.slice(all.length))
    // What is left of an account without a user is for a repair to look at.
    if (ids.length === 0 || db.get(accountKeys.user(prefix)) === undefined) continue
    const account = await load(prefix)
    for (const id of ids) {
      await account.write((t) => take(t, id)).catch((error: unknown) => {
        // A record that cannot be read stays as it is: the check of a store names it.
        if (!(error instanceof SyntaxError)) throw error
      })
    }
  }
  await write({ ...rest, format: FORMAT })
}
