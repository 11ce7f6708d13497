/**
 * How a check compares entries of the database: each entry demands others. A record demands its index entries, and an
 * index entry the record that it points to, so that missing and stale entries both show, in one pass and in memory
 * that does not grow with the account.
 */
import type { Database } from '../engine/database.js'
import type { Findings } from './findings.js'

/** What one entry of the database asks of another. */
export interface ExpectedEntry {
  /** The key of the other entry. */
  key: string
  /** The place that a problem is reported for. */
  where: string
  /** What is wrong about the text found under the key, if anything is; undefined is also passed for no entry. */
  wrong(text: string | undefined): string | undefined
  /** What must be under the key, where that follows from the entry that asks. */
  due?: string
  /** Where it is the other entry that must go. */
  goes?: true
}

/** An entry of an account. */
export interface Entry {
  /** Prefix of the account. */
  account: string
  /** What follows the family in the key. */
  rest: string
  bytes: Uint8Array
}

/** What checks of single entries work with. */
export interface CheckContext {
  db: Database
  findings: Findings
}

/** The text of an entry. */
export const textOf = ({ bytes }: Entry): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** The object that a JSON text holds; undefined when it holds none. */
export function objectIn(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** A value as an object with members; undefined when it is none. */
export const recordOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

/** That an entry is there and holds exactly `expected`; `name` is what it is called in reports. */
export function holding(key: string, expected: string, where: string, name: string): ExpectedEntry {
  return {
    key,
    where,
    due: expected,
    wrong(text) {
      if (text === undefined) return `lacks its ${name}`
      return text === expected ? undefined : `has a wrong ${name}`
    },
  }
}

/**
 * Reads what a group of demands asks for, in one go, and reports those that are not met; `askers` are the keys of the
 * entries that ask, in the order of the demands.
 */
export async function checkExpectedEntries({ db, findings }: CheckContext, demands: readonly ExpectedEntry[], askers: readonly string[] = []): Promise<void> {
  if (demands.length === 0) return
  const found = await db.getMany(demands.map(({ key }) => key))
  for (const [i, { key, where, wrong, due, goes }] of demands.entries()) {
    const what = wrong(found[i])
    if (what === undefined) continue
    const of = askers[i]
    const repair = due !== undefined ? { put: key, value: due } : goes === true ? { remove: key } : undefined
    findings.report(where, what, { ...(of === undefined ? {} : { of }), ...(repair === undefined ? {} : { repair }) })
  }
}
