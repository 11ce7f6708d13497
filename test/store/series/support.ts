/** Account in a store of its own, without a node and its background work on series. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from '../../../src/store/engine/account.js'
import type { Column, Points } from '../../../src/store/model/points.js'
import { Secret } from '../../../src/store/model/secret.js'
import { createTree } from '../../../src/store/model/tree.js'
import { createStore, openStore, type OpenedStore } from '../../../src/store/engine/open.js'
import { createSeal } from '../../../src/store/keyring/seal.js'
import { readPoints } from '../../../src/store/series/series.js'

export interface StandaloneAccount {
  opened: OpenedStore
  account: Account
  close(): Promise<void>
}

export async function standaloneAccount(): Promise<StandaloneAccount> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-series-'))
  const place = { folder: join(folder, 'store'), now: () => 1_700_000_000 }
  await createStore(place, 'node', await createSeal(new Secret(new Uint8Array(32))))
  const opened = await openStore(place)
  const { db, committer } = opened
  return {
    opened,
    account: new Account({ prefix: '1', db, committer, tree: createTree([]), sequence: 0 }),
    async close() {
      await opened.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Values of the fields by name; null fields are absent. */
export type Row = Record<string, number | string | boolean>

/** Returns points of rows by deltaTime; each field has values of one kind. */
export function pointsOf(rows: readonly (readonly [deltaTime: number, row: Row])[]): Points {
  const columns = new Map<string, Column>()
  for (const name of new Set(rows.flatMap(([, row]) => Object.keys(row)))) {
    const values = rows.map(([, row]) => row[name] ?? null)
    const kind = typeof values.find((value) => value !== null)
    if (kind === 'number') columns.set(name, { kind, values: Float64Array.from(values, (value) => Number(value ?? NaN)) })
    else if (kind === 'string') columns.set(name, { kind, values: values as (string | null)[] })
    else columns.set(name, { kind: 'boolean', values: values as (boolean | null)[] })
  }
  return { deltaTimes: Float64Array.from(rows, ([deltaTime]) => deltaTime), columns }
}

/** Returns the rows of points. */
export function rowsOf({ deltaTimes, columns }: Points): [number, Row][] {
  return Array.from(deltaTimes, (deltaTime, i) => {
    const row: Row = {}
    for (const [name, column] of columns) {
      const value = column.kind === 'null' ? null : (column.values[i] ?? null)
      if (value !== null && !Number.isNaN(value)) row[name] = value
    }
    return [deltaTime, row]
  })
}

/** Reads all rows of a window. */
export async function readRows(
  account: Account,
  event: string,
  window = { from: -Infinity, to: Infinity },
): Promise<[number, Row][]> {
  const { pages } = await readPoints(account, event, window)
  const rows = []
  for await (const page of pages) rows.push(...rowsOf(page))
  return rows
}
