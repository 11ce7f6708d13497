/**
 * Conversion of profile sets of store format 1: CRDT documents, whose changes hold every earlier value of a key in the
 * journal. Opening such a store converts them to registers and erases the changes. Registers are a function of the changes,
 * so all mirrors derive the same ones.
 *
 * Record text: `<sequence of the latest journal entry, base 36> <modified> <JSON of the keys>`.
 */
import type { Account, Transaction } from '../engine/account.js'
import { changesOf, eraseChanges } from '../engine/changes.js'
import type { Committer } from '../engine/commit.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import { Failure } from '../model/failure.js'
import type { ClientData } from '../model/event.js'
import { jsonTextOf, mapOfText, mapTextOf } from '../model/jsonText.js'
import { joinProfile, registerKeys, type StoredProfile, type Register } from '../model/profileRegisters.js'
import { forgetMergeState } from '../engine/mergeState.js'
import { FORMAT, type FormatRecord } from '../engine/open.js'
import type { ChangeRecorder } from '../engine/changeRecorder.js'

/** Returns whether a record is of format 1. */
export const isFormerRecord = (text: string): boolean => !text.startsWith('{"')

/** Splits a record of format 1. */
export function splitFormerRecord(text: string): { sequence: number; modified: number; json: string } {
  const [sequence = '', modified = ''] = text.split(' ', 2)
  return {
    sequence: Number.parseInt(sequence, 36),
    modified: Number(modified),
    json: text.slice(sequence.length + modified.length + 2),
  }
}

/**
 * Converts a record of format 1: removes it with its changes and notes, and returns the state to store instead.
 * @throws SyntaxError when the keys are not JSON
 */
export function convertProfile(t: Transaction, recorder: ChangeRecorder, id: string, text: string): StoredProfile {
  const { sequence, modified, json } = splitFormerRecord(text)
  const keys = mapOfText(json) as ClientData
  const registers = registersIn(recorder, id, [...changesOf(t, sequence)].map(({ change }) => change))
  const isWhole = registers !== undefined && mapTextOf(registerKeys(registers)) === mapTextOf(keys)
  eraseChanges(t, `p${id}`, sequence)
  // Refusal notes contain refused values; registers have no conflict notes.
  forgetMergeState(t, `p${id}`)
  t.delete(accountKeys.profile(t.account, id))
  return joinProfile(id, undefined, { modified, registers: isWhole ? registers : firstRegisters(keys, t.actor) }).after(0)
}

/** Returns the registers of changes; undefined when they are unreadable. */
function registersIn(recorder: ChangeRecorder, id: string, changes: readonly Uint8Array[]): Register[] | undefined {
  try {
    return recorder.registersOf(id, changes)
  } catch (error) {
    if (error instanceof Failure && error.id === 'corrupted-data') return undefined
    throw error
  }
}

/** Returns registers for keys whose changes are unreadable: any other replica's registers win. */
const firstRegisters = (keys: ClientData, actor: string): Register[] =>
  Object.entries(keys).map(([key, value]) => ({ key, text: jsonTextOf(value), counter: 1, actor }))

/** Returns whether a store may contain profile sets of format 1. */
export const needsConversion = ({ format, from }: FormatRecord): boolean => format < FORMAT || from !== undefined

interface ConversionDeps {
  db: Database
  committer: Pick<Committer, 'stage'>
  format: FormatRecord
  /** Loads an account that is not in memory. */
  load(prefix: string): Promise<Account>
  /** Converts one profile set. */
  convert(t: Transaction, id: string): void
}

/**
 * Migrates a store to the current format: converts all profile sets of format 1. The format record is written first, so that
 * earlier versions refuse a partly converted store; its `from` makes the next start resume an interrupted migration.
 */
export async function convertProfiles({ db, committer, format, load, convert }: ConversionDeps): Promise<void> {
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
    // An account without a user is left to a repair.
    if (ids.length === 0 || db.get(accountKeys.user(prefix)) === undefined) continue
    const account = await load(prefix)
    for (const id of ids) {
      await account.write((t) => convert(t, id)).catch((error: unknown) => {
        // An unreadable record stays as it is, and a store check reports it.
        if (!(error instanceof SyntaxError)) throw error
      })
    }
  }
  await write({ ...rest, format: FORMAT })
}
