/**
 * Ledger of the tables of a store that were read and verified, so that a start reads new ones only: LevelDB never changes a table.
 * A table that was modified or replaced has another mark and is read again.
 */
import { readFileSync, type Stats } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'

export interface TableLedger {
  /** Marks of sound tables, those verified longest ago first. */
  sound: ReadonlySet<string>
  /** Marks of damaged tables. */
  damaged: ReadonlySet<string>
}

const DAMAGED = 'damaged '

/** Returns the text that identifies a table file with its present content. */
export const tableMark = (file: string, { size, mtimeMs, ino }: Stats): string => `${file} ${size} ${mtimeMs} ${ino}`

/** Reads a ledger; empty if there is none. A line that a power cut has torn names no table. */
export function readLedger(path: string): TableLedger {
  const [sound, damaged] = [new Set<string>(), new Set<string>()]
  for (const line of linesIn(path)) {
    if (line.startsWith(DAMAGED)) damaged.add(line.slice(DAMAGED.length))
    else sound.add(line)
  }
  return { sound, damaged }
}

/** Writes a ledger in place of a former one. Not synced: without it, the next start only takes longer. */
export async function writeLedger(path: string, { sound, damaged }: TableLedger): Promise<void> {
  const lines = [...sound, ...Array.from(damaged, (mark) => DAMAGED + mark)]
  const draft = `${path}.draft`
  await writeFile(draft, `${lines.join('\n')}\n`, { mode: 0o600 })
  await rename(draft, path)
}

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter((line) => line !== '')
  } catch {
    return []
  }
}
