/** Statistics of a store: entries and bytes by account and kind. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { each, openSnapshot, type Database } from '../../../store/engine/database.js'
import { keyFamilyLabels, nodeKeyFamilyLabels } from '../../../store/engine/keyFamilyLabels.js'
import { namesIn } from '../../../store/leveldb/filesOnDisk.js'
import { accountKeys, PLATFORM, under } from '../../../store/engine/keys.js'
import { createYielder } from '../../../store/engine/yield.js'
import { FORMAT } from '../../../store/engine/open.js'
import { listUsernames } from '../../../store/accounts/users.js'
import { directorySize } from '../../base/directorySize.js'
import { prefixOf, type WorkTarget, type WorkProgress } from './workTarget.js'

interface FamilyFigures {
  family: string
  entries: number
  /** Bytes on disk as LevelDB estimates them: compressed, in tables shared with neighbouring keys. */
  bytes: number
}

interface AccountFigures {
  username: string
  entries: number
  bytes: number
  events: number
  files: { count: number; bytes: number }
  families: FamilyFigures[]
}

interface StoreFigures {
  folder: string
  format: number
  newestFormat: number
  node: string
  created: number
  commits: number
  bytes: { store: number; files: number }
  accounts: AccountFigures[]
  /** Data outside of accounts; absent when one account was requested. */
  own?: { node: FamilyFigures[]; platform: FamilyFigures[] }
}

const SLICE_MS = 8

/** Returns the statistics of the whole store, or of one account. */
export async function figuresOf(
  ground: WorkTarget,
  { user }: { user?: string | undefined },
  notify: (progress: WorkProgress) => void,
): Promise<StoreFigures> {
  const { db, folder, files, format } = ground
  const only = user === undefined ? undefined : prefixOf(ground, user)
  // Sizes cover tables on disk only, so memory is flushed first.
  await db.flush()
  const time = openSnapshot(db)
  let done = 0
  const pause = createYielder(SLICE_MS, () => notify({ work: 'stats', done }))
  const counting = { db: time.db, count: () => ((done += 1), pause()) }
  try {
    const accounts: AccountFigures[] = []
    for (const { username, account } of await listUsernames(time.db)) {
      if (only !== undefined && account !== only) continue
      const families = await familiesUnder(counting, accountKeys.all(account), keyFamilyLabels)
      const ofFamily = (name: string): number => families.find(({ family }) => family === name)?.entries ?? 0
      accounts.push({
        username,
        entries: families.reduce((sum, { entries }) => sum + entries, 0),
        bytes: await db.size(under(accountKeys.all(account))),
        events: ofFamily('events'),
        files: await filesIn(join(files, account)),
        families,
      })
    }
    const own =
      only === undefined
        ? {
            node: await familiesUnder(counting, '!', nodeKeyFamilyLabels),
            platform: await familiesUnder(counting, accountKeys.all(PLATFORM), { ...keyFamilyLabels, R: 'platform records' }),
          }
        : undefined
    return {
      folder,
      format: format.format,
      newestFormat: FORMAT,
      node: format.node,
      created: format.created,
      commits: ground.head().sequence,
      bytes: { store: await directorySize(folder), files: await directorySize(files) },
      accounts,
      ...(own === undefined ? {} : { own }),
    }
  } finally {
    await time.close()
  }
}

/** Counts entries and bytes by the first segment of the keys under a prefix. */
async function familiesUnder(
  { db, count }: { db: Database; count: () => Promise<void> | undefined },
  prefix: string,
  names: Readonly<Record<string, string>>,
): Promise<FamilyFigures[]> {
  const counts = new Map<string, number>()
  for await (const key of each(db.keys(under(prefix)))) {
    const slash = key.indexOf('/', prefix.length)
    const family = key.slice(prefix.length, slash < 0 ? undefined : slash)
    counts.set(family, (counts.get(family) ?? 0) + 1)
    const turn = count()
    if (turn !== undefined) await turn
  }
  const figures = [...counts].map(async ([family, entries]) => ({
    family: names[family] ?? family,
    entries,
    bytes: await db.size(under(prefix + family)),
  }))
  return (await Promise.all(figures)).sort((a, b) => b.bytes - a.bytes || b.entries - a.entries)
}

/** Counts the attached files in the folder of an account. */
async function filesIn(folder: string): Promise<{ count: number; bytes: number }> {
  const sum = { count: 0, bytes: 0 }
  for (const part of await namesIn(folder)) {
    for (const name of await namesIn(join(folder, part))) {
      const found = await stat(join(folder, part, name)).catch(() => undefined)
      if (found?.isFile() !== true) continue
      sum.count += 1
      sum.bytes += found.size
    }
  }
  return sum
}
