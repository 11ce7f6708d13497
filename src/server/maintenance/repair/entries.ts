/** What a repair makes a store of: the entries that were found, and those of a backup. */
import type { Archive } from '../../../store/backup/archive.js'
import { writeEntries } from '../../../store/backup/restore.js'
import { openDatabase, type Database } from '../../../store/engine/database.js'
import { fillDraft, OtherHistory, type Backup, type Filled } from '../../../store/repair/draft.js'
import type { Salvage } from '../../../store/repair/salvage.js'

/** Writes the entries of a backup into a database of their own, in a folder that is not there. The caller closes it. */
export async function openBackup(archive: Archive, folder: string): Promise<Backup> {
  const db = await openDatabase(folder, { create: true })
  try {
    for (const member of archive.members) if (member.kind === 'entries') await writeEntries(archive, member, db)
    return { archive, db }
  } catch (error) {
    await db.close()
    throw error
  }
}

/**
 * Fills the store to come. A backup that is not one of this store gives no entries, but may give attached files, which are
 * named by what they hold; so it is refused only once the store turns out to need more.
 */
export async function fill(db: Database, found: Salvage, backup: Backup | undefined): Promise<{ filled: Filled; other: OtherHistory | undefined }> {
  try {
    return { filled: await fillDraft(db, found, backup), other: undefined }
  } catch (error) {
    // It is thrown before anything is written.
    if (!(error instanceof OtherHistory) || found.damage.length > 0) throw error
    return { filled: await fillDraft(db, found, undefined), other: error }
  }
}

/** Whether there is no account: an empty node must never come up in place of a lost one. */
export async function isEmpty(db: Database): Promise<boolean> {
  const source = db.keys({ gte: '1', lt: '~' }, { limit: 1 })
  const found = await source.next(1)
  await source.close()
  return found.length === 0
}
