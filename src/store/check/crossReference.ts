/**
 * Compares entries of the database: a record expects its index entries, and an index entry its record. One pass in constant
 * memory finds both missing and stale entries.
 */
import { isJsonObject, parseJsonObject } from '../model/json.js'
import type { Database, Value } from '../engine/database.js'
import { utf8Text } from '../model/jsonText.js'
import type { Findings } from './findings.js'

/** Expectation of one entry about another. */
export interface ExpectedEntry {
  /** The key of the other entry. */
  key: string
  /** Location shown in the report. */
  where: string
  /** Returns the problem with the text under the key; undefined when it is correct. The text is undefined for a missing entry. */
  wrong(text: string | undefined): string | undefined
  /** Correct value of the other entry, if the expecting entry determines it. */
  expectedValue?: string
  /**
   * The part of the value that this entry determines, if it is the only one that expects the other entry: such entries can be
   * compared by sums (eventSums.ts).
   */
  determined?: string
  /** True when the other entry must be removed. */
  mustBeRemoved?: true
}

/** An entry of an account. */
export interface Entry {
  /** Prefix of the account. */
  account: string
  /** Part of the key after the family prefix. */
  rest: string
  bytes: Uint8Array
}

/** Database and findings of a check. */
export interface CheckContext {
  db: Database
  findings: Findings
}

/** Returns the text of an entry. */
export const textOf = (entry: Entry): string => (entry instanceof TextEntry ? entry.text : utf8Text(entry.bytes))

/** An entry that was read as text; its bytes are encoded when they are asked for. */
class TextEntry implements Entry {
  constructor(
    readonly account: string,
    readonly rest: string,
    readonly text: string,
  ) {}

  get bytes(): Uint8Array {
    return Buffer.from(this.text, 'utf8')
  }
}

/** Creates an entry of a value read as text or as bytes. */
export const createEntry = (account: string, rest: string, value: Value): Entry =>
  typeof value === 'string' ? new TextEntry(account, rest, value) : { account, rest, bytes: value }

/** Returns the place of an event in reports. */
export const eventAt = (account: string, id: string): string => `account ${account}, event ${id}`

/** Parses a JSON object; undefined for other texts. */
export const objectIn = (text: string | undefined): Record<string, unknown> | undefined =>
  text === undefined ? undefined : parseJsonObject(text)

/** Returns a value as an object with members; undefined for other values. */
export const recordOf = (value: unknown): Record<string, unknown> | undefined => isJsonObject(value) ? { ...value } : undefined

/** Expects an entry with exactly the value `expected`; `name` is its name in reports. */
export function expectValue(key: string, expected: string, where: string, name: string): ExpectedEntry {
  return {
    key,
    where,
    expectedValue: expected,
    wrong(text) {
      if (text === undefined) return `lacks its ${name}`
      return text === expected ? undefined : `has a wrong ${name}`
    },
  }
}

/**
 * Reads the expected entries in one batch and reports unmet expectations; `sources` are the keys of the expecting entries,
 * in the same order.
 */
export async function checkExpectedEntries({ db, findings }: CheckContext, expectations: readonly ExpectedEntry[], sources: readonly string[] = []): Promise<void> {
  if (expectations.length === 0) return
  const found = await db.getMany(expectations.map(({ key }) => key))
  for (const [i, { key, where, wrong, expectedValue, mustBeRemoved }] of expectations.entries()) {
    const what = wrong(found[i])
    if (what === undefined) continue
    const of = sources[i]
    const repair = expectedValue !== undefined ? { put: key, value: expectedValue } : mustBeRemoved === true ? { remove: key } : undefined
    findings.report(where, what, { ...(of === undefined ? {} : { of }), ...(repair === undefined ? {} : { repair }) })
  }
}
